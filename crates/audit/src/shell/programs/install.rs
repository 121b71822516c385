//! Packages: from where, which version, whose name.

use super::super::{Call, Read};
use crate::{
    flow::{Flow, Origin, is_foreign},
    hosts,
    purpose::{self, is_package_index},
    report::Severity,
    rule::Rule,
};

/// Packages that many skills install; a name that differs by one letter is another author's.
const KNOWN: [&str; 40] = [
    "requests",
    "numpy",
    "pandas",
    "pillow",
    "openai",
    "anthropic",
    "beautifulsoup4",
    "selenium",
    "playwright",
    "flask",
    "django",
    "fastapi",
    "matplotlib",
    "scipy",
    "torch",
    "tensorflow",
    "transformers",
    "cryptography",
    "python-docx",
    "openpyxl",
    "pypdf",
    "pdfplumber",
    "httpx",
    "urllib3",
    "setuptools",
    "colorama",
    "express",
    "lodash",
    "react",
    "axios",
    "typescript",
    "puppeteer",
    "webpack",
    "eslint",
    "prettier",
    "langchain",
    "boto3",
    "pyyaml",
    "scikit-learn",
    "markitdown",
];

pub(super) fn look(flow: &mut Flow, program: &str, call: &Call) {
    let line = call.line();
    let mut words = line.split_whitespace();
    let first = words.next().unwrap_or_default();
    let installs = match program {
        "pip" | "pip3" | "pipx" | "npm" | "pnpm" | "yarn" | "gem" | "bun" => {
            matches!(first, "install" | "i" | "add" | "download")
        }
        "uv" => {
            line.starts_with("pip install") || line.starts_with("add") || line.starts_with("tool install")
        }
        "python" | "python3" => line.starts_with("-m pip install"),
        _ => false,
    };
    let fetches = matches!(program, "npx" | "uvx" | "bunx" | "pipx") || (program == "pnpm" && first == "dlx");
    if fetches && flow.origin == Origin::Auto && is_unpinned(call) {
        flow.hit(Rule::Unpinned, Severity::Warn, call.range.clone());
    }
    unknown(flow, fetches, installs, call);
    if !(installs || fetches) {
        return;
    }
    let index = call.has(&[
        "--index-url",
        "--extra-index-url",
        "-i",
        "--registry",
        "--find-links",
        "-f",
        "--trusted-host",
    ]);
    for address in hosts::addresses(&line) {
        let severity = match () {
            () if address.kind.is_suspicious()
                || (address.plain && address.kind != hosts::HostKind::Local) =>
            {
                Severity::Block
            }
            () if purpose::is_named_for_attacks(&address.host) => Severity::Block,
            () if index
                && is_foreign(&address.host, &flow.purpose)
                && !address.rest.contains(['$', '<', '{'])
                && !is_usual(&address.host) =>
            {
                Severity::Block
            }
            () if index && address.kind == hosts::HostKind::Named && !is_usual(&address.host) => {
                Severity::Warn
            }
            // A build of a well-known package that its author did not publish.
            () if is_foreign(&address.host, &flow.purpose) && renames_known(&address.rest) => Severity::Block,
            () if is_foreign(&address.host, &flow.purpose)
                && is_archive(&address.rest)
                && !is_usual(&address.host)
                && !hosts::is_known_project(&address.host, &address.rest)
                && !is_forge(&address.host) =>
            {
                Severity::Block
            }
            () => Severity::Note,
        };
        if severity > Severity::Note {
            flow.hit(Rule::OddPackage, severity, call.range.clone());
        }
    }
    let near_names = call.plain().filter(|word| {
        let name =
            word.text.split(['=', '@', '[', '<', '>', '~']).next().unwrap_or_default().to_ascii_lowercase();
        name.len() >= 5 && KNOWN.iter().any(|known| is_one_off(&name, known))
    });
    // One name may be a slip, or a package of that name; two in a line are chosen.
    match near_names.count() {
        0 => {}
        1 => flow.hit(Rule::OddPackage, Severity::Warn, call.range.clone()),
        _ => flow.hit(Rule::OddPackage, Severity::Block, call.range.clone()),
    }
}

/// Whether the path of an address ends in an archive of a package, or is a repository of one.
fn is_archive(path: &str) -> bool {
    let path = path.split(['#', '?']).next().unwrap_or(path).to_ascii_lowercase();
    [".whl", ".tgz", ".tar.gz", ".zip"].iter().any(|ending| path.ends_with(ending)) || path.contains(".git")
}

/// Whether many authors publish code at a host, so that the path and not the host names the author.
fn is_forge(host: &str) -> bool {
    [
        "github.com",
        "githubusercontent.com",
        "gitlab.com",
        "codeberg.org",
        "bitbucket.org",
        "huggingface.co",
        "gitee.com",
    ]
    .iter()
    .any(|forge| host == *forge || host.ends_with(&format!(".{forge}")))
        || host.starts_with("gitlab.")
        || host.starts_with("git.")
}

/// Whether an archive or a repository has the name of a well-known package.
fn renames_known(path: &str) -> bool {
    if !is_archive(path) {
        return false;
    }
    let name = path.split(['#', '?']).next().unwrap_or(path).trim_end_matches('/');
    let name = name.split(".git").next().unwrap_or(name);
    let name = name.rsplit('/').next().unwrap_or(name).to_ascii_lowercase().replace('_', "-");
    KNOWN.iter().any(|known| {
        name.strip_prefix(known).is_some_and(|rest| rest.is_empty() || rest.starts_with(['-', '.', '@']))
    })
}

/// Packages that run or are installed at their newest version, and that the skill does not name to the user.
fn unknown(flow: &mut Flow, fetches: bool, installs: bool, call: &Call) {
    if fetches && is_unpinned(call) {
        let Some(package) = packages(call).next().map(|word| word.text.clone()) else { return };
        let name = bare_name(&package);
        if is_known(&name) || flow.purpose.names_package(&name) || !is_plain(&package) {
            return;
        }
        // A placeholder or a file is not a package of a registry.
        let newest = package.ends_with("@latest") || package.ends_with("@next");
        // These runners never ask.
        let silent = call.has(&["-y", "--yes"]) || matches!(call.program().as_str(), "uvx" | "bunx");
        let severity = if newest || silent { Severity::Warn } else { Severity::Note };
        flow.hit(Rule::UnknownPackage, severity, call.range.clone());
    }
    if installs {
        let foreign = |word: &&Read| {
            let Some(at) = word.text.find("git+") else { return false };
            hosts::addresses(&word.text[at..]).iter().any(|address| {
                !hosts::is_known_project(&address.host, &address.rest)
                    && !flow.purpose.names_project(&address.rest)
                    && !address.rest.contains(['$', '<', '{'])
            }) && !word
                .text
                .rsplit('@')
                .next()
                .is_some_and(|version| version.len() >= 7 && !version.contains('/'))
        };
        if call.plain().any(|word| foreign(&word)) {
            flow.hit(Rule::UnknownPackage, Severity::Note, call.range.clone());
        }
    }
}

/// The package among the arguments of a runner.
fn packages(call: &Call) -> impl Iterator<Item = &Read> {
    call.plain().filter(|word| !matches!(word.text.as_str(), "dlx" | "run" | "exec" | "x"))
}

/// The name of a package without its version.
fn bare_name(package: &str) -> String {
    let end = package
        .get(1..)
        .and_then(|rest| rest.find(['@', '=', '[', '<', '>']))
        .map_or(package.len(), |at| at + 1);
    package[..end].to_ascii_lowercase()
}

/// Whether a text is the name of a package, and not a path, a placeholder or a variable.
fn is_plain(package: &str) -> bool {
    package.len() > 2
        && !package.starts_with(['.', '/', '~'])
        && !package.contains(['$', '<', '{', '(', '\\', ':', '*', '"', '\'', '`', '|', '…'])
        && package.bytes().any(|b| b.is_ascii_lowercase())
}

/// Whether a runner's package is well known.
fn is_known(name: &str) -> bool {
    const RUN: [&str; 74] = [
        "skills",
        "skillful",
        "tsx",
        "ts-node",
        "vite",
        "vitest",
        "jest",
        "mocha",
        "playwright",
        "cypress",
        "next",
        "nuxt",
        "astro",
        "expo",
        "eas-cli",
        "wrangler",
        "vercel",
        "netlify",
        "netlify-cli",
        "firebase-tools",
        "supabase",
        "prisma",
        "drizzle-kit",
        "shadcn",
        "shadcn-ui",
        "tailwindcss",
        "storybook",
        "lerna",
        "turbo",
        "nx",
        "tsc",
        "esbuild",
        "rollup",
        "serve",
        "http-server",
        "lighthouse",
        "depcheck",
        "knip",
        "madge",
        "npm-check-updates",
        "license-checker",
        "semantic-release",
        "husky",
        "lint-staged",
        "commitlint",
        "markdownlint-cli",
        "markdownlint-cli2",
        "remotion",
        "hardhat",
        "degit",
        "tsup",
        "biome",
        "oxlint",
        "stylelint",
        "ruff",
        "black",
        "mypy",
        "pyright",
        "pytest",
        "poetry",
        "pre-commit",
        "cookiecutter",
        "httpie",
        "yt-dlp",
        "jupyter",
        "openapi-typescript",
        "swagger-cli",
        "ccusage",
        "claude-code",
        "repomix",
        "clawhub",
        "molthub",
        "bun",
        "mcporter",
    ];
    const OWNERS: [&str; 43] = [
        "@modelcontextprotocol/",
        "@anthropic-ai/",
        "@openai/",
        "@playwright/",
        "@angular/",
        "@vue/",
        "@nestjs/",
        "@babel/",
        "@types/",
        "@biomejs/",
        "@tailwindcss/",
        "@storybook/",
        "@sentry/",
        "@cloudflare/",
        "@vercel/",
        "@google/",
        "@microsoft/",
        "@azure/",
        "@aws-sdk/",
        "@aws/",
        "@github/",
        "@expo/",
        "@svelte/",
        "@sveltejs/",
        "@prisma/",
        "@redocly/",
        "@stoplight/",
        "@shopify/",
        "@stripe/",
        "@supabase/",
        "@upstash/",
        "@clerk/",
        "@remotion/",
        "@hey-api/",
        "@commitlint/",
        "@changesets/",
        "@eslint/",
        "@mermaid-js/",
        "@tanstack/",
        "@turbo/",
        "@next/",
        "@adobe/",
        "@claude-flow/",
    ];
    name.starts_with("create-")
        || name.starts_with('@') && name.contains("/create-")
        || KNOWN.contains(&name)
        || RUN.contains(&name)
        || OWNERS.iter().any(|owner| name.starts_with(owner))
}

pub(crate) fn is_usual(host: &str) -> bool {
    [
        "download.pytorch.org",
        "registry.npmmirror.com",
        "pypi.tuna.tsinghua.edu.cn",
        "mirrors.aliyun.com",
        "pypi.nvidia.com",
        "github.com",
        "wheels.vllm.ai",
        "huggingface.github.io",
        "data.pyg.org",
        "flashinfer.ai",
        "abetlen.github.io",
        "pypi.anaconda.org",
        "developer.download.nvidia.com",
    ]
    .contains(&host)
        || is_package_index(host)
        || host.ends_with(".amd.com")
        || host.ends_with(".pkg.dev")
        || host.ends_with(".pkg.github.com")
}

/// Whether the package that a runner fetches has no exact version.
fn is_unpinned(call: &Call) -> bool {
    let Some(package) = packages(call).next() else { return false };
    let version =
        package.text.get(1..).and_then(|rest| rest.rsplit_once(['@', '='])).map(|(_, version)| version);
    !version.is_some_and(|version| version.starts_with(|c: char| c.is_ascii_digit()))
}

/// Whether two names differ by one letter changed, left out, added or exchanged with its neighbour.
fn is_one_off(name: &str, known: &str) -> bool {
    if name == known || name.len().abs_diff(known.len()) > 1 {
        return false;
    }
    let (a, b) = (name.as_bytes(), known.as_bytes());
    let same = a.iter().zip(b).take_while(|(x, y)| x == y).count();
    let (left, right) = (&a[same..], &b[same..]);
    match left.len().cmp(&right.len()) {
        std::cmp::Ordering::Equal => {
            left.get(1..) == right.get(1..)
                || (left.len() >= 2 && left[0] == right[1] && left[1] == right[0] && left[2..] == right[2..])
        }
        std::cmp::Ordering::Less => right.get(1..) == Some(left),
        std::cmp::Ordering::Greater => left.get(1..) == Some(right),
    }
}

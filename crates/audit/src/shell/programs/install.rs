//! Packages: from where, which version, whose name.

use super::super::Call;
use crate::{
    flow::{Flow, Origin},
    hosts,
    purpose::is_package_index,
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
            () if index && address.kind == hosts::HostKind::Named && !is_usual(&address.host) => {
                Severity::Warn
            }
            () => Severity::Note,
        };
        if severity > Severity::Note {
            flow.hit(Rule::OddPackage, severity, call.range.clone());
        }
    }
    for word in call.plain() {
        let name =
            word.text.split(['=', '@', '[', '<', '>', '~']).next().unwrap_or_default().to_ascii_lowercase();
        if name.len() >= 5 && KNOWN.iter().any(|known| is_one_off(&name, known)) {
            flow.hit(Rule::OddPackage, Severity::Warn, call.range.clone());
        }
    }
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
        || host.ends_with(".pkg.dev")
        || host.ends_with(".pkg.github.com")
}

/// Whether the package that a runner fetches has no exact version.
fn is_unpinned(call: &Call) -> bool {
    let Some(package) = call.plain().next() else { return false };
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

//! Capabilities in the code of a skill: its files by digest, the hosts that it names, and the programs that run it.
//!
//! A scan, not a parser: it runs over every file of every installed skill. It finds what is written
//! plainly, and the user sees when that grows; the audit looks for what is hidden.

use memchr::memmem;
use skillful_format::{Tree, TreeFile, TreePath, digest_bytes};
use std::collections::BTreeSet;

/// Hosts of one skill that are recorded; further ones are ignored.
const HOSTS: usize = 64;
/// Bytes of a host's name.
const HOST_BYTES: usize = 253;
/// Bytes of a first line that may name a program.
const FIRST_LINE: usize = 256;

/// Endings of prose, tables, pictures, sound, letters and signatures: nothing runs them.
const INERT: [&str; 43] = [
    "md", "markdown", "mdown", "txt", "text", "rst", "adoc", "org", "tex", "bib", "log", "csv", "tsv", "pdf",
    "doc", "docx", "odt", "rtf", "ppt", "pptx", "odp", "xls", "xlsx", "ods", "epub", "png", "jpg", "jpeg",
    "gif", "webp", "bmp", "ico", "tif", "tiff", "avif", "mp3", "mp4", "wav", "ogg", "ttf", "otf", "woff2",
    "sig",
];
/// Endings of data, which counts as a file and does not make a skill one that runs something.
const DATA: [&str; 16] = [
    "json", "jsonl", "yaml", "yml", "toml", "xml", "html", "htm", "css", "svg", "ini", "cfg", "conf", "tmpl",
    "template", "lock",
];
/// Files without an ending, or before their first dot, that are prose.
const PROSE: [&str; 10] = [
    "license",
    "licence",
    "copying",
    "notice",
    "readme",
    "changelog",
    "authors",
    "contributors",
    "version",
    "todo",
];
/// Markdown that an agent takes as instructions where it finds it, or as another skill.
const INSTRUCTIONS: [&str; 13] = [
    "skill.md",
    "agents.md",
    "agents.override.md",
    "agent.md",
    "claude.md",
    "claude.local.md",
    "gemini.md",
    "qwen.md",
    "crush.md",
    "warp.md",
    "codex.md",
    "copilot-instructions.md",
    "conventions.md",
];
/// Sidecars whose fields are sentences of their own.
const SIDECARS: [&str; 4] = ["agents/skillful.yaml", "agents/openai.yaml", "skill.toml", "vars.json"];
/// Files that make a folder a plugin or an extension, with commands, hooks and agents in Markdown and data.
const PLUGINS: [&str; 3] = ["plugin.json", "marketplace.json", "gemini-extension.json"];
/// Data that names commands for the program that reads it.
const NAMES_COMMANDS: [&str; 9] = [
    "package.json",
    "composer.json",
    "deno.json",
    "deno.jsonc",
    "pyproject.toml",
    "cargo.toml",
    "setup.cfg",
    "tox.ini",
    "hooks.json",
];

/// How a digest begins in a sentence.
pub(super) const DIGEST: &str = "sha256:";
/// Files of code that are named one by one; more are named together.
const FILES: usize = 32;
/// How sentences begin that mean that something of the skill runs.
const RUNS: [&str; 5] = ["runs ", "starts ", "brings ", "depends on ", "connects to "];

/// Sentences about the code of a tree: each file by its digest, the hosts and the programs. When the skill runs
/// anything, every file that is not Markdown may be a part of what runs, and so may Markdown that a command names.
pub(super) fn of_code(tree: &Tree, declared: &BTreeSet<String>) -> BTreeSet<String> {
    let (mut hosts, mut said, mut files) = (BTreeSet::new(), BTreeSet::new(), Vec::new());
    let is_run = |one: &&String| RUNS.iter().any(|start| one.starts_with(start));
    let commands: Vec<&String> = declared.iter().filter(is_run).collect();
    let has_code = |(path, file): (&TreePath, &TreeFile)| is_code(path.as_str(), file);
    let runs = !commands.is_empty() || tree.iter().any(has_code);
    let is_plugin = tree.iter().any(|(path, _)| PLUGINS.contains(&last_part(path.as_str())));
    let skill_file = tree.skill_file().map(|(name, _)| name);
    for (path, file) in tree.iter() {
        let program = program_of(&file.bytes);
        if let Some(program) = program {
            said.insert(format!("brings code for {program}"));
        }
        let is_code = program.is_some() || is_code(path.as_str(), file);
        if hosts.len() < HOSTS && is_code {
            hosts_of(&file.bytes, &mut hosts);
        }
        let name = path.as_str().rsplit('/').next().unwrap_or(path.as_str());
        let is_named = || commands.iter().any(|command| command.contains(name));
        let may_run = is_code
            || is_plugin
            || is_instruction(path.as_str())
            || (kind_of(name) == FileKind::Data && !SIDECARS.contains(&path.as_str()))
            || (runs && (!is_markdown(name) || is_named()));
        if may_run && Some(path.as_str()) != skill_file {
            files.push((path.as_str(), digest_bytes(&file.bytes).to_hex()));
        }
    }
    if files.len() <= FILES {
        said.extend(files.iter().map(|(path, digest)| format!("brings file {path}, {DIGEST}{digest}")));
    } else {
        let all: String = files.iter().map(|(path, digest)| format!("{path}\n{digest}\n")).collect();
        let digest = digest_bytes(all.as_bytes()).to_hex();
        said.insert(format!("brings {} files beside its text, {DIGEST}{digest}", files.len()));
    }
    said.extend(hosts.into_iter().map(|host| format!("its code names the host {host}")));
    said
}

fn is_markdown(name: &str) -> bool {
    name.rsplit_once('.').is_some_and(|(_, ending)| ending.eq_ignore_ascii_case("md"))
}

/// Whether an agent or a tool takes a file as instructions or settings where it finds it: by its name, or in a hidden
/// folder, such as `.claude`.
fn is_instruction(path: &str) -> bool {
    let name = last_part(path).to_ascii_lowercase();
    let is_hidden = |part: &str| part.starts_with('.');
    INSTRUCTIONS.contains(&name.as_str())
        || name.ends_with(".instructions.md")
        || path.split('/').any(is_hidden) && ![".gitignore", ".gitattributes"].contains(&path)
}

/// What a file is by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FileKind {
    Inert,
    Data,
    Code,
}

/// A name that is not known is code: what runs it is not known either.
fn kind_of(name: &str) -> FileKind {
    let name = name.to_ascii_lowercase();
    if NAMES_COMMANDS.contains(&name.as_str()) {
        return FileKind::Code;
    }
    let ending = name.rsplit_once('.').map(|(_, ending)| ending);
    let is_prose = || PROSE.contains(&name.split(['.', '-', '_']).next().unwrap_or(&name));
    match ending {
        Some(ending) if INERT.contains(&ending) => FileKind::Inert,
        Some(ending) if DATA.contains(&ending) => FileKind::Data,
        None if is_prose() => FileKind::Inert,
        _ => FileKind::Code,
    }
}

fn is_code(path: &str, file: &TreeFile) -> bool {
    let hidden = path.split('/').any(|part| part.starts_with('.'));
    file.executable || path.starts_with("scripts/") || (!hidden && kind_of(last_part(path)) == FileKind::Code)
}

/// The program of a first line such as `#!/usr/bin/env python3`.
fn program_of(bytes: &[u8]) -> Option<&str> {
    let line = bytes.strip_prefix(b"#!")?;
    let line = &line[..line.len().min(FIRST_LINE)];
    let line = line.split(|byte| *byte == b'\n').next()?;
    let mut words = std::str::from_utf8(line).ok()?.split_whitespace();
    let first = last_part(words.next()?);
    let program = if first == "env" {
        last_part(words.find(|word| !word.starts_with('-') && !word.contains('='))?)
    } else {
        first
    };
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-' | b'+');
    (!program.is_empty() && program.bytes().all(is_plain)).then_some(program)
}

fn last_part(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// The hosts of whatever looks like an address.
fn hosts_of(bytes: &[u8], hosts: &mut BTreeSet<String>) {
    let mut rest = bytes;
    while let Some(at) = memmem::find(rest, b"://") {
        let (scheme, after) = (&rest[..at], &rest[at + 3..]);
        rest = after;
        if !scheme.last().is_some_and(u8::is_ascii_alphabetic) {
            continue;
        }
        let end = after.iter().position(|byte| !is_authority(*byte)).unwrap_or(after.len());
        let authority = &after[..end.min(HOST_BYTES)];
        // The user name before the last `@` is not the host.
        let host = authority.rsplit(|byte| *byte == b'@').next().unwrap_or(authority);
        let host = host.split(|byte| *byte == b':').next().unwrap_or(host);
        let Ok(host) = std::str::from_utf8(host) else { continue };
        let host = host.trim_end_matches('.').to_ascii_lowercase();
        if host.bytes().any(|byte| byte.is_ascii_alphanumeric()) && hosts.len() < HOSTS {
            hosts.insert(host);
        }
    }
}

fn is_authority(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_' | b'@' | b':' | b'%')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capability::sample::tree;

    fn said(files: &[(&str, &str)]) -> Vec<String> {
        let about_files = |one: &String| one.starts_with("brings file");
        of_code(&tree(files), &BTreeSet::new()).into_iter().filter(|one| !about_files(one)).collect()
    }

    #[test]
    fn hosts_and_programs_of_code_are_named_and_those_of_prose_are_not() {
        let code = "#!/usr/bin/env -S python3 -u\nget('https://user:pw@API.example.org:8443/x'); a='http://two.test'\n";
        assert_eq!(
            said(&[("SKILL.md", "see https://docs.example.org"), ("scripts/run", code)]),
            [
                "brings code for python3",
                "its code names the host api.example.org",
                "its code names the host two.test"
            ]
        );
        assert_eq!(
            said(&[("lib/a.js", "fetch(`wss://x.test./a`); '://nothing'; 'https://'")]),
            ["its code names the host x.test"]
        );
    }

    #[test]
    fn strange_first_lines_name_no_program() {
        for text in ["#!", "#!/usr/bin/env", "#! \n", "#!/bin/\u{202e}x", "#!/bin/a b\u{0}c"] {
            assert!(said(&[("x", text)]).iter().all(|said| said == "brings code for a"), "{text:?}");
        }
    }

    #[test]
    fn many_hosts_stay_within_the_bound() {
        let text: String = (0..1_000).map(|at| format!("https://h{at}.test ")).collect();
        assert_eq!(said(&[("scripts/run.sh", &text)]).len(), HOSTS);
    }
}

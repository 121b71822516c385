//! Finds texts that ask the user to download a program and run it.
//!
//! A section is judged by what it names (an archive, a paste site, a page behind "this link"), by
//! what the user is asked to do with it, by a password for an archive, and by its urgency.

use crate::{
    hosts::{self, HostKind},
    lines,
    pattern::pattern,
    purpose,
    report::Severity,
};
use regex::Regex;
use std::{ops::Range, sync::LazyLock};

/// Extensions of programs and of archives that may contain programs.
const ARCHIVES: [&str; 8] = [".zip", ".7z", ".rar", ".tar.gz", ".tgz", ".iso", ".cab", ".gz"];
/// Hosts where anyone can register a name within a minute.
const FREE: [&str; 10] = [
    "vercel.app",
    "netlify.app",
    "pages.dev",
    "web.app",
    "workers.dev",
    "onrender.com",
    "surge.sh",
    "glitch.me",
    "repl.co",
    "free.example.invalid",
];
const PROGRAMS: [&str; 13] = [
    ".exe",
    ".dmg",
    ".pkg",
    ".msi",
    ".scr",
    ".bat",
    ".ps1",
    ".appimage",
    ".deb",
    ".rpm",
    ".jar",
    ".vbs",
    ".command",
];

struct Words {
    password: Regex,
    extract: Regex,
    run_file: Regex,
    paste: Regex,
    visit: Regex,
    press: Regex,
    protection: Regex,
    fetch: Regex,
    /// A program named by its file name.
    named: Regex,
    /// A link whose text is the name of a program.
    linked: Regex,
    /// A request for the password of the machine.
    login: Regex,
    /// A command that downloads and runs something unknown.
    unknown: Regex,
}

static WORDS: LazyLock<Option<Words>> = LazyLock::new(|| {
    let regex = pattern;
    Some(Words {
        fetch: regex(
            r"(?i)\bdownload\w*\b|下载|herunterlad\w*|laden sie|descarg\w*|télécharg\w*|скача\w*|baix\w*",
        )?,
        named: regex(r"(?i)(?:^|[\s`*'\x22(])[\w.-]+\.(?:exe|msi|dmg|pkg|scr|command)\b")?,
        linked: regex(r"(?i)\[[^\]\n]{0,60}\.(?:exe|msi|dmg|pkg|zip|rar|7z)\]\(")?,
        login: regex(
            r"(?i)(?:asks?|prompts?|prompted|asked)\s+(?:you\s+|the user\s+)?for\s+(?:your|the|their|a)\s+(?:\w+\s+)?password|enter\s+(?:your|the)\s+(?:system|login|mac\w*|admin\w*|computer|user|sudo)\s+password",
        )?,
        unknown: regex(
            r"(?i)\bnpx\s+(?:-y\s+|--yes\s+)?[\w@]|\bcurl\s[^\n]{0,200}\|\s*(?:sudo\s+)?(?:ba|z)?sh|\bgit\s+clone\s[^\n]{0,200}(?:&&|\n)[^\n]{0,80}(?:\.sh|install)",
        )?,
        password: regex(
            r"(?i)(?:\bpass(?:word|phrase|wd)?\b|passwort|kennwort|contraseña|senha|mot de passe|пароль|archive code|密码|解压码)\s*(?:is|ist|es|为|是|:|：|=|-|\()?\s*[:`'\x22*]*\s*[`'\x22*]?[A-Za-z0-9!@#$%_.-]{3,}",
        )?,
        extract: regex(
            r"(?i)\b(?:extract|unzip|unpack|unarchive|decompress|untar|entpack|extrai|extraiga|descomprim|décompress|extraire)\w*|распак\w*|解压",
        )?,
        run_file: regex(
            r"(?i)\b(?:run|execute|launch|open|start|double[- ]click|install)\w*\s+(?:on\s+)?(?:the\s+|it\s+|this\s+|that\s+|downloaded\s+|extracted\s+|resulting\s+|included\s+|latest\s+)*(?:executable|installer|binary|exe\b|\.exe|file\b|setup\b|app\b|application|[\w-]+\.(?:exe|dmg|pkg|msi|bat|command|scr))|(?:运行|执行|打开|安装)[^。\n]{0,20}(?:\.exe|\.msi|\.dmg|\.pkg|可执行文件|安装程序)",
        )?,
        paste: regex(
            r"(?i)(?:\b(?:copy|paste|run|execute|enter)\w*\b[^.\n]{0,80}\b(?:terminal|command prompt|powershell|console|shell)\b)|(?:\b(?:terminal|powershell|command prompt)\b[^.\n]{0,60}\b(?:paste|run|execute)\w*\b)|(?:\bpaste\b[^.\n]{0,40}\b(?:and|then)\b[^.\n]{0,20}\b(?:run|enter|execute)\b)|终端[^。\n]{0,30}(?:执行|运行|粘贴)|(?:执行|运行|粘贴)[^。\n]{0,30}终端",
        )?,
        visit: regex(
            r"(?i)\b(?:visit|go to|navigate to|open|follow|copy|see|get|grab|from|at)\b[^.\n]{0,60}(?:\[(?:this|the|here|link|page|install\w*|script|snippet|instructions?|[\w.-]+\.(?:app|com|io|org|net|dev|co|invalid))[^\]]{0,40}\]\(|\b(?:this|the) (?:page|link|site|snippet|url)\b)",
        )?,
        press: regex(
            r"(?i)\b(?:required|requires|must be (?:running|installed)|must (?:first )?(?:install|download|run)|before (?:using|proceeding|continuing|you (?:start|begin|use))|will not (?:work|function)|won'?t (?:work|function)|does not work without|cannot (?:work|function)|important|mandatory|prerequisite\w*|needed for|necessary)\b|必须|前提|使用前",
        )?,
        protection: regex(
            r"(?i)(?:disable|turn off|deactivate|pause|whitelist|add an? exclusion|allow)\b[^.\n]{0,40}\b(?:anti-?virus|defender|gatekeeper|smartscreen|firewall|real-?time protection|security warning|xprotect)|(?:exclusions?|exceptions?|whitelist|allow-?list)\b[^.\n]{0,40}\b(?:anti-?virus|defender|security software|scanner)|xattr\s+-\w*[dc]\w*\s|right[- ]click[^.\n]{0,30}\bopen\b[^.\n]{0,60}(?:unidentified|gatekeeper|warning)|(?:ignore|dismiss|bypass|click through)[^.\n]{0,40}\b(?:security|virus|malware|smartscreen) (?:warning|alert|prompt)",
        )?,
    })
});

/// Judges whether a section asks the user to download and run a program: the position of the
/// address and the severity.
pub(crate) fn look(section: &str) -> Option<(Range<usize>, Severity)> {
    let words = WORDS.as_ref()?;
    // An unknown installer that asks for the password of the machine.
    if let Some(unknown) = words.unknown.find(section)
        && words.login.is_match(section)
    {
        return Some((unknown.range(), Severity::Block));
    }
    if !section.contains("://") {
        return None;
    }
    let addresses = hosts::addresses(section);
    let mut payload = None;
    let mut strength = 0;
    let mut free = false;
    let mut program = false;
    for address in addresses.iter().filter(|address| !purpose::is_unowned(&address.host)) {
        let path = address.rest.split(['?', '#']).next().unwrap_or_default().to_ascii_lowercase();
        let path = path.trim_end_matches([',', '.', ';', ':', '。', '，']);
        let ends = |list: &[&str]| list.iter().any(|ending| path.ends_with(ending));
        // The front page of a free host, from which a program is to be downloaded.
        let before =
            &section[lines::floor(section, address.range.start.saturating_sub(160))..address.range.start];
        let front = matches!(path, "" | "/")
            && FREE.iter().any(|host| address.host.ends_with(host))
            && words.fetch.is_match(before);
        free |= front;
        program |= ends(&PROGRAMS);
        let weight = match address.kind {
            HostKind::Paste | HostKind::Short | HostKind::Bare | HostKind::Share => 3,
            _ if ends(&PROGRAMS) => 2,
            _ if ends(&ARCHIVES) => 2,
            HostKind::Local | HostKind::Metadata => 0,
            _ => 1,
        };
        if weight > strength {
            strength = weight;
            payload = Some(address.range.clone());
        }
    }
    if strength == 1 && words.linked.is_match(section) {
        strength = 2;
    }
    let payload = payload?;
    let near =
        |regex: &Regex| regex.find_iter(section).any(|found| found.start().abs_diff(payload.start) < 600);
    let extract = near(&words.extract);
    // A password counts next to an archive; elsewhere it is the reader's own.
    let beside = |at: usize| words.extract.find_iter(section).any(|found| found.start().abs_diff(at) < 150);
    let password = strength >= 2
        && words
            .password
            .find_iter(section)
            .any(|found| found.start().abs_diff(payload.start) < 400 && beside(found.start()));
    let run_file = near(&words.run_file);
    let paste = near(&words.paste);
    let press = words.press.is_match(section);
    let protection = words.protection.is_match(section);
    let visit = near(&words.visit);
    let named = near(&words.named);
    let severity = match () {
        () if password && (extract || run_file || named) => Severity::Block,
        () if protection && (program || (strength >= 2 && named)) => Severity::Block,
        () if free && press => Severity::Block,
        () if strength == 3 && (paste || run_file || (extract && press)) => Severity::Block,
        () if protection && (run_file || paste) && strength >= 1 => Severity::Block,
        () if strength == 2 && run_file && press && extract => Severity::Block,
        () if visit && paste && press => Severity::Block,
        () if strength == 2 && run_file => Severity::Warn,
        () if visit && paste => Severity::Warn,
        () => return None,
    };
    Some((payload, severity))
}

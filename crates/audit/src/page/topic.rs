//! Determines the topic of a skill or a line: a page about security shows attacks, a warning shows
//! what not to do.

use crate::pattern::pattern;
use regex::Regex;
use skillful_format::Manifest;
use std::sync::LazyLock;

/// Words that mark a skill as being about security.
const SECURITY: [&str; 44] = [
    "privesc",
    "exploiting",
    "exploits",
    "pentesting",
    "hacking",
    "suid",
    "hunting",
    "adversary",
    "mitre",
    "siem",
    "soc",
    "dfir",
    "lolbins",
    "exploitation",
    "evasion",
    "red-teaming",
    "ransomware",
    "phishing",
    "security",
    "pentest",
    "penetration",
    "vulnerability",
    "vulnerabilities",
    "malware",
    "threat",
    "exploit",
    "injection",
    "red-team",
    "redteam",
    "forensics",
    "forensic",
    "incident",
    "ctf",
    "hardening",
    "sigma",
    "yara",
    "osint",
    "attack",
    "adversarial",
    "offensive",
    "secrets",
    "audit",
    "guardrails",
    "prompt-injection",
];

/// Whether a skill says that it is about security. Its pages then show attacks and get lower
/// severities; its scripts, hooks and hidden parts do not.
pub(crate) fn is_security_skill(manifest: &Manifest) -> bool {
    let name = manifest.name.as_deref().unwrap_or_default().to_ascii_lowercase();
    let description = manifest.description.as_deref().unwrap_or_default().to_ascii_lowercase();
    let words = |text: &str| {
        let mut found: Vec<&str> = text
            .split(|c: char| !c.is_alphanumeric() && c != '-')
            .filter(|word| SECURITY.contains(word))
            .collect();
        found.sort_unstable();
        found.dedup();
        found.len()
    };
    let named = name.split(['-', '_', ':', ' ']).any(|part| SECURITY.contains(&part));
    words(&description) + usize::from(named) * 2 >= 2
}

/// Whether a text marks an example that must not be followed.
pub(super) fn shows_wrong(text: &str) -> bool {
    static WRONG: LazyLock<Option<Regex>> = LazyLock::new(|| {
        pattern(
            r"(?i)❌|🚫|⛔|\b(?:never|don'?t|do not|avoid|wrong|bad|unsafe|insecure|dangerous|destructive|anti-?patterns?|forbidden|prohibited|blocked|denied|deny|must not|not allowed|reject\w*|refuse\w*|warning signs?|red flags?|smells?|pitfalls?|risky|banned|disallow\w*)\b",
        )
    });
    WRONG.as_ref().is_some_and(|regex| regex.is_match(text))
}

//! Where a sentence sends something.

use super::table::To;
use crate::{
    flow, hosts, lines,
    prose::harms::is_foreign_mail,
    purpose::{self, Purpose},
};
use regex::Regex;
use std::sync::LazyLock;

/// Where a sentence sends something.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Destination {
    /// A host or mailbox that has nothing to do with the skill.
    foreign: bool,
    /// A number of an account, or an address of a wallet.
    account: bool,
    /// Another folder than the one named first.
    folder: bool,
    /// A foreign host in any place but a link.
    page: bool,
    /// Any host but this machine and examples.
    host: bool,
    /// Any fixed mailbox.
    mailbox: bool,
    /// A name of its own inside the sentence, or an address.
    named: bool,
}

impl To {
    pub(super) fn is_met(self, to: Destination) -> bool {
        match self {
            Self::Anywhere => true,
            Self::Foreign => to.foreign,
            Self::Account => to.account,
            Self::Elsewhere => to.foreign || to.folder,
            Self::Named => to.named,
            Self::Page => to.page,
            Self::Host => to.host,
            Self::Mailbox => to.mailbox,
        }
    }
}

pub(super) fn destination_of(sentence: &str, purpose: &Purpose, is_gloss: bool) -> Destination {
    static ACCOUNT: LazyLock<Option<Regex>> = LazyLock::new(|| {
        crate::pattern::pattern(
            r"\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){3,7}(?: ?[A-Z0-9]{1,4})?\b|\b0x[0-9a-fA-F]{40}\b|\bbc1[a-z0-9]{25,60}\b|\baccount \d[\d-]{5,}",
        )
    });
    static HANDLE: LazyLock<Option<Regex>> = LazyLock::new(|| {
        crate::pattern::pattern(
            r"(?i)@\w+_bot\b|\bt\.me/|\\\\\d+\.\d+\.\d+\.\d+\\|\b(?:rtmp|ftp|sftp|stratum\+tcp|tcp)://[a-z0-9.-]+\.[a-z]{2,}|\b[a-z0-9_.-]+@[a-z0-9-]+(?:\.[a-z0-9-]+)+:[/~]|discord\.com/api/webhooks/\d|hooks\.slack\.com/services/t[a-z0-9]|api\.telegram\.org/bot\d|\b(?:to|at|with|server)\s+[`'\x22]?(?:[1-9]|[2-9]\d|1[013-689]\d|12[0-689]|17[013-9]|19[013-9]|2[0-4]\d|25[0-4])\.\d{1,3}\.\d{1,3}\.\d{1,3}\b",
        )
    });
    static FOLDER: LazyLock<Option<Regex>> = LazyLock::new(|| {
        crate::pattern::pattern(
            r"(?i)(?:\bto\s+[`'\x22]?|\s)/(?:mnt|srv|tmp|var/www|public|shared|volumes|media|net)/",
        )
    });
    static NAME: LazyLock<Option<Regex>> = LazyLock::new(|| {
        crate::pattern::pattern(r"[a-z0-9,:] [A-Z][a-z]+[a-zA-Z]{2,}|[a-z]+\.(?:com|net|org|io|cc)\b")
    });
    let is = |regex: &LazyLock<Option<Regex>>| regex.as_ref().is_some_and(|regex| regex.is_match(sentence));
    // A gloss keeps no prepositions.
    let page = foreign_hosts(sentence, purpose).next().is_some();
    Destination {
        foreign: (is_gloss && (page || is_foreign_mail(sentence, purpose)))
            || leads_to_foreign_host(sentence, purpose)
            || leads_to_foreign_mail(sentence, purpose)
            || is(&HANDLE),
        page,
        host: hosts::addresses(sentence)
            .iter()
            .any(|address| address.kind != hosts::HostKind::Local && !purpose::is_example(&address.host)),
        mailbox: is_foreign_mail(sentence, &Purpose::default()),
        account: is(&ACCOUNT),
        folder: is(&FOLDER),
        named: is(&NAME),
    }
}

/// Whether a sentence leads to a host that has nothing to do with the skill: `to https://…`, not a link to a page.
fn leads_to_foreign_host(sentence: &str, purpose: &Purpose) -> bool {
    foreign_hosts(sentence, purpose).any(|start| is_led_to(&sentence[..start]))
}

/// Where a sentence has addresses of foreign hosts that are not links.
fn foreign_hosts<'a>(sentence: &'a str, purpose: &'a Purpose) -> impl Iterator<Item = usize> + 'a {
    hosts::addresses(sentence).into_iter().filter_map(move |address| {
        let start = lines::floor(sentence, address.range.start);
        let is_link = sentence[..start].ends_with(['(', '<']);
        let is_foreign = address.kind.is_suspicious() || flow::is_foreign(&address.host, purpose);
        (!is_link && is_foreign).then_some(start)
    })
}

fn leads_to_foreign_mail(sentence: &str, purpose: &Purpose) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-' | '+' | '@');
    sentence.match_indices('@').any(|(at, _)| {
        let start = sentence[..at]
            .rfind(|c: char| !is_part(c))
            .map_or(0, |from| from + sentence[from..].chars().next().map_or(1, char::len_utf8));
        let end = sentence[at..].find(|c: char| !is_part(c)).map_or(sentence.len(), |to| at + to);
        let is_filled_in = sentence[start..at].contains(|c: char| c.is_ascii_uppercase());
        start < at
            && !is_filled_in
            && is_led_to(&sentence[..start])
            && is_foreign_mail(&sentence[start..end], purpose)
    })
}

/// Whether the words before an address say that something goes there.
fn is_led_to(before: &str) -> bool {
    const TOWARD: [&str; 25] = [
        "to",
        "into",
        "onto",
        "in",
        "on",
        "with",
        "via",
        "through",
        "bcc:",
        "cc:",
        "bcc",
        "and",
        "for",
        "account",
        "recipient",
        "give",
        "grant",
        "add",
        "invite",
        "include",
        "server",
        "registry",
        "webhook",
        "proxy",
        "-t",
    ];
    let before = before.trim_end_matches(|c: char| c.is_whitespace() || matches!(c, '`' | '"' | '\'' | '*'));
    let word = before.rsplit(|c: char| c.is_whitespace()).next().unwrap_or_default().to_ascii_lowercase();
    TOWARD.contains(&word.as_str())
}

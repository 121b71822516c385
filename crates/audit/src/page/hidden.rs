//! Judges what a page hides from a user who looks at it: comments, invisible elements, titles,
//! images.

use super::{Looker, SECTION};
use crate::{
    file::{File, Text},
    flow::{self, Flow, Origin},
    hosts, lines,
    markdown::Piece,
    pattern::pattern,
    prose::{self, Voice},
    purpose::{self, Purpose},
    report::Severity,
    rule::Rule,
    sensitive, shell,
};
use regex::Regex;
use std::{
    ops::Range,
    sync::{Arc, LazyLock},
};

impl Looker<'_, '_> {
    /// Link definitions, which a rendered page does not show.
    pub(super) fn definitions(&mut self, start: usize) {
        static DEFINITION: LazyLock<Option<Regex>> = LazyLock::new(|| {
            pattern(r#"(?m)^ {0,3}\[[^\]\n]{1,60}\]:[ \t]*\S{1,300}[ \t]+["'(]([^\n]{12,1000})["')][ \t]*$"#)
        });
        let Some(regex) = DEFINITION.as_ref() else { return };
        let plain = self.text.plain;
        for found in regex.captures_iter(&plain[start..]).filter_map(|found| found.get(1)) {
            let Some(severity) = instructs(found.as_str(), self.file.purpose) else { continue };
            let severity = if self.file.about_attacks { severity.shown() } else { severity };
            self.file.emit(
                self.text,
                Rule::HiddenText,
                severity,
                &(start + found.start()..start + found.end()),
            );
        }
    }

    /// Images in HTML, and in Markdown inside backticks, that send data away.
    pub(super) fn beacons(&mut self, range: &Range<usize>) {
        static PICTURE: LazyLock<Option<Regex>> = LazyLock::new(|| {
            pattern(
                r#"(?i)<img\b[^>]{0,200}\bsrc\s*=\s*["']?(https?://[^"'\s]{1,400})|!\[[^\]\n]{0,80}\]\((https?://[^)\s`]{1,400}(?: [^)`\n]{1,120})?)"#,
            )
        });
        let Some(regex) = PICTURE.as_ref() else { return };
        let part = self.slice(range).to_owned();
        for found in regex.captures_iter(&part) {
            let Some(target) = found.get(1).or_else(|| found.get(2)) else { continue };
            if carries(target.as_str()) {
                let at = range.start + target.start()..range.start + target.end();
                self.file.emit(self.text, Rule::ImageChannel, Severity::Block, &at);
            }
        }
    }

    pub(super) fn html(&mut self, range: &Range<usize>, about: bool) {
        self.beacons(range);
        let (text, whole) = (self.text, range.clone());
        self.file.patterns(text, whole, false, about);
        // The text of an element inside a sentence follows its tag.
        let rest = &self.text.plain[range.end..];
        let end = range.end + rest.find("\n\n").unwrap_or(rest.len()).min(lines::floor(rest, SECTION));
        for hidden in hidden_parts(self.slice(&(range.start..end))) {
            let at = range.start + hidden.start..range.start + hidden.end;
            if let Some(severity) = instructs(self.slice(&at), self.file.purpose) {
                let severity = if about { severity.shown() } else { severity };
                self.file.emit(self.text, Rule::HiddenText, severity, &at);
            }
        }
    }

    pub(super) fn link(&mut self, piece: &Piece, target: &str, title: &str, image: bool) {
        let holes = carries(target);
        let lower = target.to_ascii_lowercase();
        if (image || target.contains("CONVERSATION")) && holes && lower.starts_with("http") {
            let local = hosts::addresses(target).iter().all(|address| address.kind == hosts::HostKind::Local);
            let severity = if local { Severity::Warn } else { Severity::Block };
            self.file.emit(self.text, Rule::ImageChannel, severity, &piece.range);
        }
        let alt = self.slice(&piece.range).to_owned();
        let shown = if image {
            format!("{}\n{title}", alt.split("](").next().unwrap_or_default().trim_start_matches("!["))
        } else {
            title.to_owned()
        };
        if shown.len() > 20 && instructs(&shown, self.file.purpose) == Some(Severity::Block) {
            self.file.emit(self.text, Rule::HiddenText, Severity::Block, &piece.range);
        }
    }
}

/// Reports forms that send a password to a host that the skill has no reason to reach.
pub(super) fn forms(file: &mut File<'_>, text: &Text<'_>) {
    static FORM: LazyLock<Option<Regex>> =
        LazyLock::new(|| pattern(r#"(?i)<form\b[^>]{0,200}\baction\s*=\s*["']?(https?://[^"'\s>]{1,300})"#));
    if !text.plain.contains("password") {
        return;
    }
    for found in FORM.as_ref().into_iter().flat_map(|regex| regex.captures_iter(text.plain)) {
        let Some(target) = found.get(1) else { continue };
        let rest = &text.plain[target.end()..];
        let form = &rest[..rest.find("</form").unwrap_or(rest.len()).min(lines::floor(rest, SECTION))];
        let foreign = hosts::addresses(target.as_str())
            .iter()
            .any(|address| address.kind.is_suspicious() || flow::is_foreign(&address.host, file.purpose));
        if foreign && form.contains("password") {
            file.emit(text, Rule::Deceives, Severity::Block, &target.range());
        }
    }
}

/// Reports scripts of a page that send what a user types into a password field to a host that no service owns.
pub(super) fn sending_scripts(file: &mut File<'_>, text: &Text<'_>) {
    static SEND: LazyLock<Option<Regex>> = LazyLock::new(|| {
        pattern(
            r#"(?i)(?:sendBeacon|fetch|XMLHttpRequest|new Image|\.src\s*=|\.open)\b[^\n]{0,80}?(https?://[^'"`\s]{4,200})"#,
        )
    });
    let lower = text.plain.to_ascii_lowercase();
    if !lower.contains("type=\"password\"") && !lower.contains("document.cookie") {
        return;
    }
    for found in SEND.as_ref().into_iter().flat_map(|regex| regex.captures_iter(text.plain)) {
        let Some(target) = found.get(1) else { continue };
        let away = hosts::addresses(target.as_str()).iter().any(|address| {
            address.kind.is_suspicious()
                || (address.kind == hosts::HostKind::Named
                    && !purpose::is_service(&address.host)
                    && !purpose::is_example(&address.host)
                    && !purpose::is_placeholder(&address.host))
        });
        if away {
            file.emit(text, Rule::Deceives, Severity::Block, &target.range());
        }
    }
}

/// Whether an address has placeholders for private data.
fn carries(target: &str) -> bool {
    const PRIVATE: [&str; 26] = [
        "conversation",
        "history",
        "secret",
        "token",
        "password",
        "base64",
        "context",
        "summary",
        "env",
        "api_key",
        "apikey",
        "credential",
        "transcript",
        "message",
        "user_data",
        "stolen",
        "exfil",
        "document_text",
        "prompt",
        "file_content",
        "last answer",
        "user's",
        "what the user",
        "url-encoded",
        "urlencoded",
        "clipboard",
    ];
    let lower = target.to_ascii_lowercase().replace("%7b", "{").replace("%7d", "}");
    let holes = lower.split(['{', '<', '[', '$']).skip(1).any(|hole| {
        let hole = hole.trim_start_matches(['{', '(']).split(['}', '>', ']', '&']).next().unwrap_or_default();
        PRIVATE.iter().any(|word| hole.contains(word))
    });
    // A name in capitals is a placeholder.
    let values = target.split_once('?').map_or("", |(_, query)| query);
    holes
        || values.split('&').filter_map(|pair| pair.split_once('=')).any(|(_, value)| {
            value.len() > 8
                && value.bytes().all(|b| b.is_ascii_uppercase() || b == b'_')
                && ["CONVERSATION", "SECRET", "PASSWORD", "CREDENTIAL", "TRANSCRIPT", "HISTORY"]
                    .iter()
                    .any(|word| value.contains(word))
        })
}

/// Parts of HTML that a browser does not show, as ranges of the text.
pub(super) fn hidden_parts(html: &str) -> Vec<Range<usize>> {
    static STYLE: LazyLock<Option<Regex>> = LazyLock::new(|| {
        pattern(
            r"(?is)<(?:span|div|details|desc|p|section|font|b|i|small|td|li|a)\b[^>]*(?:display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0|opacity\s*:\s*0(?:\.0+)?\s*[;'\x22]|color\s*:\s*(?:white|#fff(?:fff)?|transparent)|left\s*:\s*-\d{3,}|height\s*:\s*0|\bhidden\b)[^>]*>(.{0,800}?)(?:</(?:span|div|details|desc|p|section|font|b|i|small|td|li|a)>|\z)",
        )
    });
    // Attributes that a page shows on request, or never.
    static ATTRIBUTE: LazyLock<Option<Regex>> = LazyLock::new(|| {
        pattern(
            r#"(?i)\s(?:alt|title|aria-(?:label|description)|data-[a-z-]{1,30}|placeholder|summary|content)\s*=\s*(?:"([^"]{20,1000})"|'([^']{20,1000})')"#,
        )
    });
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(at) = html[from..].find("<!--").map(|at| from + at) {
        let end = html[at..].find("-->").map_or(html.len(), |end| at + end);
        found.push(at + 4..end.max(at + 4).min(html.len()));
        from = end.max(at + 4).min(html.len());
    }
    if let Some(attribute) = ATTRIBUTE.as_ref().filter(|_| html.contains('=')) {
        let values = attribute.captures_iter(html).filter_map(|found| found.get(1).or_else(|| found.get(2)));
        found.extend(values.map(|value| value.range()));
    }
    if let Some(style) = STYLE.as_ref() {
        found.extend(
            style.captures_iter(html).filter_map(|captures| captures.get(1)).map(|inside| inside.range()),
        );
    }
    found
}

/// Whether a hidden text asks for a credential file.
fn reads_credentials(text: &str) -> bool {
    const VERBS: [&str; 10] =
        ["read", "send", "copy", "include", "open", "print", "upload", "post", "collect", "show"];
    let word = |text: &str, known: &[&str]| known.iter().any(|one| text.eq_ignore_ascii_case(one));
    let words = || text.split(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | ',' | ';' | '`'));
    // "Do not include": the two words before a verb.
    let mut before = ["", ""];
    let is_asked = words().any(|part| {
        let asked =
            word(part, &VERBS) && !before.iter().any(|one| word(one, &["not", "never", "don't", "without"]));
        before = [before[1], part];
        asked
    });
    is_asked
        && words().any(|part| {
            part.contains(['/', '.']) && (sensitive::is_credential(part) || sensitive::is_dotenv(part))
        })
}

/// The severity of a hidden text that gives an agent an instruction.
pub(super) fn instructs(text: &str, purpose: &Arc<Purpose>) -> Option<Severity> {
    static ORDER: LazyLock<Option<Regex>> = LazyLock::new(|| {
        pattern(
            r"(?i)\b(?:do not (?:tell|mention|inform|reveal)|don'?t (?:tell|mention|inform|reveal)|without (?:telling|informing|asking)|secretly|silently|ignore (?:the|all|any|previous)|you must (?:always|never|first|now)|(?:assistant|agent|model|ai|claude|gpt|llm|system)s?\s*[:,-]\s*(?:you|your|please|always|never|before|after|when|whenever|then|next|the next|first|finally|to |in |for |if |run|execute|send|ignore|also|must|look|read|include|add|append|forward|copy|open|use|call|fetch|post|put|make|answer|reply|write|load))",
        )
    });
    if text.trim().len() < 12 {
        return None;
    }
    if reads_credentials(text) {
        return Some(Severity::Block);
    }
    let matches = prose::look(text, Voice::Instructs, purpose);
    if matches.iter().any(|matched| matched.severity >= Severity::Warn) {
        return Some(Severity::Block);
    }
    let mut flow = Flow::new(Origin::Auto, purpose);
    for line in text.lines() {
        shell::read(line.trim(), &mut flow);
        // The command may be anywhere in the sentence.
        for program in [
            "curl ", "wget ", "bash ", "rm -", "tar ", "cat ", "zip ", "env |", "printenv", "find ", "python",
        ] {
            if let Some(at) = line.find(program) {
                shell::read(&line[at..], &mut flow);
            }
        }
    }
    if flow.hits.iter().any(|hit| hit.severity == Severity::Block) {
        return Some(Severity::Block);
    }
    if ORDER.as_ref().is_some_and(|regex| regex.is_match(text)) {
        let acts = [
            "http://",
            "https://",
            "curl",
            "run ",
            "execute",
            "send",
            "upload",
            "delete",
            "credential",
            "password",
            "token",
            "secret",
            ".env",
            ".ssh",
            "forward",
            "tool call",
            "load ",
            "fetch",
            "pip install",
            "npm install",
            "e-mail",
            "mailbox",
        ];
        let lower = text.to_ascii_lowercase();
        let acts = acts.iter().filter(|word| lower.contains(**word)).count();
        return Some(if acts >= 1 { Severity::Block } else { Severity::Warn });
    }
    None
}

//! Judges code on a page: blocks, and commands in sentences.

use super::{Looker, carried::Family, planted_orders, topic::shows_wrong};
use crate::{
    flow::{Flow, Origin},
    lines, markdown,
    prose::{self, Voice},
    report::Severity,
    rule::Rule,
    script::{self, Language, nearby::Reading},
    sensitive, shell,
};
use std::ops::Range;

impl Looker<'_, '_> {
    pub(super) fn code(&mut self, language: &str, code: &str, places: &[(usize, usize)], shown: bool) {
        let place = |range: &Range<usize>| {
            markdown::place(places, range.start)..markdown::place(places, range.end.saturating_sub(1)) + 1
        };
        let mut flow = Flow::new(Origin::Block, self.file.purpose);
        // What a page shows as an attack is not a step of the session.
        let family = family(language).filter(|_| !shown);
        if let Some(family) = family {
            self.carried.lend(family, &mut flow);
        }
        match language {
            language if is_shell(language) => shell::read(code, &mut flow),
            "" | "text" | "txt" | "plaintext" if is_command_like(code) => shell::read(code, &mut flow),
            "python" | "py" | "python3" => {
                script::read(code, Language::Python, &mut flow);
            }
            "javascript" | "js" | "typescript" | "ts" | "jsx" | "tsx" | "node" | "mjs" => {
                script::read(code, Language::JavaScript, &mut flow);
            }
            "powershell" | "ps1" | "pwsh" | "ps" | "bat" | "batch" | "cmd" | "ruby" | "rb" | "php" | "go"
            | "perl" | "applescript" | "rust" | "lua" | "vbs" => {
                script::without_grammar::read(code, &mut flow);
            }
            _ => {
                for (_, command) in crate::embedded_text::one_liners(code) {
                    shell::read(&command, &mut flow);
                }
            }
        }
        if matches!(family, Some(Family::Python | Family::JavaScript)) {
            // An agent that follows the page runs such a line, whatever the fence says.
            if let Some(commands) = command_lines(code) {
                shell::read(&commands, &mut flow);
            }
        }
        let text = self.text;
        let weigh = |severity: Severity, at: usize| {
            let from = code[..lines::floor(code, at)]
                .trim_end_matches(|c| c != '\n')
                .trim_end_matches('\n')
                .rfind('\n')
                .map_or(0, |at| at + 1);
            let to = code[lines::floor(code, at)..]
                .find('\n')
                .map_or(code.len(), |end| lines::floor(code, at) + end);
            let marked = code.get(from..to).is_some_and(|near| {
                near.lines().any(|line| line.contains(['#', '/', '❌']) && shows_wrong(comment(line)))
            });
            if shown || marked { severity.shown() } else { severity }
        };
        self.file.flow(text, &flow, |hit| (weigh(hit.severity, hit.range.start), place(&hit.range)));
        if let Some(family) = family {
            self.carried.take(family, &mut flow);
        }
        if family.is_some()
            || !matches!(language, "markdown" | "md" | "json" | "yaml" | "yml" | "toml" | "xml")
        {
            for (rule, severity, range) in script::together::look(code, self.file.purpose) {
                let severity = if self.file.about_attacks { severity.lower() } else { severity };
                self.file.emit(text, rule, weigh(severity, range.start), &place(&range));
            }
        }
        for (rule, severity, range) in crate::text::look(code, true, self.file.purpose) {
            let severity = if rule == Rule::HardSecret { severity } else { weigh(severity, range.start) };
            self.file.emit(text, rule, severity, &place(&range));
        }
        if !matches!(language, "python" | "py" | "python3" | "javascript" | "js" | "ts" | "typescript")
            && let Some((rule, severity, range)) =
                script::nearby::look(code, Reading::Shown, self.file.purpose)
        {
            let severity = if self.file.about_attacks { severity.lower() } else { severity };
            self.file.emit(text, rule, weigh(severity, range.start), &place(&range));
        }
        for range in crate::split_text::look(code) {
            self.file.emit(text, Rule::Obfuscated, weigh(Severity::Block, range.start), &place(&range));
        }
        for (at, comment) in comments(code) {
            let is_order = addresses_agent(comment) || is_sentence(comment);
            let voice = if is_order { Voice::of(shown) } else { Voice::Remarks };
            for matched in prose::look(comment, voice, self.file.purpose) {
                let range = at + matched.range.start..at + matched.range.end;
                self.file.emit(text, matched.rule, matched.severity, &place(&range));
            }
        }
        for disguise in text.disguises(&place(&(0..code.len()))) {
            // A name in a command is resolved elsewhere; a name in a program only has to match
            // itself.
            let severity = if is_shell(language) { Severity::Block } else { Severity::Warn };
            self.file.hidden(text, disguise, severity);
        }
    }

    /// Judges a text that the page says to write into the instructions of an agent.
    pub(super) fn planted(&mut self, language: &str, code: &str, place: &Range<usize>, shown: bool) {
        if !matches!(language, "markdown" | "md" | "mdc" | "text" | "txt" | "" | "yaml") {
            return;
        }
        let order = &self.text.plain[..place.start];
        let order = &order[lines::floor(order, order.len().saturating_sub(240))..];
        if !asks_to_write(order) || shown {
            return;
        }
        for (rule, _) in planted_orders::look(code, self.file.purpose) {
            self.file.emit(self.text, rule, Severity::Block, place);
        }
    }

    pub(super) fn inline(&mut self, range: &Range<usize>, shown: bool) {
        self.beacons(range);
        let code = self.slice(range).trim_matches('`').to_owned();
        if code.len() < 8 || !is_command_like(&code) {
            return;
        }
        let line_start = self.text.plain[..range.start].rfind('\n').map_or(0, |at| at + 1);
        // A command on a line of its own belongs to the sentence above it.
        let alone = self.slice(&(line_start..range.start)).trim().is_empty() && line_start > 0;
        let line_start = match self.text.plain[..line_start.saturating_sub(1)].rfind('\n') {
            Some(above) if alone => above + 1,
            _ => line_start,
        };
        let before = self.slice(&(line_start..range.start));
        let before = &before[lines::floor(before, before.len().saturating_sub(160))..];
        // A command in a sentence is more often explained than requested.
        let asks = prose::asks_to_run(before) || before.trim_end().ends_with(':');
        let shown = shown || shows_wrong(before) || prose::is_about_attacks(before);
        let weigh = |severity: Severity| match (asks, shown) {
            (false, _) => severity.lower(),
            (true, true) => severity.shown(),
            (true, false) => severity,
        };
        let mut flow = Flow::new(Origin::Block, self.file.purpose);
        shell::read(&code, &mut flow);
        for (rule, severity, _) in crate::text::look(&code, true, self.file.purpose) {
            self.file.emit(self.text, rule, weigh(severity), range);
        }
        self.file.flow(self.text, &flow, |hit| (weigh(hit.severity), range.clone()));
    }
}

/// Whether a sentence asks to write instructions of an agent.
fn asks_to_write(order: &str) -> bool {
    let lower = order.to_ascii_lowercase();
    let title = lower.trim_end().trim_end_matches('`').trim_end().rsplit('\n').find(|line| line.len() > 3);
    // A heading that is the name of the file: "### File 4: `MEMORY.md`".
    let is_title = title
        .is_some_and(|line| (line.starts_with('#') || line.starts_with("**")) && sensitive::is_agent(line));
    is_title
        || sensitive::is_agent(&lower)
            && [
                "create",
                "write",
                "append",
                "add ",
                "put ",
                "save",
                "insert",
                "following content",
                "paste",
                "install",
            ]
            .iter()
            .any(|verb| lower.contains(verb))
}

/// The lines of a block of another language that are commands for a shell, at their places; the rest is blank.
fn command_lines(code: &str) -> Option<String> {
    let begins_line =
        |at: usize| code[..at].rsplit('\n').next().is_none_or(|before| before.trim().is_empty());
    let hits = crate::embedded_text::one_liners(code).into_iter().map(|(range, _)| range);
    let found: Vec<Range<usize>> = hits.filter(|range| begins_line(range.start)).collect();
    let blank = |(at, byte): (usize, u8)| {
        let stays = byte == b'\n' || found.iter().any(|range| range.contains(&at));
        if stays { byte } else { b' ' }
    };
    let shown = || String::from_utf8(code.bytes().enumerate().map(blank).collect()).ok();
    if found.is_empty() { None } else { shown() }
}

/// Languages whose blocks share variables.
fn family(language: &str) -> Option<Family> {
    match language {
        language if is_shell(language) && language != "dockerfile" => Some(Family::Shell),
        "python" | "py" | "python3" => Some(Family::Python),
        "javascript" | "js" | "typescript" | "ts" | "jsx" | "tsx" | "node" | "mjs" => {
            Some(Family::JavaScript)
        }
        _ => None,
    }
}

/// The comment of a line of code, or the whole line if it is marked as one.
fn comment(line: &str) -> &str {
    line.find(['#', '❌']).or_else(|| line.find("//")).map_or("", |at| &line[at..])
}

/// Comments that are long enough to contain a request.
fn comments(code: &str) -> Vec<(usize, &str)> {
    const LEAST: usize = 32;
    let mut at = 0;
    let mut found = Vec::new();
    for line in code.split_inclusive('\n') {
        let text = line.trim_start().trim_start_matches(['#', '/', '*', '-', ';', ' ']);
        let trimmed = line.trim_start();
        let marked = ["#", "//", "*", "--", ";"].iter().any(|mark| trimmed.starts_with(mark));
        if marked && text.trim_end().len() >= LEAST {
            found.push((at + line.len() - text.len(), text.trim_end()));
        }
        at += line.len();
    }
    found
}

/// Whether a comment addresses an agent.
fn addresses_agent(comment: &str) -> bool {
    let lower = comment.to_ascii_lowercase();
    ["assistant", "agent", "claude", " ai ", "llm", "the user", "previous instructions"]
        .iter()
        .any(|word| lower.contains(word))
        || lower.starts_with("ai ")
}

/// Whether a comment is a whole sentence, as instructions are: a remark about code seldom is.
fn is_sentence(comment: &str) -> bool {
    const WORDS: usize = 7;
    comment.starts_with(|c: char| c.is_uppercase())
        && comment.trim_end().ends_with(['.', '!'])
        && comment.split_whitespace().count() >= WORDS
}

fn is_shell(language: &str) -> bool {
    matches!(
        language,
        "sh" | "bash"
            | "zsh"
            | "shell"
            | "console"
            | "terminal"
            | "shell-session"
            | "shellscript"
            | "fish"
            | "dockerfile"
    )
}

/// Whether a text without a language may contain commands.
fn is_command_like(code: &str) -> bool {
    [
        "curl",
        "wget",
        "base64",
        "rm -",
        "bash",
        "sh ",
        "nc ",
        "eval",
        "python",
        "crontab",
        "ssh",
        "dig ",
        "pip ",
        "npm ",
        "npx ",
        "uvx ",
        "bunx ",
        "pnpm ",
        "chmod",
        "cat ",
        "scp ",
        "xmrig",
        "dd ",
        "claude ",
        "powershell",
        "osascript",
        "xattr",
        "env ",
        "mshta",
        "rundll32",
        "regsvr32",
        "msiexec",
        "iwr ",
        "irm ",
        "iex",
        "git ",
        "certutil",
        "yes >",
        "ngrok",
        "rsync",
        "psql",
        "kubectl",
        "docker",
    ]
    .iter()
    .any(|word| code.contains(word))
}

//! A page of Markdown, or other text that a model reads: what it says, shows and hides.

use crate::{
    file::{File, Text},
    flow::{Flow, Origin},
    hosts, lines, lure,
    markdown::{self, Page, Part, Piece},
    prose,
    report::{Powers, Severity},
    rule::Rule,
    script::{self, Language},
    shell,
};
use regex::Regex;
use skillful_format::{Document, Manifest};
use std::{ops::Range, sync::LazyLock};

/// Bytes of a section, with the sections inside it, that are weighed as one.
const SECTION: usize = 4_000;

/// Words that say that a skill is about security.
const SECURITY: [&str; 26] = [
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

/// Whether a skill says that it is about security. It shows attacks then, so that its pages weigh
/// less; its scripts, hooks and hidden parts do not.
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
    let named = name.split(['-', '_', ':']).any(|part| SECURITY.contains(&part));
    words(&description) + usize::from(named) * 2 >= 2
}

/// Judges a page.
pub(crate) fn look(file: &mut File<'_>, text: &Text<'_>, document: Option<&Document>) {
    let start = document.map_or(0, |document| document.body.start.min(text.plain.len()));
    // A plain text that differs from the source has other places; the body is found again.
    let start = if text.plain.len() == text.source.len() { start } else { body_start(text.plain) };
    let start = if document.is_some_and(|document| document.header.is_none()) {
        0
    } else {
        lines::floor(text.plain, start)
    };
    if let Some(document) = document {
        describe(file, document);
    }
    let page = markdown::read(&text.plain[start..], start);
    let mut looker = Looker { about: about(&page, text.plain), page: &page, file, text };
    looker.pieces();
    looker.sections(start);
}

fn body_start(text: &str) -> usize {
    let Some(rest) = text.strip_prefix("---") else { return 0 };
    rest.find("\n---").map_or(0, |at| 3 + at + 4)
}

/// What stands in the description is in every conversation.
fn describe(file: &mut File<'_>, document: &Document) {
    for (key, value) in
        [("description", &document.manifest.description), ("when_to_use", &document.manifest.when_to_use)]
    {
        let Some(value) = value else { continue };
        let (_, plain) = crate::hidden::look(value);
        let plain = plain.map_or_else(|| value.clone(), |plain| plain.text);
        for said in prose::look(&plain, !file.about_attacks) {
            let evidence = plain.get(said.range).map(lines::evidence).unwrap_or_default();
            file.add(said.rule, said.severity, document.value_span(key), evidence);
        }
    }
}

/// For each section, whether it or one above it is about attacks.
fn about(page: &Page, text: &str) -> Vec<bool> {
    let mut about: Vec<bool> = Vec::with_capacity(page.sections.len());
    for section in &page.sections {
        let title = text.get(section.title.clone()).unwrap_or_default();
        let above = section.above.and_then(|above| about.get(above).copied()).unwrap_or(false);
        about.push(above || prose::is_about_attacks(title) || shows_wrong(title));
    }
    about
}

/// Marks of examples that are not to be followed.
fn shows_wrong(text: &str) -> bool {
    static WRONG: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(r"(?i)❌|🚫|⛔|\b(?:never|don'?t|do not|avoid|wrong|bad|unsafe|insecure|dangerous|destructive|anti-?patterns?|forbidden|prohibited|blocked|denied|deny|must not|not allowed|reject\w*|refuse\w*|warning signs?|red flags?|smells?|pitfalls?|risky|banned|disallow\w*)\b").ok()
    });
    WRONG.as_ref().is_some_and(|regex| regex.is_match(text))
}

struct Looker<'a, 'b> {
    page: &'a Page,
    about: Vec<bool>,
    file: &'a mut File<'b>,
    text: &'a Text<'a>,
}

impl Looker<'_, '_> {
    fn slice(&self, range: &Range<usize>) -> &str {
        self.text.plain.get(range.clone()).unwrap_or_default()
    }

    fn is_about(&self, piece: &Piece) -> bool {
        self.file.about_attacks
            || piece.section.is_some_and(|section| self.about.get(section).copied().unwrap_or(false))
    }

    fn pieces(&mut self) {
        let page = self.page;
        let mut before: Option<Range<usize>> = None;
        for piece in &page.pieces {
            let about = self.is_about(piece);
            match &piece.part {
                Part::Prose => {
                    self.prose(&piece.range, !(about || piece.shown));
                    before = Some(piece.range.clone());
                }
                Part::Code { language, text, places } => {
                    let wrong = before.as_ref().is_some_and(|before| {
                        let said = self.slice(before);
                        let tail = &said[lines::floor(said, said.len().saturating_sub(160))..];
                        shows_wrong(tail) || prose::is_about_attacks(tail)
                    });
                    self.code(language, text, places, about || piece.shown || wrong);
                }
                Part::Inline => self.inline(&piece.range, about || piece.shown),
                Part::Html => self.html(&piece.range, about),
                Part::Link { target, title, image } => self.link(piece, target, title, *image, about),
            }
        }
    }

    fn prose(&mut self, range: &Range<usize>, aloud: bool) {
        let text = self.text;
        let part = text.plain.get(range.clone()).unwrap_or_default();
        for said in prose::look(part, aloud) {
            self.file.emit(
                text,
                said.rule,
                said.severity,
                &(range.start + said.range.start..range.start + said.range.end),
            );
        }
        self.preprocessing(range);
        self.file.patterns(text, range.clone(), false, !aloud);
    }

    /// Commands that run before a model reads the page: !`command`.
    fn preprocessing(&mut self, range: &Range<usize>) {
        let part = self.slice(range).to_owned();
        let mut from = 0;
        while let Some(at) = part[from..].find("!`").map(|at| from + at) {
            from = at + 2;
            let alone = part[..at].chars().next_back().is_none_or(char::is_whitespace);
            let Some(command) = part[from..].split('`').next().filter(|command| alone && command.len() > 1)
            else {
                continue;
            };
            self.runs_before(command, range.start + at..range.start + from + command.len());
        }
    }

    fn runs_before(&mut self, command: &str, range: Range<usize>) {
        let mut flow = Flow::new(Origin::Auto);
        shell::read(command, &mut flow);
        let severity = flow.hits.iter().map(|hit| hit.severity).max().unwrap_or(Severity::Note);
        self.file.emit(self.text, Rule::Preprocessing, severity, &range);
        Powers::add(&mut self.file.powers.preprocessing, command.trim());
    }

    fn code(&mut self, language: &str, code: &str, places: &[(usize, usize)], shown: bool) {
        let place = |range: &Range<usize>| {
            markdown::place(places, range.start)..markdown::place(places, range.end.saturating_sub(1)) + 1
        };
        if language == "!" || language.starts_with('!') {
            let end = code.len();
            self.runs_before(code, place(&(0..end)));
            return;
        }
        let mut flow = Flow::new(Origin::Block);
        match language {
            language if is_shell(language) => shell::read(code, &mut flow),
            "" | "text" | "txt" | "plaintext" if is_command_like(code) => shell::read(code, &mut flow),
            "python" | "py" | "python3" => {
                script::read(code, Language::Python, &mut flow);
            }
            "javascript" | "js" | "typescript" | "ts" | "jsx" | "tsx" | "node" | "mjs" => {
                script::read(code, Language::JavaScript, &mut flow);
            }
            _ => {}
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
            if shown || marked { severity.lower() } else { severity }
        };
        self.file.flow(text, &flow, |hit| (weigh(hit.severity, hit.range.start), place(&hit.range)));
        for (rule, severity, range) in crate::text::look(code, true) {
            let severity = if rule == Rule::HardSecret { severity } else { weigh(severity, range.start) };
            self.file.emit(text, rule, severity, &place(&range));
        }
        for disguise in text.disguises(&place(&(0..code.len()))) {
            // A name in a command is looked up elsewhere; one in a program only has to match itself.
            let severity = if shown || !is_shell(language) { Severity::Warn } else { Severity::Block };
            self.file.hidden(text, disguise, severity);
        }
    }

    fn inline(&mut self, range: &Range<usize>, shown: bool) {
        let code = self.slice(range).trim_matches('`').to_owned();
        if code.len() < 8 || !is_command_like(&code) {
            return;
        }
        let line_start = self.text.plain[..range.start].rfind('\n').map_or(0, |at| at + 1);
        let said = self.slice(&(line_start..range.start));
        let said = &said[lines::floor(said, said.len().saturating_sub(160))..];
        // What is named in a sentence is more often explained than asked for.
        let shown = shown || shows_wrong(said) || prose::is_about_attacks(said) || !prose::asks_to_run(said);
        let mut flow = Flow::new(Origin::Block);
        shell::read(&code, &mut flow);
        self.file.flow(self.text, &flow, |hit| {
            (if shown { hit.severity.lower() } else { hit.severity }, range.clone())
        });
    }

    fn html(&mut self, range: &Range<usize>, about: bool) {
        // The text of an element inside a sentence follows its tag.
        let rest = &self.text.plain[range.end..];
        let end = range.end + rest.find("\n\n").unwrap_or(rest.len()).min(lines::floor(rest, SECTION));
        for hidden in hidden_parts(self.slice(&(range.start..end))) {
            let at = range.start + hidden.start..range.start + hidden.end;
            if let Some(severity) = instructs(self.slice(&at)) {
                let severity = if about { severity.lower() } else { severity };
                self.file.emit(self.text, Rule::HiddenText, severity, &at);
            }
        }
    }

    fn link(&mut self, piece: &Piece, target: &str, title: &str, image: bool, about: bool) {
        let private = [
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
        ];
        let lower = target.to_ascii_lowercase().replace("%7b", "{").replace("%7d", "}");
        let holes = lower.split(['{', '<', '[', '$']).skip(1).any(|hole| {
            private
                .iter()
                .any(|word| hole.split(['}', '>', ']']).next().is_some_and(|hole| hole.contains(word)))
        });
        if image && holes && lower.starts_with("http") {
            let local = hosts::addresses(target).iter().all(|address| address.place == hosts::Place::Local);
            let severity = if about || local { Severity::Warn } else { Severity::Block };
            self.file.emit(self.text, Rule::ImageChannel, severity, &piece.range);
        }
        let alt = self.slice(&piece.range).to_owned();
        let shown = if image {
            format!("{title} {}", alt.split("](").next().unwrap_or_default())
        } else {
            title.to_owned()
        };
        if shown.len() > 20 && instructs(&shown) == Some(Severity::Block) {
            let severity = if about { Severity::Warn } else { Severity::Block };
            self.file.emit(self.text, Rule::HiddenText, severity, &piece.range);
        }
    }

    fn sections(&mut self, start: usize) {
        let page = self.page;
        let plain = self.text.plain;
        let first = page.sections.first().map_or(plain.len(), |section| section.range.start);
        let mut ranges = vec![(start..first, false)];
        for (at, section) in page.sections.iter().enumerate() {
            // With the sections inside it.
            let inside = page.sections[at + 1..].iter().take_while(|next| {
                let mut above = next.above;
                while let Some(index) = above {
                    if index == at {
                        return true;
                    }
                    above = page.sections.get(index).and_then(|section| section.above);
                }
                false
            });
            let end = inside
                .last()
                .map_or(section.range.end, |last| last.range.end)
                .min(section.range.start + SECTION)
                .max(section.range.end.min(section.range.start + SECTION));
            // A warning sign over a lure is part of it; only a page about attacks shows one.
            let about = prose::is_about_attacks(self.slice(&section.title));
            ranges.push((section.range.start..lines::floor(plain, end), about));
        }
        for (range, about) in ranges {
            let range = range.start..lines::floor(plain, range.end.min(range.start + SECTION));
            let Some((found, severity)) = lure::look(self.slice(&range)) else { continue };
            let severity = if about { severity.lower() } else { severity };
            let line = plain[..range.start + found.start].rfind('\n').map_or(0, |at| at + 1);
            let end = plain[range.start + found.start..]
                .find('\n')
                .map_or(plain.len(), |end| range.start + found.start + end);
            self.file.emit(self.text, Rule::HumanRun, severity, &(line.max(range.start)..end));
        }
    }
}

/// The comment of a line of code, or the whole line when it is marked.
fn comment(line: &str) -> &str {
    line.find(['#', '❌']).or_else(|| line.find("//")).map_or("", |at| &line[at..])
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

/// Whether a text without a language is worth reading as commands.
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
    ]
    .iter()
    .any(|word| code.contains(word))
}

/// Parts of HTML that a browser does not show, as ranges of the text.
fn hidden_parts(html: &str) -> Vec<Range<usize>> {
    static STYLE: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(r"(?is)<(?:span|div|p|section|font|b|i|small|td|li|a)\b[^>]*(?:display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0|opacity\s*:\s*0(?:\.0+)?\s*[;'\x22]|color\s*:\s*(?:white|#fff(?:fff)?|transparent)|left\s*:\s*-\d{3,}|height\s*:\s*0|\bhidden\b)[^>]*>([^<]*)").ok()
    });
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(at) = html[from..].find("<!--").map(|at| from + at) {
        let end = html[at..].find("-->").map_or(html.len(), |end| at + end);
        found.push(at + 4..end.max(at + 4).min(html.len()));
        from = end.max(at + 4).min(html.len());
    }
    if let Some(style) = STYLE.as_ref() {
        found.extend(
            style.captures_iter(html).filter_map(|captures| captures.get(1)).map(|inside| inside.range()),
        );
    }
    found
}

/// How much a hidden text weighs, when it tells an agent to do something.
fn instructs(text: &str) -> Option<Severity> {
    static ORDER: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(r"(?i)\b(?:do not (?:tell|mention|inform|reveal)|don'?t (?:tell|mention|inform|reveal)|without (?:telling|informing|asking)|secretly|silently|ignore (?:the|all|any|previous)|you must (?:always|never|first|now)|(?:assistant|agent|model|ai|claude|gpt|llm)s?\s*[:,-]\s*(?:you|please|always|never|before|when|run|execute|send|ignore|also|must))").ok()
    });
    if text.trim().len() < 12 {
        return None;
    }
    let said = prose::look(text, true);
    if said.iter().any(|said| said.severity >= Severity::Warn) {
        return Some(Severity::Block);
    }
    let mut flow = Flow::new(Origin::Auto);
    for line in text.lines() {
        shell::read(line.trim(), &mut flow);
        // The command stands somewhere in the sentence.
        for program in ["curl ", "wget ", "bash ", "rm -"] {
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
        ];
        let lower = text.to_ascii_lowercase();
        let acts = acts.iter().filter(|word| lower.contains(**word)).count();
        return Some(if acts >= 1 { Severity::Block } else { Severity::Warn });
    }
    None
}

/// Other text that a model may read.
pub(crate) fn look_plain(file: &mut File<'_>, text: &Text<'_>, html: bool) {
    let mut at = 0;
    for paragraph in text.plain.split_inclusive("\n\n") {
        for said in prose::look(paragraph, !file.about_attacks) {
            file.emit(text, said.rule, said.severity, &(at + said.range.start..at + said.range.end));
        }
        at += paragraph.len();
    }
    if html {
        for hidden in hidden_parts(text.plain) {
            let part = text.plain.get(hidden.clone()).unwrap_or_default();
            if instructs(part) == Some(Severity::Block) {
                file.emit(text, Rule::HiddenText, Severity::Block, &hidden);
            }
        }
    } else if let Some((found, severity)) =
        text.plain.get(..lines::floor(text.plain, SECTION)).and_then(lure::look)
    {
        file.emit(text, Rule::HumanRun, severity, &found);
    }
    file.patterns(text, 0..text.plain.len(), false, file.about_attacks);
}

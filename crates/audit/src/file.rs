//! One file: what it is, what is hidden in it, and which reader it gets.

use crate::{
    data,
    flow::{Flow, Hit, Origin},
    frontmatter, hidden, hosts,
    kind::{self, Kind},
    limits,
    lines::{self, Lines},
    page,
    purpose::Purpose,
    report::{Finding, Powers, Severity},
    rule::Rule,
    said,
    script::{self, Language},
    shell, text,
};
use skillful_format::{Document, Span};
use std::{collections::BTreeMap, ops::Range, sync::Arc};

/// Findings of a skill, within their bounds.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    list: Vec<Finding>,
    counts: BTreeMap<(String, Rule, Severity), usize>,
}

impl Findings {
    pub(crate) fn add(&mut self, finding: Finding) {
        let same = |known: &Finding| {
            known.rule == finding.rule && known.line == finding.line && known.path == finding.path
        };
        if let Some(known) = self.list.iter_mut().find(|known| same(known)) {
            if finding.severity > known.severity {
                *known = finding;
            }
            return;
        }
        let count = self.counts.entry((finding.path.clone(), finding.rule, finding.severity)).or_default();
        *count += 1;
        if *count <= limits::SAME_FINDINGS && self.list.len() < limits::FINDINGS {
            self.list.push(finding);
        }
    }

    pub(crate) fn sorted(mut self) -> Vec<Finding> {
        self.list.sort_by(|a, b| {
            (&a.path, a.line, a.rule, a.severity).cmp(&(&b.path, b.line, b.rule, b.severity))
        });
        self.list
    }
}

/// A file that is being judged.
pub(crate) struct File<'a> {
    pub(crate) path: &'a str,
    /// The skill is about security, so that its pages show attacks.
    pub(crate) about_attacks: bool,
    /// What the skill says it is for.
    pub(crate) purpose: &'a Arc<Purpose>,
    /// How many archives it lies in.
    pub(crate) depth: usize,
    pub(crate) findings: &'a mut Findings,
    pub(crate) powers: &'a mut Powers,
}

/// A text under judgement: as written, and as a model reads it.
pub(crate) struct Text<'a> {
    pub(crate) source: &'a str,
    pub(crate) plain: &'a str,
    lines: Lines<'a>,
    map: Option<&'a hidden::Plain>,
}

impl Text<'_> {
    /// Words of a part that are not what they seem: split by nothing, or of two scripts.
    pub(crate) fn disguises(&self, range: &Range<usize>) -> Vec<hidden::Hidden> {
        let Some(map) = self.map else { return Vec::new() };
        let place = map.source(range);
        let mut found = hidden::look(self.source.get(place.clone()).unwrap_or_default()).0;
        found.retain(|hidden| matches!(hidden.rule, Rule::ZeroWidth | Rule::LookAlike));
        for hidden in &mut found {
            hidden.range = place.start + hidden.range.start..place.start + hidden.range.end;
        }
        found
    }

    pub(crate) fn span(&self, range: &Range<usize>) -> (Span, Range<usize>) {
        let source = self.map.map_or_else(|| range.clone(), |plain| plain.source(range));
        (self.lines.span(&source), source)
    }
}

impl File<'_> {
    /// Judges the file; the error says why it was not scanned, whole or in part.
    pub(crate) fn judge(
        &mut self,
        bytes: &[u8],
        document: Option<&Document>,
        budget: &mut usize,
    ) -> Result<(), String> {
        self.name();
        if bytes.len() > *budget {
            return Err(format!(
                "the files before it used up the {} bytes that are read",
                limits::TOTAL_BYTES
            ));
        }
        *budget -= bytes.len().min(limits::FILE_BYTES);
        let kind = kind::kind(self.path, bytes);
        if let Kind::Opaque(what) | Kind::Media(what) = kind {
            self.opaque(bytes, what);
            crate::inside::look(self, bytes, budget);
            return Err(format!("{what}; its content is not read"));
        }
        // `kind` found it to be text.
        let whole = std::str::from_utf8(bytes).unwrap_or_default();
        let source = &whole[..lines::floor(whole, limits::FILE_BYTES)];
        let (found, plain) = hidden::look(source);
        let text = Text {
            source,
            plain: plain.as_ref().map_or(source, |plain| plain.text.as_str()),
            lines: Lines::new(source),
            map: plain.as_ref(),
        };
        let in_code = !matches!(kind, Kind::Markdown | Kind::Text | Kind::Data | Kind::Html);
        for one in found {
            let severity = if in_code && matches!(one.rule, Rule::ZeroWidth | Rule::LookAlike) {
                Severity::Block
            } else {
                one.severity
            };
            self.hidden(&text, one, severity);
        }
        let complete = self.content(kind, &text, document);
        if source.len() < whole.len() {
            return Err(format!("only its first {} bytes were read", source.len()));
        }
        if complete { Ok(()) } else { Err("its code is too large or too deep to follow".to_owned()) }
    }

    fn content(&mut self, kind: Kind, text: &Text<'_>, document: Option<&Document>) -> bool {
        for address in hosts::addresses(text.plain) {
            if address.host.len() < 100 && address.host.contains('.') {
                Powers::add(&mut self.powers.hosts, address.host);
            }
        }
        if !matches!(kind, Kind::Data | Kind::Html | Kind::Text) {
            self.long_lines(text);
        }
        said::encoded(self, text);
        match kind {
            Kind::Markdown => {
                if let Some(document) = document {
                    for declared in frontmatter::look(document, self.purpose, self.powers) {
                        self.add(
                            declared.rule,
                            declared.severity,
                            declared.span,
                            lines::evidence(&declared.evidence),
                        );
                    }
                }
                page::look(self, text, document);
                true
            }
            Kind::Shell | Kind::Python | Kind::JavaScript => {
                Powers::add(&mut self.powers.scripts, self.path);
                let mut flow = Flow::new(Origin::Script, self.purpose);
                let whole = match kind {
                    Kind::Shell => {
                        shell::read(text.plain, &mut flow);
                        true
                    }
                    Kind::Python => script::read(text.plain, Language::Python, &mut flow),
                    _ => {
                        // Types are no part of the grammar.
                        if kind::ending(self.path).contains('t') {
                            script::loose::read(text.plain, &mut flow);
                        }
                        script::read(text.plain, Language::JavaScript, &mut flow)
                    }
                };
                self.flow(text, &flow, |hit| (hit.severity, hit.range.clone()));
                self.patterns(text, 0..text.plain.len(), true, false);
                said::in_code(self, text);
                whole
            }
            Kind::OtherCode => {
                Powers::add(&mut self.powers.scripts, self.path);
                let mut flow = Flow::new(Origin::Script, self.purpose);
                script::loose::read(text.plain, &mut flow);
                self.flow(text, &flow, |hit| (hit.severity, hit.range.clone()));
                said::in_code(self, text);
                self.patterns(text, 0..text.plain.len(), true, false);
                true
            }
            Kind::Data => {
                data::look(self, text);
                said::in_data(self, text);
                self.patterns(text, 0..text.plain.len(), false, true);
                true
            }
            Kind::Html | Kind::Text => {
                page::look_plain(self, text, kind == Kind::Html);
                true
            }
            Kind::Opaque(_) | Kind::Media(_) => true,
        }
    }

    /// Adds what code does, with places and weights as the caller sees them.
    pub(crate) fn flow(
        &mut self,
        text: &Text<'_>,
        flow: &Flow,
        see: impl Fn(&Hit) -> (Severity, Range<usize>),
    ) {
        for hit in &flow.hits {
            let (severity, range) = see(hit);
            self.emit(text, hit.rule, severity, &range);
        }
        for program in &flow.programs {
            Powers::add(&mut self.powers.programs, program.clone());
        }
        for name in flow.environment.iter().filter(|name| !name.is_empty()) {
            Powers::add(&mut self.powers.environment, name.clone());
        }
    }

    /// Patterns that need no grammar, in a part of the text.
    pub(crate) fn patterns(&mut self, text: &Text<'_>, range: Range<usize>, code: bool, shown: bool) {
        let Some(part) = text.plain.get(range.clone()) else { return };
        for (rule, severity, found) in text::look(part, code, self.purpose) {
            let severity = if shown && rule != Rule::HardSecret { severity.lower() } else { severity };
            self.emit(text, rule, severity, &(range.start + found.start..range.start + found.end));
        }
    }

    /// Adds a finding at a range of the plain text.
    pub(crate) fn emit(&mut self, text: &Text<'_>, rule: Rule, severity: Severity, range: &Range<usize>) {
        let (span, source) = text.span(range);
        let evidence = lines::around(text.source, &source);
        self.add(rule, severity, Some(span), evidence);
    }

    pub(crate) fn add(&mut self, rule: Rule, severity: Severity, span: Option<Span>, evidence: String) {
        self.findings.add(Finding {
            rule,
            severity: severity.min(rule.severity()),
            path: self.path.to_owned(),
            line: span.map_or(0, |span| span.line),
            span,
            evidence,
            why: rule.why(),
            fix: rule.fix(),
        });
    }

    pub(crate) fn hidden(&mut self, text: &Text<'_>, one: hidden::Hidden, severity: Severity) {
        let span = text.lines.span(&one.range);
        self.add(one.rule, severity, Some(span), one.shown);
    }

    /// Names that other tools act on.
    fn name(&mut self) {
        let lower = self.path.to_ascii_lowercase();
        let name = lower.rsplit('/').next().unwrap_or(&lower);
        let below = |folder: &str| lower.starts_with(&folder[1..]) || lower.contains(folder);
        let severity = match name {
            _ if below("/.git/") => Severity::Block,
            ".bashrc" | ".zshrc" | ".profile" | ".bash_profile" | ".zshenv" | ".gitconfig"
            | "authorized_keys" | ".envrc" => Severity::Warn,
            _ if below("/.git/") || below("/.ssh/") => Severity::Block,
            _ if below("/.vscode/")
                || below("/.claude/")
                || below("/.cursor/")
                || below("/.githooks/")
                || below("/.husky/") =>
            {
                Severity::Warn
            }
            "claude.md" | "agents.md" | ".cursorrules" | "gemini.md" | ".mcp.json" | "soul.md"
            | "sitecustomize.py" => Severity::Note,
            _ => return,
        };
        self.add(Rule::OddFile, severity, None, lines::evidence(self.path));
    }

    /// A program or an archive behind the name of something harmless.
    fn opaque(&mut self, bytes: &[u8], what: &str) {
        let ending = kind::ending(self.path);
        let harmless = [
            "png", "jpg", "jpeg", "gif", "webp", "ico", "svg", "txt", "md", "json", "yaml", "yml", "csv",
            "ttf", "woff", "woff2", "pdf", "mp3", "mp4", "html", "css", "py", "js", "sh",
        ];
        let program = what.starts_with("a program") || what.starts_with("an archive");
        if harmless.contains(&ending.as_str()) && (program || bytes.starts_with(b"#!")) {
            self.add(
                Rule::KindMismatch,
                Severity::Block,
                None,
                format!("{} is {what}", lines::evidence(self.path)),
            );
        }
    }

    fn long_lines(&mut self, text: &Text<'_>) {
        let mut at = 0;
        for line in text.plain.split_inclusive('\n') {
            if line.len() > limits::LINE_BYTES && !line.contains("data:image/") {
                self.emit(text, Rule::LongLine, Severity::Warn, &(at..at + 80.min(line.len())));
            }
            // Code pushed out of the window.
            let trimmed = line.trim_end();
            if let Some(gap) = trimmed.find(&" ".repeat(200)) {
                let behind = trimmed[gap..].trim_start();
                if gap > 0 && !behind.is_empty() && !trimmed.starts_with('|') {
                    self.emit(
                        text,
                        Rule::LongLine,
                        Severity::Warn,
                        &(at + trimmed.len() - behind.len()..at + trimmed.len()),
                    );
                }
            }
            at += line.len();
        }
    }
}

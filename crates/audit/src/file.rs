//! Audits one file: its kind, its hidden characters, and the reader for its content.

use crate::{
    data, embedded_text,
    flow::{Flow, Hit, Origin},
    frontmatter, hidden, hosts,
    kind::{self, FileKind},
    limits,
    lines::{self, Lines},
    page, prose,
    purpose::Purpose,
    report::{Capabilities, Finding, Severity},
    rule::Rule,
    script::{self, Language, nearby::Reading},
    server, shell, split_text, text,
};
use skillful_format::{Document, Span};
use std::{collections::BTreeMap, ops::Range, sync::Arc};

/// Lines between an action and the request to conceal it.
const TOGETHER: u32 = 6;

/// The findings of a skill, within their limits.
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

    /// Raises a warning about an action that the same part of a file asks to conceal.
    pub(crate) fn weigh_together(&mut self) {
        let concealed: Vec<(String, u32)> = self
            .list
            .iter()
            .filter(|finding| finding.rule == Rule::Conceal && finding.severity == Severity::Warn)
            .map(|finding| (finding.path.clone(), finding.line))
            .collect();
        for finding in &mut self.list {
            let acts = matches!(
                finding.rule,
                Rule::Backdoor
                    | Rule::DataSent
                    | Rule::SecretSent
                    | Rule::OddCollector
                    | Rule::Destroys
                    | Rule::PipeToShell
                    | Rule::DownloadRun
                    | Rule::Persistence
                    | Rule::ApprovalOff
                    | Rule::UnknownPackage
            );
            let near = concealed
                .iter()
                .any(|(path, line)| *path == finding.path && line.abs_diff(finding.line) <= TOGETHER);
            if acts && near && finding.severity == Severity::Warn {
                finding.severity = Severity::Block.min(finding.rule.severity());
            }
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
    /// Whether the skill is about security, so that its pages show attacks.
    pub(crate) about_attacks: bool,
    /// The stated purpose of the skill.
    pub(crate) purpose: &'a Arc<Purpose>,
    /// How many archives contain the file.
    pub(crate) depth: usize,
    pub(crate) findings: &'a mut Findings,
    pub(crate) capabilities: &'a mut Capabilities,
}

/// A text that is being judged: as written, and as a model reads it.
pub(crate) struct Text<'a> {
    pub(crate) source: &'a str,
    pub(crate) plain: &'a str,
    lines: Lines<'a>,
    map: Option<&'a hidden::Plain>,
}

impl Text<'_> {
    /// Whether what a model reads differs from the file.
    pub(crate) fn is_changed(&self) -> bool {
        self.map.is_some()
    }

    /// Disguised words in a range: split by zero-width characters, or written in two scripts.
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
    /// Judges the file; the error says why the file, or a part of it, was not scanned.
    pub(crate) fn judge(
        &mut self,
        bytes: &[u8],
        document: Option<&Document>,
        budget: &mut usize,
    ) -> Result<(), String> {
        self.name();
        if bytes.len() > *budget {
            return Err(format!("the limit of {} bytes was reached before this file", limits::TOTAL_BYTES));
        }
        *budget -= bytes.len().min(limits::FILE_BYTES);
        let kind = kind::kind(self.path, bytes);
        if let FileKind::Opaque(what) | FileKind::Media(what) = kind {
            self.opaque(bytes, what);
            crate::nested_archive::look(self, bytes, budget);
            return Err(format!("{what}; its content was not read"));
        }
        // `kind` already checked that the file is text.
        let whole = std::str::from_utf8(bytes).unwrap_or_default();
        let source = &whole[..lines::floor(whole, limits::FILE_BYTES)];
        let (found, plain) = hidden::look(source);
        let text = Text {
            source,
            plain: plain.as_ref().map_or(source, |plain| plain.text.as_str()),
            lines: Lines::new(source),
            map: plain.as_ref(),
        };
        let in_code = !matches!(kind, FileKind::Markdown | FileKind::Text | FileKind::Data | FileKind::Html);
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
        if complete {
            Ok(())
        } else {
            Err("its code is too large or too deeply nested to analyse".to_owned())
        }
    }

    fn content(&mut self, kind: FileKind, text: &Text<'_>, document: Option<&Document>) -> bool {
        for address in hosts::addresses(text.plain) {
            if address.host.len() < 100 && address.host.contains('.') {
                Capabilities::add(&mut self.capabilities.hosts, address.host);
            }
        }
        if !matches!(kind, FileKind::Data | FileKind::Html | FileKind::Text) {
            self.long_lines(text);
        }
        for range in data::package_sources(self.path, text.plain) {
            self.emit(text, Rule::OddPackage, Severity::Block, &range);
        }
        embedded_text::encoded(self, text);
        if let Some(found) = prose::unbound::look(text.plain) {
            let severity = if self.about_attacks { Severity::Warn } else { Severity::Block };
            self.emit(text, Rule::Override, severity, &found);
        }
        match kind {
            FileKind::Markdown => {
                if let Some(document) = document {
                    for declared in frontmatter::look(document, self.purpose, self.capabilities) {
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
            FileKind::Shell | FileKind::Python | FileKind::JavaScript => {
                Capabilities::add(&mut self.capabilities.scripts, self.path);
                let mut flow = Flow::new(Origin::Script, self.purpose);
                let whole = match kind {
                    FileKind::Shell => {
                        // Make doubles the dollar signs that a shell reads.
                        if self.path.to_ascii_lowercase().ends_with("makefile") {
                            shell::read(&text.plain.replace("$$", " $"), &mut flow);
                        } else {
                            shell::read(text.plain, &mut flow);
                        }
                        true
                    }
                    FileKind::Python => script::read(text.plain, Language::Python, &mut flow),
                    _ => {
                        // TypeScript types are not part of the grammar.
                        if kind::ending(self.path).contains('t') {
                            script::without_grammar::read(text.plain, &mut flow);
                        }
                        script::read(text.plain, Language::JavaScript, &mut flow)
                    }
                };
                self.flow(text, &flow, |hit| (hit.severity, hit.range.clone()));
                self.together(text);
                let is_followed = matches!(kind, FileKind::Python | FileKind::JavaScript);
                self.nearby(text, if is_followed { Reading::Followed } else { Reading::Alone });
                self.patterns(text, 0..text.plain.len(), true, false);
                self.split(text);
                embedded_text::in_code(self, text);
                whole
            }
            FileKind::OtherCode => {
                Capabilities::add(&mut self.capabilities.scripts, self.path);
                let mut flow = Flow::new(Origin::Script, self.purpose);
                script::without_grammar::read(text.plain, &mut flow);
                self.flow(text, &flow, |hit| (hit.severity, hit.range.clone()));
                self.together(text);
                self.nearby(text, Reading::Alone);
                embedded_text::in_code(self, text);
                self.patterns(text, 0..text.plain.len(), true, false);
                self.split(text);
                true
            }
            FileKind::Data => {
                data::look(self, text);
                for (range, severity) in server::in_lines(text.plain, self.purpose) {
                    self.emit(text, Rule::ServerKey, severity, &range);
                }
                embedded_text::in_data(self, text);
                self.settings(text);
                self.patterns(text, 0..text.plain.len(), false, true);
                true
            }
            FileKind::Html | FileKind::Text => {
                if kind == FileKind::Html {
                    self.nearby(text, Reading::Alone);
                }
                page::look_plain(self, text, kind == FileKind::Html);
                true
            }
            FileKind::Opaque(_) | FileKind::Media(_) => true,
        }
    }

    /// Adds the findings of code, with positions and severities that the caller supplies.
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
            Capabilities::add(&mut self.capabilities.programs, program.clone());
        }
        for name in flow.environment.iter().filter(|name| !name.is_empty()) {
            Capabilities::add(&mut self.capabilities.environment, name.clone());
        }
    }

    /// Applies the patterns that need no grammar to a part of the text.
    pub(crate) fn patterns(&mut self, text: &Text<'_>, range: Range<usize>, code: bool, shown: bool) {
        let Some(part) = text.plain.get(range.clone()) else { return };
        for (rule, severity, found) in text::look(part, code, self.purpose) {
            let severity = if shown && rule != Rule::HardSecret { severity.shown() } else { severity };
            self.emit(text, rule, severity, &(range.start + found.start..range.start + found.end));
        }
    }

    /// Reports facts of a script that are harmful together.
    fn together(&mut self, text: &Text<'_>) {
        for (rule, severity, range) in script::together::look(text.plain, self.purpose) {
            self.emit(text, rule, severity, &range);
        }
    }

    /// Judges the commands in settings of other tools, which those run later.
    fn settings(&mut self, text: &Text<'_>) {
        if matches!(kind::ending(self.path).as_str(), "csv" | "lock" | "xml" | "ipynb") {
            return;
        }
        self.nearby(text, Reading::Alone);
        for (rule, severity, range) in script::later::look(text.plain, self.purpose) {
            self.emit(text, rule, severity, &range);
        }
    }

    /// Reports a source of secrets near a way out.
    fn nearby(&mut self, text: &Text<'_>, how: Reading) {
        if let Some((rule, severity, range)) = script::nearby::look(text.plain, how, self.purpose) {
            let severity = if self.about_attacks { severity.lower() } else { severity };
            self.emit(text, rule, severity, &range);
        }
    }

    /// Reports words of a script that are assembled from pieces.
    fn split(&mut self, text: &Text<'_>) {
        for range in split_text::look(text.plain) {
            self.emit(text, Rule::Obfuscated, Severity::Block, &range);
        }
    }

    /// Adds a finding at a range of the file.
    pub(crate) fn emit_source(&mut self, text: &Text<'_>, rule: Rule, severity: Severity, at: &Range<usize>) {
        self.add(rule, severity, Some(text.lines.span(at)), lines::around(text.source, at));
    }

    /// Adds a finding at a range of a file as it is written.
    pub(crate) fn emit_written(&mut self, source: &str, rule: Rule, severity: Severity, at: &Range<usize>) {
        self.add(rule, severity, Some(Lines::new(source).span(at)), lines::around(source, at));
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

    /// Reports file names that other tools act on.
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

    /// Reports a program or an archive with the name of a harmless file.
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
            // Code that is moved out of the visible part of a line.
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

//! Prints a turn: the answer to standard output, everything else to standard error.

use crate::{
    context::Context,
    output::{BAD, DIM, Output, WARN, cut, error_width, harmless, wrapped},
    terminal::{
        markdown::{Markdown, Plain},
        preview,
        screen::{Screen, Spinner},
        status::short,
    },
};
use skillful_assistant::{
    event::{Event, ForkPhase, Observer, Status},
    tool::Preview,
};
use skillful_format::Diagnostic;
use skillful_llm::Delta;
use std::{
    collections::BTreeSet,
    io::{IsTerminal, stderr, stdout},
    sync::{Mutex, MutexGuard, PoisonError},
};

/// Lines of a preview that are printed for a call without approval.
const CHANGE: usize = 10;
/// Tools of whose output the user sees the end, and how many lines of it.
const COMMANDS: [&str; 2] = ["run_command", "run_skill_program"];
const OUTPUT: usize = 5;
/// The status while the model works.
const THINKS: &str = "thinking";

/// How the answer is written.
#[derive(Debug)]
enum Writer {
    Markdown(Box<Markdown>),
    Plain(Plain),
    /// Not printed: with `--json` the answer is one value at the end.
    Silent,
}

impl Writer {
    fn push(&mut self, piece: &str) -> String {
        match self {
            Self::Markdown(markdown) => markdown.push(piece),
            Self::Plain(plain) => plain.push(piece),
            Self::Silent => String::new(),
        }
    }

    fn finish(&mut self) -> String {
        match self {
            Self::Markdown(markdown) => markdown.finish(),
            Self::Plain(plain) => plain.finish(),
            Self::Silent => String::new(),
        }
    }

    /// The lines that are not final, when they changed. Other writers hold nothing back.
    fn draft(&mut self) -> Option<Vec<String>> {
        match self {
            Self::Markdown(markdown) => markdown.draft(),
            Self::Plain(_) | Self::Silent => None,
        }
    }
}

#[derive(Debug)]
struct Shown {
    writer: Writer,
    /// Whether text is being written.
    writes: bool,
    /// Whether the last line was ended.
    ended: bool,
    /// Whether anything was written in this turn.
    wrote: bool,
    status: Status,
    /// The call that an approval request showed already.
    asked: Option<String>,
    /// Reasons of denied calls, until their results repeat them.
    denied: Vec<String>,
    diagnostics: Vec<Diagnostic>,
    tools: BTreeSet<String>,
    skills: Vec<String>,
    notes: Vec<String>,
}

/// Prints the events of a turn.
#[derive(Debug)]
pub(crate) struct Face {
    /// The terminal.
    pub screen: Screen,
    output: Output,
    /// Whether a status line is shown.
    live: bool,
    /// Whether words are shown before their line is final.
    drafts: bool,
    shown: Mutex<Shown>,
}

/// What happened in a turn.
#[derive(Clone, Debug, Default)]
pub(crate) struct Account {
    /// Skills that were active.
    pub skills: Vec<String>,
    /// Tools that were used.
    pub tools: BTreeSet<String>,
    /// Problems that did not end it.
    pub diagnostics: Vec<Diagnostic>,
    /// Notes for the user.
    pub notes: Vec<String>,
}

impl Face {
    /// For this process.
    pub(crate) fn new(context: &Context) -> Self {
        let output = context.output;
        let writer = match (output.json, output.color) {
            (true, _) => Writer::Silent,
            (false, true) => Writer::Markdown(Box::new(Markdown::new(output.width))),
            (false, false) => Writer::Plain(Plain::default()),
        };
        let capable = context.workspace.environment().variable("TERM").is_some_and(|term| term != "dumb");
        // Plain text is printed in parts of lines, which a status line would break.
        let live =
            capable && !output.json && stderr().is_terminal() && (output.color || !stdout().is_terminal());
        let shown = Shown {
            writer,
            writes: false,
            ended: true,
            wrote: false,
            status: Status::default(),
            asked: None,
            denied: Vec::new(),
            diagnostics: Vec::new(),
            tools: BTreeSet::new(),
            skills: Vec::new(),
            notes: Vec::new(),
        };
        let drafts = capable && output.color && !output.json && stdout().is_terminal();
        Self { screen: Screen::new(output), output, live, drafts, shown: Mutex::new(shown) }
    }

    fn shown(&self) -> MutexGuard<'_, Shown> {
        self.shown.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts a turn.
    pub(crate) fn begin(&self) -> Option<Spinner> {
        {
            let mut shown = self.shown();
            shown.wrote = false;
            shown.asked = None;
            shown.denied.clear();
            shown.diagnostics.clear();
            shown.tools.clear();
            shown.skills.clear();
            shown.notes.clear();
        }
        self.screen.working(Some(THINKS));
        self.live.then(|| self.screen.spin())
    }

    /// Ends a turn: prints the rest of the answer and returns what happened.
    pub(crate) fn end(&self) -> Account {
        let mut shown = self.shown();
        self.break_off(&mut shown);
        self.screen.working(None);
        Account {
            skills: std::mem::take(&mut shown.skills),
            tools: std::mem::take(&mut shown.tools),
            diagnostics: std::mem::take(&mut shown.diagnostics),
            notes: std::mem::take(&mut shown.notes),
        }
    }

    /// The state of the session.
    pub(crate) fn status(&self) -> Status {
        self.shown().status.clone()
    }

    /// Notes that an approval request showed a call.
    pub(crate) fn asked(&self, summary: &str) {
        self.shown().asked = Some(summary.to_owned());
    }

    /// Ends the line of the answer, so that another line can follow.
    pub(crate) fn pause(&self) {
        let mut shown = self.shown();
        self.break_off(&mut shown);
    }

    fn break_off(&self, shown: &mut Shown) {
        if !std::mem::take(&mut shown.writes) {
            return;
        }
        let rest = shown.writer.finish();
        if self.drafts && rest.is_empty() {
            self.screen.stream("", Some(Vec::new()));
        }
        self.write(shown, &rest);
        if !shown.ended {
            self.write(shown, "\n");
        }
    }

    fn write(&self, shown: &mut Shown, text: &str) {
        if let Some(last) = text.chars().next_back() {
            shown.ended = last == '\n';
            if self.drafts {
                self.screen.stream(text, Some(Vec::new()));
            } else {
                self.screen.print(text);
            }
        }
    }

    fn say(&self, shown: &mut Shown, text: &str) {
        if !shown.writes {
            if text.trim().is_empty() {
                return;
            }
            shown.writes = true;
            if std::mem::replace(&mut shown.wrote, true) {
                let gap = if matches!(shown.writer, Writer::Silent) { "" } else { "\n" };
                self.write(shown, gap);
            }
        }
        let text = shown.writer.push(text);
        if self.drafts {
            let draft = shown.writer.draft();
            self.screen.stream(&text, draft);
        } else {
            self.write(shown, &text);
        }
    }

    fn line(&self, shown: &mut Shown, text: &str) {
        self.break_off(shown);
        if !self.output.json {
            self.screen.tell(&format!("{text}\n"));
        }
    }

    fn dim(&self, shown: &mut Shown, text: &str) {
        let text = self.output.paint(DIM, &cut(text, self.output.width));
        self.line(shown, &text);
    }

    fn delta(&self, shown: &mut Shown, delta: &Delta) {
        match delta {
            Delta::Text(text) => {
                self.screen.working(Some("writing"));
                self.say(shown, text);
            }
            Delta::Thinking(_) => self.screen.working(Some(THINKS)),
            Delta::Call { name } => {
                self.break_off(shown);
                self.screen.working(Some(&format!("preparing {}", harmless(name))));
            }
            Delta::Retry { attempt, why, .. } => {
                let void = if shown.writes { "; the text so far is discarded" } else { "" };
                let line = format!("retrying (attempt {attempt}): {}{void}", harmless(why));
                self.line(shown, &self.output.paint(WARN, &line));
                self.screen.working(Some("waiting to retry"));
            }
            _ => {}
        }
    }

    fn tool(&self, shown: &mut Shown, event: &Event) {
        match event {
            Event::ToolStarted { tool, summary, preview, .. } => {
                shown.tools.insert(tool.clone());
                let summary = harmless(summary);
                self.dim(shown, &format!("• {summary}"));
                let was_asked = shown.asked.take().is_some_and(|asked| asked == summary);
                // A short command stands in the line above.
                let is_new = |preview: &&Preview| !matches!(preview, Preview::Text(text) if summary.ends_with(text.trim()));
                let preview = preview.as_ref().filter(is_new).filter(|_| !was_asked && !self.output.json);
                if let Some(preview) = preview {
                    let (lines, left) = preview::lines(preview, self.output, CHANGE);
                    let more = if left > 0 { format!("  … {left} more lines\n") } else { String::new() };
                    self.screen.tell(&format!("{lines}{}", self.output.paint(DIM, &more)));
                }
                self.screen.working(Some(&summary));
            }
            Event::ToolFinished { tool, text, failed, .. } => {
                let known = shown.denied.iter().position(|why| text.contains(why.as_str()));
                if let Some(at) = known {
                    shown.denied.swap_remove(at);
                } else if COMMANDS.contains(&tool.as_str()) {
                    self.command_output(shown, text, *failed);
                } else if *failed {
                    let why =
                        harmless(text.lines().find(|line| !line.trim().is_empty()).unwrap_or("it failed"));
                    let line = self.output.paint(BAD, &cut(&format!("  failed: {why}"), self.output.width));
                    self.line(shown, &line);
                }
                self.screen.working(Some(THINKS));
            }
            Event::Denied { summary, why, .. } => {
                shown.asked = None;
                shown.denied.push(why.clone());
                let line = format!("• {}: not run: {}", harmless(summary), harmless(why));
                self.line(shown, &self.output.paint(WARN, &cut(&line, self.output.width)));
                self.screen.working(Some(THINKS));
            }
            _ => {}
        }
    }

    /// The end of the output of a command; how it ended stands in its last line.
    fn command_output(&self, shown: &mut Shown, text: &str, failed: bool) {
        let is_shown = |line: &&str| !line.trim().is_empty() && (failed || !line.starts_with("(exit code 0"));
        let lines: Vec<&str> = text.lines().filter(is_shown).collect();
        let before = lines.len().saturating_sub(OUTPUT);
        if before > 0 {
            self.dim(shown, &format!("  └ … {before} lines before"));
        }
        for (at, line) in lines[before..].iter().enumerate() {
            let mark = if at + before == 0 { "└" } else { " " };
            let line = cut(&format!("  {mark} {}", harmless(line)), self.output.width);
            let style = if failed { BAD } else { DIM };
            self.line(shown, &self.output.paint(style, &line));
        }
    }

    fn fork(&self, shown: &mut Shown, skill: &str, phase: &ForkPhase) {
        let skill = harmless(skill);
        match phase {
            ForkPhase::Started { background } => {
                let way = if *background { " in the background" } else { "" };
                self.dim(shown, &format!("› {skill} runs as a sub-agent{way}"));
                self.screen.working(Some(&format!("{skill} runs")));
            }
            ForkPhase::Uses(what) => self.screen.working(Some(&format!("{skill}: {}", harmless(what)))),
            ForkPhase::Finished { failed } => {
                let how = if *failed { "failed" } else { "finished" };
                self.dim(shown, &format!("› {skill} {how}"));
                self.screen.working(Some(THINKS));
            }
        }
    }
}

impl Observer for Face {
    fn observe(&self, event: &Event) {
        let mut shown = self.shown();
        let shown = &mut *shown;
        match event {
            Event::Delta(delta) => self.delta(shown, delta),
            Event::Activated { skill, why } => {
                shown.skills.push(skill.clone());
                self.dim(shown, &format!("› {} ({})", harmless(skill), harmless(why)));
            }
            Event::NotActivated { skill, why } => {
                let line = format!("› {} was not loaded: {}", harmless(skill), harmless(why));
                self.line(shown, &self.output.paint(WARN, &line));
                shown.notes.push(line);
            }
            Event::ToolStarted { .. } | Event::ToolFinished { .. } | Event::Denied { .. } => {
                self.tool(shown, event);
            }
            Event::Transitioned { from, to, .. } => {
                let before = from.as_deref().map_or_else(String::new, |from| format!("{} ", harmless(from)));
                self.dim(shown, &format!("› {before}→ {}", harmless(to)));
            }
            Event::Continued(why) => self.dim(shown, &format!("› goes on: {}", harmless(why))),
            Event::TransitionRefused(why) => self.dim(shown, &format!("› {}", harmless(why))),
            Event::Fork { skill, phase } => self.fork(shown, skill, phase),
            Event::Compacted { before, after, lost, .. } => {
                let gone = if lost.is_empty() {
                    String::new()
                } else {
                    format!("; instructions removed: {}", harmless(&lost.join(", ")))
                };
                let (before, after) = (short(*before), short(*after));
                self.dim(shown, &format!("› session compacted: {before} → {after} tokens{gone}"));
            }
            Event::Status(status) => shown.status = status.clone(),
            Event::Diagnostic(diagnostic) => {
                let line = format!("{}[{}]: {}", diagnostic.severity, diagnostic.code, diagnostic.message);
                self.line(shown, &harmless(&line));
                shown.diagnostics.push(diagnostic.clone());
            }
            Event::Note(note) => {
                let note = harmless(note);
                let line = wrapped(&format!("note: {note}"), error_width(), "  ");
                self.line(shown, line.trim_end());
                shown.notes.push(note);
            }
            _ => {}
        }
    }
}

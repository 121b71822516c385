//! Asks the user at the terminal before a tool runs.

use super::face::Face;
use crate::{
    output::{DIM, HEAD, Output, WARN, harmless, wrapped},
    prompt,
    terminal::preview,
};
use skillful_assistant::{
    approval::{ApprovalAnswer, ApprovalRequest, Approver},
    tool::Reach,
};

/// With its indent and an answer it fits 80 columns.
const KEYS: &str = "[y] once  [a] this session  [n] no  [t] no, with instructions  [s] stop";

/// Asks at the terminal.
pub(crate) struct AtTerminal<'a> {
    pub(crate) face: &'a Face,
    pub(crate) output: Output,
}

impl AtTerminal<'_> {
    /// The text of the question, and how many lines of the preview it does not show.
    fn text(&self, question: &ApprovalRequest, most: usize) -> (String, usize) {
        let output = self.output;
        let mut out = format!(
            "{} {}\n",
            output.paint(WARN, "?"),
            output.paint(
                HEAD,
                &format!("{}: {}", harmless(&question.tool), preview::exact(&question.summary, 1, 1))
            )
        );
        let far = match question.reach {
            Reach::Nothing => "changes nothing",
            Reach::Project => "stays in the project",
            Reach::Beyond => "leaves the project",
            Reach::Machine => "beyond the project",
            Reach::Guarded => "guarded",
        };
        let skill = question.skill.as_deref();
        let skill = skill.map_or_else(String::new, |skill| format!(" · for the skill {}", harmless(skill)));
        let why = harmless(&question.why);
        for line in wrapped(&format!("{far}{skill} · {why}"), output.width.saturating_sub(2), "").lines() {
            out.push_str(&format!("  {}\n", output.paint(DIM, line)));
        }
        let left = question.preview.as_ref().map_or(0, |shown| {
            let (lines, left) = preview::lines(shown, output, most);
            out.push_str(&lines);
            left
        });
        if left > 0 {
            out.push_str(&output.paint(DIM, &format!("  … {left} more lines (d: show all)")));
            out.push('\n');
        }
        (out, left)
    }
}

impl Approver for AtTerminal<'_> {
    fn ask(&self, question: &ApprovalRequest) -> ApprovalAnswer {
        self.face.pause();
        let running = self.face.screen.pause();
        let answer = self.answer(question);
        self.face.asked(&harmless(&question.summary));
        self.face.screen.resume(running);
        answer
    }
}

impl AtTerminal<'_> {
    fn answer(&self, question: &ApprovalRequest) -> ApprovalAnswer {
        let (text, mut left) = self.text(question, preview::SHOWN);
        self.face.screen.tell(&text);
        let gone = || ApprovalAnswer::No(Some("the user could not be asked".to_owned()));
        loop {
            let more = if left > 0 { "  [d] show all" } else { "" };
            let Ok(key) = prompt::key(&format!("  {KEYS}{more} ")) else { return gone() };
            let echo = |word: &str| self.face.screen.tell(&format!("{word}\n"));
            match key.map(|key| key.to_ascii_lowercase()) {
                // A yes counts only for what was shown.
                Some(b'd' | b'y' | b'a') if left > 0 => {
                    echo("");
                    let (text, none) = self.text(question, usize::MAX);
                    left = none;
                    self.face.screen.tell(&text);
                }
                Some(b'y') => {
                    echo("yes");
                    return ApprovalAnswer::Once;
                }
                Some(b'a') => {
                    echo("always");
                    return ApprovalAnswer::Always;
                }
                Some(b'n') => {
                    echo("no");
                    return ApprovalAnswer::No(None);
                }
                Some(b't' | b'e') => {
                    echo("no");
                    let words = prompt::line("  what to do instead:").ok().flatten();
                    let words = words.map(|words| words.trim().to_owned());
                    return ApprovalAnswer::No(words.filter(|words| !words.is_empty()));
                }
                // Interrupt, end of input, or escape.
                None | Some(b's' | 3 | 4 | 27) => {
                    echo("stop");
                    return ApprovalAnswer::Stop;
                }
                Some(_) => echo(""),
            }
        }
    }
}

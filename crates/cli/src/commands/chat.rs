//! `chat`: a session with a model that uses the user's skills and tools.

mod own;

use crate::{
    args::ChatArgs,
    assistant::{Assistant, Said, Who, once, session},
    commands::{printed, ui},
    context::Context,
    error::{Exit, Failure, Outcome, failed},
    output::{self, DIM, HEAD, harmless},
    terminal::editor::{Lines, Typed},
    turn::message,
};
use own::Own;
use std::{
    collections::VecDeque,
    io::{BufRead, IsTerminal, Read, stderr, stdin, stdout},
    time::{Duration, Instant},
};

/// Two interrupts within this time leave.
const TWICE: Duration = Duration::from_secs(2);
/// Bytes of a line that comes in by a pipe.
const LINE_LIMIT: u64 = 16 << 20;
const PROMPT: &str = "› ";
use skillful_assistant::models::{CONNECT, Models};

pub(crate) fn run(context: &mut Context, args: &ChatArgs) -> Outcome {
    let connected = Models::of(&context.workspace)
        .connect(args.assistant.model.as_deref())?
        .ok_or_else(|| Failure::new("no model is connected").hint(CONNECT))?;
    let resumed = match (&args.resume, args.go_on) {
        (Some(word), _) => Some(session::find(context, word.as_deref())?),
        (None, true) => Some(session::find(context, None)?),
        (None, false) => None,
    };
    let kept = match resumed {
        Some((keeper, run, info)) => {
            let turns = if info.turns == 1 { "1 turn".to_owned() } else { format!("{} turns", info.turns) };
            let line = format!("going on with {} “{}” ({turns})", info.id, harmless(&info.title));
            output::tell(&format!("{}\n", context.output.paint(DIM, &line)));
            (keeper, run)
        }
        None => session::open(context, args.assistant.no_session, None)?,
    };
    let who = Who { user: args.user.as_deref(), agent: args.agent.as_deref() };
    let assistant = Assistant::new(context, connected, &args.assistant, who, kept)?;
    let mut chat = Chat { assistant, failed: false, no_session: args.assistant.no_session };
    let is_terminal = stdin().is_terminal() && stdout().is_terminal();
    if is_terminal && stderr().is_terminal() {
        chat.assistant.watch_keys();
    }
    if !args.message.is_empty() {
        let said =
            Said { message: message(&args.message)?, attachments: args.attach.clone(), ..Said::default() };
        chat.say(context, &said)?;
    }
    if is_terminal {
        chat.at_terminal(context)?;
    } else if args.message != ["-"] {
        chat.by_lines(context)?;
    }
    Ok(if chat.failed { Exit::Findings } else { Exit::Clean })
}

struct Chat {
    assistant: Assistant,
    failed: bool,
    no_session: bool,
}

impl Chat {
    /// One turn. A failure is reported, and the session goes on.
    fn say(&mut self, context: &mut Context, said: &Said) -> Result<(), Failure> {
        match self.assistant.say(context, said) {
            Ok(done) if context.output.json => {
                printed(context.output.print_json(&once::view(context, &self.assistant, &done)))?;
            }
            Ok(done) => {
                once::tell_end(&done.turned.end);
                once::tell_status(context, &self.assistant);
            }
            Err(_) if self.assistant.was_cancelled() => {
                output::tell(&format!("{}\n", context.output.paint(DIM, "stopped; what was done is kept")));
            }
            Err(failure) => {
                self.failed = true;
                output::tell(&format!("error: {}\n", harmless(&failure.message)));
                if let Some(cause) = &failure.cause {
                    output::tell(&format!("  cause: {}\n", harmless(cause)));
                }
                for hint in &failure.hints {
                    output::tell(&format!("  fix:   {}\n", harmless(hint)));
                }
            }
        }
        Ok(())
    }

    /// Handles a line of input: a command of the chat, or a message. Returns `false` when the user leaves.
    fn typed(&mut self, context: &mut Context, line: &str) -> Result<bool, Failure> {
        let text = line.trim();
        if text.is_empty() {
            return Ok(true);
        }
        match own::read(text) {
            Some((Own::Quit, _)) => return Ok(false),
            Some((command, rest)) => own::perform(self, context, command, rest)?,
            None => {
                if text.starts_with('/') {
                    // The skill may be new.
                    self.assistant.renew(context);
                }
                match own::unknown(context, text) {
                    Some(why) => output::tell(&format!("not sent: {}\n", harmless(&why))),
                    None => self.say(context, &Said { message: text.to_owned(), ..Said::default() })?,
                }
            }
        }
        Ok(true)
    }

    fn at_terminal(&mut self, context: &mut Context) -> Result<(), Failure> {
        let output = context.output;
        let mut lines = Lines::new(&context.workspace.paths().data, output.width, output.color)
            .map_err(failed("open the line editor"))?;
        if stderr().is_terminal() {
            self.tell_head(context);
        }
        let mut cleared: Option<Instant> = None;
        let mut sent = VecDeque::new();
        let mut begins = self.typed_meanwhile(&mut sent);
        loop {
            self.assistant.renew(context);
            lines.know(own::vocabulary(context, &context.workspace.catalog()));
            let typed = match sent.pop_front() {
                // As if it were typed at this prompt.
                Some(line) => {
                    output::tell(&format!("{PROMPT}{}\n", harmless(&line)));
                    Typed::Line(line)
                }
                None => lines.ask(PROMPT, &std::mem::take(&mut begins)).map_err(failed("read a line"))?,
            };
            match typed {
                Typed::End => break,
                Typed::Cleared => {
                    if cleared.is_some_and(|at| at.elapsed() < TWICE) {
                        break;
                    }
                    cleared = Some(Instant::now());
                    output::tell(&format!("{}\n", output.paint(DIM, "Ctrl-C again, or Ctrl-D, leaves")));
                }
                Typed::Switch(line) => {
                    cleared = None;
                    own::next_mode(self);
                    begins = line;
                }
                Typed::Line(line) => {
                    cleared = None;
                    if let sign @ ("/" | "$") = line.trim()
                        && ui::is_possible(context).is_ok()
                    {
                        begins = ui::pick_skill(context, sign)?;
                        continue;
                    }
                    let line = if line.trim() == "?" { "/help" } else { &line };
                    if !self.typed(context, line)? {
                        break;
                    }
                    // A line that was sent before leaves the text behind it for the prompt.
                    begins.push_str(&self.typed_meanwhile(&mut sent));
                }
            }
        }
        if let Some(id) = self.assistant.recorder.id() {
            let line = format!("`skillful chat --resume {}` goes on", harmless(&id));
            output::tell(&format!("{}\n", output.paint(DIM, &line)));
        }
        Ok(())
    }

    /// What was typed while the model worked: whole lines are sent next, and the rest begins the next prompt. A step that the
    /// user stopped gets no further line; all of them can be changed first.
    fn typed_meanwhile(&mut self, sent: &mut VecDeque<String>) -> String {
        let typed = self.assistant.take_typed();
        let (lines, rest) = typed.rsplit_once('\n').unwrap_or(("", &typed));
        sent.extend(lines.lines().filter(|line| !line.trim().is_empty()).map(str::to_owned));
        if !self.assistant.was_cancelled() {
            return rest.to_owned();
        }
        let waiting: Vec<String> = sent.drain(..).chain([rest.to_owned()]).collect();
        waiting.join("\n").trim_end().to_owned()
    }

    /// Who answers, where, in which mode, and the keys.
    fn tell_head(&self, context: &Context) {
        let output = context.output;
        let model = harmless(&self.assistant.models.usual.provider.model);
        let folder = context.named(&context.workspace.environment().cwd);
        output::tell(&format!("{}   {model}   {folder}\n", output.paint(HEAD, "skillful chat")));
        if let Some(note) = self.assistant.folder_note(context) {
            output::tell(&output::wrapped(&note, output::error_width(), "  "));
        }
        let line = "/ commands and skills   $ skills   shift-tab mode   ? help   ctrl-d quit";
        output::tell(&format!("{}\n", output.paint(DIM, line)));
    }

    /// One turn per line, when the input is not a terminal.
    fn by_lines(&mut self, context: &mut Context) -> Result<(), Failure> {
        let mut input = stdin().lock();
        loop {
            let mut line = String::new();
            let read = (&mut input).take(LINE_LIMIT).read_line(&mut line).map_err(failed("read a line"))?;
            if read == 0 || !self.typed(context, &line)? {
                return Ok(());
            }
        }
    }
}

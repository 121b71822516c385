//! `tour`: the program shows itself in a temporary folder, with its real commands and their real output.

mod demo_machine;
mod running;

use super::printed;
use crate::{
    args::{Global, TourArgs},
    error::{Exit, Failure, Outcome, failed},
    output::{DIM, HEAD, Output, tell},
    prompt,
};
use demo_machine::DemoMachine;
use running::Running;
use signal_hook::{
    consts::{SIGHUP, SIGINT, SIGTERM},
    iterator::Signals,
    low_level::emulate_default_handler,
};
use skillful::views::starter::{TourStep, TourView};
use std::{
    path::PathBuf,
    time::{Duration, Instant},
};

/// Lines of a command's output that a step shows; `o` shows the rest.
const SHOWN: usize = 16;
/// How long `--auto` waits after a step.
const PAUSE: Duration = Duration::from_secs(8);
/// Keys of the tour.
const CTRL_C: u8 = 3;
const CTRL_D: u8 = 4;

/// What a step asks, the commands that answer it, and what to notice.
struct Step {
    question: &'static str,
    commands: &'static [&'static [&'static str]],
    notice: &'static str,
}

const STEPS: [Step; 7] = [
    Step {
        question: "What do my agents load?",
        commands: &[&[]],
        notice: "the same machine, three different sets of skills.",
    },
    Step {
        question: "Why does Codex not see weekly-report?",
        commands: &[&["view", "--agent", "codex"]],
        notice: "each group has its reason and one fix.",
    },
    Step {
        question: "What is broken?",
        commands: &[&["check", "~/.claude/skills/pdf-tools"]],
        notice: "the line, the effect, and the repair.",
    },
    Step {
        question: "Which skill would a model use?",
        commands: &[&["ask", "turn my notes into the weekly report"]],
        notice: "no model and no network were used.",
    },
    Step {
        question: "What could this download do?",
        commands: &[&["audit", "~/downloads/setup-helper"]],
        notice: "it was downloaded and reached no agent.",
    },
    Step {
        question: "Decide about it",
        commands: &[&["review", "setup-helper"], &["review", "reject", "setup-helper"]],
        notice: "you answer once per skill; a changed skill asks again.",
    },
    Step {
        question: "The same skills on another machine",
        commands: &[&["sync", "--frozen"]],
        notice: "byte for byte, or an error.",
    },
];

pub(crate) fn run(global: &Global, args: &TourArgs) -> Outcome {
    let output = Output::new(global.json, global.color, |name| std::env::var(name).ok());
    let began = Instant::now();
    // Before the folder exists, so that no signal leaves it.
    let signals = Signals::new([SIGHUP, SIGINT, SIGTERM]).map_err(failed("listen for signals"))?;
    let machine =
        DemoMachine::build(|folder, running| delete_on_signal(signals, folder.to_path_buf(), running))?;
    let interactive = !global.json && prompt::is_possible() && output.is_table();
    if global.json {
        let steps = STEPS.iter().flat_map(|step| taken(step, &machine, &output));
        let steps = steps.collect::<Result<_, _>>()?;
        printed(output.print_json(&TourView::new(steps)))?;
        return Ok(Exit::Clean);
    }
    printed(
        output.print("A tour of Skillful in a temporary folder. Your files are not read or changed.\n\n"),
    )?;
    let mut at = 0;
    // A step changes the machine once; going back shows what it printed then.
    let mut seen: Vec<Vec<TourStep>> = Vec::new();
    while let Some(step) = STEPS.get(at) {
        if seen.len() == at {
            seen.push(taken(step, &machine, &output).collect::<Result<_, _>>()?);
        }
        printed(output.print(&text(at, &seen[at], SHOWN, &output)))?;
        if !interactive {
            at += 1;
            continue;
        }
        match asked(args, &seen[at], at, &output)? {
            TourAnswer::Next => at += 1,
            TourAnswer::Back => at = at.saturating_sub(1),
            TourAnswer::Quit => break,
        }
    }
    let is_whole = at == STEPS.len();
    drop(machine);
    let seconds = began.elapsed().as_secs();
    let end = if is_whole { format!("Tour finished in {seconds} seconds") } else { "Tour ended".to_owned() };
    printed(output.print(&format!("{end}; the folder was deleted.\nNow for your own machine: skillful\n")))?;
    Ok(Exit::Clean)
}

/// Runs the commands of a step.
fn taken<'a>(
    step: &'a Step,
    machine: &'a DemoMachine,
    output: &'a Output,
) -> impl Iterator<Item = Result<TourStep, Failure>> + 'a {
    step.commands.iter().map(move |words| {
        let done = machine.run(words, output.width.min(100), output.color)?;
        let mut printed = String::from_utf8_lossy(&done.stdout).into_owned();
        printed.push_str(&String::from_utf8_lossy(&done.stderr));
        let home = machine.folder().join("home").display().to_string();
        Ok(TourStep {
            question: step.question.to_owned(),
            command: shown(words),
            output: printed.replace(&home, "~"),
            exit: done.status.code(),
            notice: step.notice.to_owned(),
        })
    })
}

/// A command as a user types it.
fn shown(words: &[&str]) -> String {
    let quoted =
        words.iter().map(|word| if word.contains(' ') { format!("\"{word}\"") } else { (*word).to_owned() });
    std::iter::once("skillful".to_owned()).chain(quoted).collect::<Vec<_>>().join(" ")
}

/// A step: its question, each command with the first lines of its output, and what to notice.
fn text(at: usize, commands: &[TourStep], lines: usize, output: &Output) -> String {
    let mut out = String::new();
    for (number, step) in commands.iter().enumerate() {
        if number == 0 {
            let title = format!("{}/{}  {}", at + 1, STEPS.len(), step.question);
            out.push_str(&format!("{}\n", output.paint(HEAD, &title)));
        }
        out.push_str(&format!("$ {}\n", step.command));
        let all: Vec<&str> = step.output.trim_end().lines().collect();
        let room = if all.len() > lines { lines - 1 } else { all.len() };
        for line in &all[..room] {
            // Colours are the program's own; everything else in the output was escaped by the command.
            out.push_str(line);
            out.push('\n');
        }
        if all.len() > room {
            out.push_str(&output.paint(DIM, &format!("  … {} more lines", all.len() - room)));
            out.push('\n');
        }
    }
    if let Some(step) = commands.first() {
        out.push_str(&format!("Notice: {}\n\n", step.notice));
    }
    out
}

/// What the user wants next.
enum TourAnswer {
    Next,
    Back,
    Quit,
}

/// Waits for a key, or for the pause of `--auto`.
fn asked(args: &TourArgs, step: &[TourStep], at: usize, output: &Output) -> Result<TourAnswer, Failure> {
    if args.auto {
        std::thread::sleep(PAUSE);
        return Ok(TourAnswer::Next);
    }
    loop {
        let question = output.paint(DIM, "enter next   b back   o whole output   q quit");
        let key = prompt::key(&question).map_err(failed("read a key"))?;
        tell("\r\x1b[K");
        match key {
            Some(b'\n' | b'\r' | b' ' | b'n') => return Ok(TourAnswer::Next),
            Some(b'b') => return Ok(TourAnswer::Back),
            Some(b'o') => printed(output.print(&text(at, step, usize::MAX, output)))?,
            Some(b'q' | CTRL_C | CTRL_D) | None => return Ok(TourAnswer::Quit),
            Some(_) => {}
        }
    }
}

/// A signal that ends the program ends the command that runs and deletes the folder first.
fn delete_on_signal(mut signals: Signals, folder: PathBuf, running: Running) {
    std::thread::spawn(move || {
        for signal in signals.forever() {
            running.end();
            if let Err(error) = std::fs::remove_dir_all(&folder) {
                tell(&format!("{} was not deleted: {error}\n", folder.display()));
            }
            let _ends_here = emulate_default_handler(signal);
        }
    });
}

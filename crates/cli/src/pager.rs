//! The user's pager, for text that is longer than the terminal.

use std::{
    env,
    io::{self, Write as _},
    process::{Command, Stdio},
};

/// Shows a text in `$PAGER`, else in `less`. Returns whether a pager ran: a pager that is not there, or is `cat` or
/// empty, leaves the text to the caller.
pub(crate) fn run(text: &str) -> io::Result<bool> {
    let named = env::var("SKILLFUL_PAGER").or_else(|_| env::var("PAGER"));
    let pager = named.unwrap_or_else(|_| "less".to_owned());
    if matches!(pager.trim(), "" | "cat") {
        return Ok(false);
    }
    let mut command = Command::new("/bin/sh");
    command.arg("-c").arg(format!("exec {pager}")).stdin(Stdio::piped());
    // Colours pass, and a text that fits is left on the screen.
    if env::var_os("LESS").is_none() {
        command.env("LESS", "FRX");
    }
    let program = pager.split_whitespace().next().unwrap_or_default();
    if !is_there(program) {
        return Ok(false);
    }
    let Ok(mut child) = command.spawn() else { return Ok(false) };
    if let Some(mut input) = child.stdin.take() {
        match input.write_all(text.as_bytes()) {
            // The user left before the end.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {}
            written => written?,
        }
    }
    child.wait()?;
    Ok(true)
}

fn is_there(program: &str) -> bool {
    if program.contains('/') {
        return std::path::Path::new(program).is_file();
    }
    env::var_os("PATH")
        .is_some_and(|path| env::split_paths(&path).any(|folder| folder.join(program).is_file()))
}

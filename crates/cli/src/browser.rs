//! Shows the user a page: its address on the terminal, and in a browser where there is one.

use crate::{context::Context, output};
use skillful_assistant::servers::OpenPage;
use std::process::{Command, Stdio};

/// The program that opens pages, when no `BROWSER` is named.
const OPENER: &str = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };

/// The browser of the user.
fn program(context: &Context) -> String {
    let browser = context.workspace.environment().variable("BROWSER").filter(|name| !name.is_empty());
    browser.unwrap_or_else(|| OPENER.to_owned())
}

/// Opens an address with a program. Without a browser the user opens the address.
fn start(program: &str, page: &str) {
    let mut command = Command::new(program);
    command.arg(page).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let _none = command.spawn();
}

/// Opens pages to sign in at with the browser of the user.
pub(crate) fn opener(context: &Context) -> OpenPage {
    let program = program(context);
    Box::new(move |page, issuer| {
        let (issuer, shown) = (output::harmless(issuer), output::harmless(page));
        output::tell(&format!("note: sign in at {issuer} in your browser:\n  {shown}\n"));
        start(&program, page);
    })
}

/// Opens a page of our own with the browser of the user.
pub(crate) fn open(context: &Context, page: &str) {
    start(&program(context), page);
}

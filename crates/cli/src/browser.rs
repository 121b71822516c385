//! Shows the user a page to sign in at: its address on the terminal, and in a browser where there is one.

use crate::{context::Context, output};
use skillful_assistant::servers::OpenPage;
use std::process::{Command, Stdio};

/// The program that opens pages, when no `BROWSER` is named.
const OPENER: &str = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };

/// Opens pages with the browser of the user.
pub(crate) fn opener(context: &Context) -> OpenPage {
    let environment = context.workspace.environment();
    let browser = environment.variable("BROWSER").filter(|name| !name.is_empty());
    let program = browser.unwrap_or_else(|| OPENER.to_owned());
    Box::new(move |page, issuer| {
        let (issuer, shown) = (output::harmless(issuer), output::harmless(page));
        output::tell(&format!("note: sign in at {issuer} in your browser:\n  {shown}\n"));
        let mut command = Command::new(&program);
        command.arg(page).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        // Without a browser the user opens the address.
        let _none = command.spawn();
    })
}

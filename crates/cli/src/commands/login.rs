//! `login` and `logout`: the user's sign-in to a team server.

use super::{library, printed};
use crate::{
    args::{LoginArgs, LogoutArgs},
    browser,
    context::Context,
    error::{Exit, Failure, Outcome, failed},
    output::{Cell, Table, harmless, tell},
};
use secrecy::{ExposeSecret as _, SecretString};
use skillful::{
    Library, calendar,
    library::{LibraryError, SavedSignIn, ServerState, SignedIn},
    team_server::{DeviceAnswer, DeviceCodes, GrantedToken, TeamServer},
    views::team::{TeamSignIn, TeamSignIns},
};
use std::{
    io::Read as _,
    thread::sleep,
    time::{Duration, Instant, SystemTime},
};

/// Bytes of a token that is read.
const TOKEN: u64 = 4_096;
/// Seconds that are added when a server asks to slow down.
const SLOWER: u64 = 5;

pub(crate) fn run(context: &Context, args: &LoginArgs) -> Outcome {
    let library = library::user(context)?;
    let Some(address) = args.address.as_deref().filter(|_| !args.status) else {
        return status(context, &library);
    };
    let saved = if args.token { given()? } else { confirmed(context, args, address)? };
    let signed_in = library.sign_in(address, args.label.as_deref(), &saved)?;
    if context.output.json {
        return report(context, &[signed_in]);
    }
    let user = signed_in.user.as_ref().map(|user| harmless(user.label())).unwrap_or_default();
    let (label, address) = (harmless(&signed_in.label), harmless(&signed_in.address));
    let until = signed_in.expires.map(|at| format!(" until {}", calendar::date(at))).unwrap_or_default();
    printed(context.output.print(&format!(
        "signed in to {address} as {user}{until}\nnext: skillful sync --team\n      skillful source browse {label}\n"
    )))?;
    Ok(Exit::Clean)
}

/// A token on standard input.
fn given() -> Result<SavedSignIn, Failure> {
    let mut text = String::new();
    std::io::stdin().lock().take(TOKEN).read_to_string(&mut text).map_err(failed("read the token"))?;
    let token = SecretString::from(text.trim().to_owned());
    if token.expose_secret().is_empty() || token.expose_secret().contains(char::is_whitespace) {
        return Err(Failure::usage("standard input has no token")
            .hint("echo \"$TOKEN\" | skillful login ADDRESS --token"));
    }
    Ok(SavedSignIn::new(&token, None, String::new(), String::new()))
}

/// The user confirms a code on the page of the server.
fn confirmed(context: &Context, args: &LoginArgs, address: &str) -> Result<SavedSignIn, Failure> {
    let server = TeamServer::new(address, None).map_err(LibraryError::from)?;
    let codes = server
        .begin_sign_in(&machine(context), &args.scope.join(" "), args.days)
        .map_err(LibraryError::from)?;
    let page = codes.verification_uri_complete.as_deref().unwrap_or(&codes.verification_uri);
    tell(&format!("your code is {}\n", harmless(&codes.user_code)));
    if args.no_browser {
        tell(&format!("open this page, sign in, and confirm the code:\n  {}\n", harmless(page)));
    } else {
        browser::opener(context)(page, address);
    }
    let token = waited(&server, &codes)?;
    let expires = calendar::seconds(SystemTime::now()).saturating_add(token.expires_in);
    Ok(SavedSignIn::new(&token.access_token, Some(expires), token.scope, token.token_id))
}

fn waited(server: &TeamServer, codes: &DeviceCodes) -> Result<GrantedToken, Failure> {
    let until = Instant::now() + Duration::from_secs(codes.expires_in.min(3_600));
    let mut interval = codes.interval.clamp(1, 60);
    let mut lost = 0;
    while Instant::now() < until {
        let left = until.saturating_duration_since(Instant::now());
        sleep(Duration::from_secs(interval).min(left));
        match server.ask_sign_in(codes) {
            Ok(DeviceAnswer::Granted(token)) => return Ok(token),
            Ok(DeviceAnswer::Pending) => lost = 0,
            Ok(DeviceAnswer::TooFast) => interval += SLOWER,
            // A connection that is lost for a moment does not end the sign-in.
            Err(error) if error.is_away() && lost < 5 => lost += 1,
            Err(error) => return Err(LibraryError::from(error).into()),
        }
    }
    Err(Failure::new("the code was not confirmed in time").hint("skillful login ADDRESS"))
}

/// The name by which the user finds the token later.
fn machine(context: &Context) -> String {
    let known = std::fs::read_to_string("/proc/sys/kernel/hostname").ok();
    let named = known.or_else(|| context.workspace.environment().variable("HOSTNAME"));
    named
        .map(|name| name.trim().to_owned())
        .filter(|name| !name.is_empty())
        .unwrap_or_else(|| "a machine".to_owned())
}

pub(crate) fn out(context: &Context, args: &LogoutArgs) -> Outcome {
    let library = library::user(context)?;
    let (label, address, left) = library.sign_out(args.server.as_deref())?;
    if let Some(why) = &left {
        tell(&format!("warning: the server did not revoke the token: {}\n", harmless(why)));
    }
    if context.output.json {
        let state = ServerState::SignedOut("signed out".to_owned());
        let gone = SignedIn { label, address, user: None, expires: None, scopes: String::new(), state };
        return report(context, &[gone]);
    }
    let address = harmless(&address);
    printed(context.output.print(&format!("signed out of {address}; installed skills stay\n")))?;
    Ok(Exit::Clean)
}

fn report(context: &Context, servers: &[SignedIn]) -> Outcome {
    printed(context.output.print_json(&TeamSignIns::of(servers)))?;
    Ok(Exit::Clean)
}

fn status(context: &Context, library: &Library<'_>) -> Outcome {
    let servers = library.sign_ins()?;
    let view = TeamSignIns::of(&servers);
    let exit = if !servers.is_empty() && servers.iter().all(|one| one.state == ServerState::SignedIn) {
        Exit::Clean
    } else {
        Exit::Findings
    };
    if context.output.json {
        printed(context.output.print_json(&view))?;
        return Ok(exit);
    }
    if servers.is_empty() {
        printed(
            context.output.print("you are not signed in to a team server\nnext: skillful login ADDRESS\n"),
        )?;
        return Ok(exit);
    }
    let row = |it: &TeamSignIn| {
        let until = it.expires.map(calendar::date).unwrap_or_default();
        let user = it.user.clone().unwrap_or_default();
        vec![
            Cell::plain(&it.label),
            Cell::plain(&it.address),
            Cell::plain(&user),
            Cell::plain(&until),
            Cell::plain(it.state),
        ]
    };
    let heads = vec!["LABEL", "ADDRESS", "USER", "UNTIL", "STATE"];
    let table = Table { heads, rows: view.servers.iter().map(row).collect() };
    printed(context.output.print(&table.render(&context.output)))?;
    for (label, why) in view.servers.iter().filter_map(|it| Some((&it.label, it.why.as_ref()?))) {
        tell(&format!("{}: {}\n", harmless(label), harmless(why)));
    }
    Ok(exit)
}

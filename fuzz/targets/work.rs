//! Fuzzes what a skill can run: commands of bodies, hooks, and requests at the proxy's socket.

#![no_main]

use libfuzzer_sys::fuzz_target;
use skillful_credentials::proxy::Request;
use skillful_format::{Document, Sidecars};
use skillful_render::{Arguments, shell, substitution::OWN_DIALECT, substitution::Values};
use skillful_runtime::hooks::Hooks;

/// An argument that no author writes: if it occurs in the text of a command, it was inserted there.
const MARK: &str = "zq9!x";

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    let values = Values {
        arguments: Arguments::new(MARK),
        names: vec!["issue".to_owned()],
        variables: [("HOST".to_owned(), MARK.to_owned())].into(),
        ..Values::default()
    };
    let command = shell::command(&text, &values, &OWN_DIALECT);
    assert!(text.contains(MARK) || !command.text.contains(MARK), "an argument became text of a command");
    let (hooks, _) = Hooks::of(&Document::read(bytes, &Sidecars::default()).manifest);
    assert!(hooks.0.len() <= 2 * skillful_runtime::hooks::HOOKS);
    if let Ok(request) = Request::from_line(bytes) {
        let again = Request::from_line(&request.to_line());
        assert_eq!(again.as_ref(), Ok(&request), "a request is not what it was written from");
    }
});

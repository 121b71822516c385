use super::{braces, dollars};
use serde_json::json;
use skillful_catalog::Environment;
use std::fs;

fn environment(folder: &std::path::Path) -> Environment {
    let variables = [("A", "one"), ("EMPTY", "")].map(|(name, value)| (name.to_owned(), value.to_owned()));
    Environment { home: folder.join("home"), variables: variables.into(), ..Environment::default() }
}

#[test]
fn braces_take_variables_and_files() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("home")).unwrap();
    fs::write(folder.path().join("x.txt"), " a\"b\n").unwrap();
    fs::write(folder.path().join("home/y.txt"), "home\n").unwrap();
    let environment = environment(folder.path());
    for (text, wanted) in [
        ("\"{env:A}\"", Ok("\"one\"")),
        ("\"{env:NOT_SET}{env:EMPTY}\"", Ok("\"\"")),
        ("{env:}", Ok("{env:}")),
        ("{env:A", Ok("{env:A")),
        ("\"{file:./x.txt}\"", Ok("\"a\\\"b\"")),
        ("\"{file:~/y.txt}\"", Ok("\"home\"")),
        ("  // {file:./nothing}\n1", Ok("  // {file:./nothing}\n1")),
        ("\"{file:./nothing}\"", Err(())),
    ] {
        let found = braces(text, folder.path(), &environment);
        assert_eq!(found.as_deref().map_err(|_| ()), wanted, "{text}");
    }
}

#[test]
fn dollars_take_variables_and_defaults() {
    let folder = tempfile::tempdir().unwrap();
    let environment = environment(folder.path());
    let mut value =
        json!(["$A", "x${A}y", "${B:-two}", "$B", "${B}", "$", "$-", "${}", "${A", "$EMPTY", {"k": "$A"}]);
    dollars(&mut value, &environment);
    assert_eq!(
        value,
        json!(["one", "xoney", "two", "$B", "${B}", "$", "$-", "${}", "${A", "", {"k": "one"}])
    );
}

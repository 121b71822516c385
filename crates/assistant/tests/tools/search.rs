use crate::harness::Harness;
use serde_json::json;
use skillful_assistant::tool::{RESULT_LIMIT, Reach};

fn harness() -> Harness {
    let harness = Harness::new();
    harness.file(".gitignore", "target/\n*.log\n");
    harness.file("src/main.rs", "fn main() {\n    hello();\n}\n\n\n\nfn hello() {}\n");
    harness.file("src/deep/lib.rs", "// Hello\n");
    harness.file("notes.md", "hello\n");
    harness.file("target/out.rs", "hello\n");
    harness.file("a.log", "hello\n");
    harness.file(".git/config", "hello\n");
    harness.file(".hidden", "hello\n");
    harness.file("data.bin", b"hello\0");
    harness.file(".env", "HELLO=hello\n");
    harness.link("out", harness.path("outside"));
    harness.file("../../outside/x.rs", "hello\n");
    harness
}

#[test]
fn a_folder_is_listed_in_order_without_what_is_ignored() {
    let harness = harness();
    let found = harness.call("list_dir", json!({ "depth": 2 }));
    let outside = harness.path("outside");
    let expected = format!(
        ".env  (12 bytes)\n.gitignore  (14 bytes)\n.hidden  (6 bytes)\ndata.bin  (6 bytes)\nnotes.md  (6 bytes)\n\
         out -> {}\nsrc/\n  deep/\n  main.rs  (44 bytes)\n",
        outside.display()
    );
    assert_eq!(found.text, expected);
    assert!(harness.call("list_dir", json!({ "path": "notes.md" })).text.contains("is a file"));
    assert_eq!(harness.plan("list_dir", json!({ "path": ".." })).unwrap().reach, Reach::Beyond);
    assert!(harness.call("list_dir", json!({ "path": "/proc/self" })).text.contains("kernel"));
}

#[test]
fn files_are_found_by_their_paths_and_no_link_is_followed() {
    let harness = harness();
    let find = |pattern: &str| harness.call("glob", json!({ "pattern": pattern })).text;
    assert_eq!(find("*.rs"), "src/deep/lib.rs\nsrc/main.rs\n");
    assert_eq!(find("src/*.rs"), "src/main.rs\n");
    assert_eq!(find("**/*.{rs,md}"), "notes.md\nsrc/deep/lib.rs\nsrc/main.rs\n");
    assert_eq!(find("*.nothing"), "No file matches.\n");
    for bad in ["/etc/*", "../*", "a[", "~/*"] {
        assert!(find(bad).starts_with("the argument `pattern` must be a pattern"), "{bad}");
    }
    assert_eq!(
        harness.call("glob", json!({ "pattern": "*.rs", "path": "src/deep" })).text,
        "src/deep/lib.rs\n"
    );
}

#[test]
fn lines_are_found_with_their_numbers_and_key_files_are_skipped() {
    let harness = harness();
    let found = harness.call("grep", json!({ "pattern": "hello" }));
    assert_eq!(
        found.text,
        ".hidden:1:hello\nnotes.md:1:hello\nsrc/main.rs:2:    hello();\nsrc/main.rs:7:fn hello() {}\n\
         (1 file that may hold keys was not searched; name one as `path`)\n"
    );
    let one = harness.plan("grep", json!({ "pattern": "x", "path": ".env" })).unwrap();
    assert_eq!(
        (one.reach, one.summary.as_str()),
        (Reach::Guarded, "search for x in .env (it may hold keys)")
    );
    let around = harness
        .call("grep", json!({ "pattern": "HELLO\\(", "ignore_case": true, "context": 1, "glob": "*.rs" }));
    assert_eq!(
        around.text,
        "src/main.rs-1-fn main() {\nsrc/main.rs:2:    hello();\nsrc/main.rs-3-}\n--\nsrc/main.rs-6-\nsrc/main.rs:7:fn hello() {}\n"
    );
    let near = harness.call("grep", json!({ "pattern": "hello|main", "context": 2, "path": "src/main.rs" }));
    assert_eq!(
        near.text,
        "src/main.rs:1:fn main() {\nsrc/main.rs:2:    hello();\nsrc/main.rs-3-}\nsrc/main.rs-4-\nsrc/main.rs-5-\nsrc/main.rs-6-\nsrc/main.rs:7:fn hello() {}\n"
    );
    let few = harness.call("grep", json!({ "pattern": "hello", "max": 2 }));
    assert!(
        few.text.contains("more than 2 lines match") && few.text.matches("hello").count() == 2,
        "{}",
        few.text
    );
    assert_eq!(
        harness.call("grep", json!({ "pattern": "^$", "path": "notes.md" })).text,
        "Nothing matches.\n"
    );
}

#[test]
fn a_search_is_bounded_whatever_is_asked() {
    let harness = Harness::new();
    harness.file("a", format!("{}\n", "x".repeat(1 << 20)));
    harness.file("b", "word and word\n".repeat(50_000));
    let wide = harness.call("grep", json!({ "pattern": "x+", "path": "a" }));
    assert!(wide.text.len() < 1000, "{}", wide.text.len());
    let many = harness.call("grep", json!({ "pattern": "word", "max": 1000, "context": 10 }));
    assert!(many.text.len() <= RESULT_LIMIT && many.text.contains("match"), "{}", many.text.len());
    for (pattern, said) in [
        ("(", "must be a regular expression"),
        ("(?=a)", "must be a regular expression"),
        ("\\w{5000}{5000}", "must be a regular expression"),
        ("", "from 1 to 4096 bytes"),
    ] {
        let found = harness.call("grep", json!({ "pattern": pattern }));
        assert!(found.failed && found.text.contains(said), "{}", found.text);
    }
    harness.cancel.cancel();
    assert!(harness.call("grep", json!({ "pattern": "word" })).text.contains("cancelled"));
    assert!(harness.call("list_dir", json!({})).text.contains("cancelled"));
}

#[test]
fn a_project_that_contains_the_home_is_ignored() {
    let harness = Harness::new();
    harness.file("../notes", "n");
    let mut env = harness.env(None);
    env.project = harness.path("home");
    env.folder = harness.path("home");
    let tools = crate::harness::all();
    let read = tools.iter().find(|tool| tool.spec().name == "read_file").unwrap();
    let arguments = json!({ "path": "notes" }).as_object().unwrap().clone();
    assert_eq!(read.plan(&arguments, &env).unwrap().reach, Reach::Beyond);
}

use crate::harness::{Harness, all};
use serde_json::json;
use skillful_assistant::{
    tool::{Effect, Preview, RESULT_LIMIT, Reach},
    tools::{Web, built_in},
};
use std::{
    fs,
    os::unix::fs::{PermissionsExt, symlink},
};

#[test]
fn every_tool_has_a_strict_schema_and_refuses_what_it_does_not_know() {
    let harness = Harness::new();
    let env = harness.env(None);
    let words: usize = all()
        .iter()
        .map(|tool| tool.spec())
        .map(|spec| spec.description.len() + spec.schema.to_string().len())
        .sum();
    assert!(words < 7_000, "each word is read in every session: {words}");
    for tool in all() {
        let spec = tool.spec();
        assert_eq!(spec.schema["additionalProperties"], false, "{}", spec.name);
        assert!(spec.description.len() < 1_200, "{}", spec.name);
        let unknown = json!({ "nonsense": 1 }).as_object().unwrap().clone();
        let error = tool.plan(&unknown, &env).err().unwrap();
        assert!(error.starts_with("no argument named `nonsense`; the arguments are "), "{error}");
        let properties = spec.schema["properties"].as_object().unwrap();
        assert!(properties.keys().all(|name| error.contains(name.as_str())), "{error}");
    }
    let names =
        |search| built_in(search, Web::default()).iter().map(|tool| tool.spec().name).collect::<Vec<_>>();
    assert!(!names(None).contains(&"web_search".to_owned()), "absent when nothing is configured");
    assert_eq!(names(Some("http://x")).len(), 10);
}

#[test]
fn a_file_is_read_with_line_numbers_and_names_the_next_offset() {
    let harness = Harness::new();
    harness.file("a.txt", "one\ntwo\nthree");
    let found = harness.call("read_file", json!({ "path": "a.txt" }));
    assert_eq!((found.text.as_str(), found.failed), ("     1\tone\n     2\ttwo\n     3\tthree\n", false));
    let part = harness.call("read_file", json!({ "path": "./a.txt", "offset": 2, "limit": 1 }));
    assert_eq!(part.text, "     2\ttwo\n(5 bytes left; continue with offset 3)\n");
    assert_eq!(part.cut, 5);
    let far = harness.call("read_file", json!({ "path": "a.txt", "offset": 9 }));
    assert_eq!((far.text.as_str(), far.failed), ("`a.txt` has 3 lines; there is no line 9", true));
    harness.file("empty", "");
    assert_eq!(harness.call("read_file", json!({ "path": "empty" })).text, "`empty` is empty.");
    harness.file("dos.txt", "a\r\nb\r\n");
    let dos = harness.call("read_file", json!({ "path": "dos.txt" })).text;
    assert_eq!(dos, "     1\ta\n     2\tb\n(lines end with CRLF; edit_file keeps that)\n");
}

#[test]
fn reading_is_bounded_for_every_content() {
    let harness = Harness::new();
    harness.file("wide", format!("{}\nend\n", "é".repeat(1 << 20)));
    let wide = harness.call("read_file", json!({ "path": "wide" }));
    assert!(
        wide.text.len() < 3000
            && wide.text.contains("more bytes in this line")
            && wide.text.contains("2\tend")
    );
    harness.file("long", "a line of some words\n".repeat(20_000));
    let long = harness.call("read_file", json!({ "path": "long" }));
    assert!(
        long.text.len() <= RESULT_LIMIT && long.text.contains("continue with offset "),
        "{}",
        long.text.len()
    );
    let next: usize = long.text.rsplit_once("offset ").unwrap().1.trim_end_matches(")\n").parse().unwrap();
    let after = harness.call("read_file", json!({ "path": "long", "offset": next, "limit": 1 })).text;
    assert!(after.starts_with(&format!("{next:>6}\ta line")), "{after}");
    let most = harness.call("read_file", json!({ "path": "long", "limit": 2001 }));
    assert!(most.failed && most.text.contains("must be a whole number from 1 to 2000"), "{}", most.text);
}

#[test]
fn an_image_is_shown_as_an_image() {
    let harness = Harness::new();
    let formats: [(&str, &[u8]); 4] = [
        ("a.png", b"\x89PNG\r\n\x1a\n\0\0\0"),
        ("a.jpg", b"\xff\xd8\xff\xe0\0"),
        ("a.gif", b"GIF89a\0"),
        ("a.webp", b"RIFF\0\0\0\0WEBPVP8 "),
    ];
    for (path, bytes) in formats {
        harness.file(path, bytes);
        let found = harness.call("read_file", json!({ "path": path }));
        assert!(found.text.contains("is an image of") && !found.failed, "{}", found.text);
        assert_eq!(found.image, skillful_assistant::image::Image::new(bytes), "{path}");
        assert!(found.image.is_some());
    }
}

#[test]
fn binary_files_are_named_and_not_shown() {
    let harness = Harness::new();
    harness.file("a.pdf", b"%PDF-1.7\n\0\0");
    harness.file("a.bin", b"abc\0def");
    harness.file("latin.txt", b"caf\xe9\n");
    for (path, said) in [
        ("a.pdf", "a PDF document of 11 bytes"),
        ("a.bin", "binary data of 7 bytes"),
        ("latin.txt", "not UTF-8 at line 1"),
    ] {
        let found = harness.call("read_file", json!({ "path": path }));
        assert!(found.text.contains(said) && !found.failed, "{}", found.text);
    }
}

#[test]
fn only_regular_files_are_ever_opened() {
    let harness = Harness::new();
    rustix_fifo(&harness.path("home/work/pipe"));
    harness.link("zero", "/dev/zero");
    harness.link("environ", "/proc/self/environ");
    harness.link("fd", "/proc/self/fd/0");
    for path in [
        "pipe",
        "zero",
        "environ",
        "/proc/self/environ",
        "/proc/self/root/proc/1/environ",
        "/dev/null",
        "/sys/kernel/notes",
    ] {
        let found = harness.call("read_file", json!({ "path": path }));
        assert!(found.failed && found.text.contains("are never opened"), "{path}: {}", found.text);
    }
    let folder = harness.call("read_file", json!({ "path": "." }));
    assert!(folder.failed && folder.text.contains("list_dir"), "{}", folder.text);
    assert!(harness.call("write_file", json!({ "path": "pipe", "content": "x" })).failed);
}

fn rustix_fifo(path: &std::path::Path) {
    let done = std::process::Command::new("mkfifo").arg(path).status().unwrap();
    assert!(done.success());
}

#[test]
fn a_path_is_judged_by_its_real_path() {
    let mut harness = Harness::new();
    harness.grants.readable.push(harness.path("outside"));
    harness.file("../../outside/x", "x");
    harness.file("../notes", "n");
    harness.file("src/a.rs", "");
    harness.link("to_skills", harness.path("home/.agents/skills"));
    harness.link("to_home", harness.path("home"));
    harness.link("dangling", harness.path("home/.agents/skills/new/SKILL.md"));
    harness.link("loop", "loop");
    for (path, reading, writing, real) in [
        ("src/a.rs", Reach::Nothing, Reach::Project, "home/work/src/a.rs"),
        ("src/../src/./a.rs", Reach::Nothing, Reach::Project, "home/work/src/a.rs"),
        ("~/work/new/deep/file", Reach::Nothing, Reach::Project, "home/work/new/deep/file"),
        ("to_skills/x/SKILL.md", Reach::Nothing, Reach::Guarded, "home/.agents/skills/x/SKILL.md"),
        ("to_skills/../y", Reach::Beyond, Reach::Guarded, "home/.agents/y"),
        ("dangling", Reach::Nothing, Reach::Guarded, "home/.agents/skills/new/SKILL.md"),
        ("to_home/notes", Reach::Beyond, Reach::Machine, "home/notes"),
        ("../notes", Reach::Beyond, Reach::Machine, "home/notes"),
        ("~/notes", Reach::Beyond, Reach::Machine, "home/notes"),
        ("../../outside/x", Reach::Nothing, Reach::Machine, "outside/x"),
        (
            "sub/.Agents/SKILLS/evil/SKILL.md",
            Reach::Nothing,
            Reach::Guarded,
            "home/work/sub/.Agents/SKILLS/evil/SKILL.md",
        ),
        ("CLAUDE.md", Reach::Nothing, Reach::Guarded, "home/work/CLAUDE.md"),
        (".git/hooks/pre-commit", Reach::Nothing, Reach::Guarded, "home/work/.git/hooks/pre-commit"),
        (".env", Reach::Guarded, Reach::Machine, "home/work/.env"),
        ("~/.ssh/id_ed25519", Reach::Guarded, Reach::Machine, "home/.ssh/id_ed25519"),
    ] {
        let read = harness.plan("read_file", json!({ "path": path })).unwrap();
        let write = harness.plan("write_file", json!({ "path": path, "content": "new" })).unwrap();
        assert_eq!((read.reach, write.reach), (reading, writing), "{path}");
        assert_eq!(read.effects, [Effect::Read(harness.path(real))], "{path}");
        assert_eq!(write.effects, [Effect::Write(harness.path(real))], "{path}");
    }
    let keys = harness.plan("read_file", json!({ "path": ".env" })).unwrap();
    assert_eq!(keys.summary, "read .env (it may hold keys)");
    let guarded = harness.plan("write_file", json!({ "path": "AGENTS.md", "content": "x\n" })).unwrap();
    assert_eq!(guarded.summary, "create AGENTS.md (+1 −0; it instructs agents)");
    assert!(
        harness.plan("read_file", json!({ "path": "loop" })).unwrap_err().contains("too many symbolic links")
    );
    assert!(harness.plan("read_file", json!({ "path": "" })).unwrap_err().contains("the path is empty"));
}

#[test]
fn a_path_that_becomes_a_link_after_it_was_judged_is_refused() {
    let harness = Harness::new();
    harness.file("../secret", "secret");
    let file = harness.file("a", "fine\n");
    let swap = || {
        fs::remove_file(&file).unwrap();
        symlink(harness.path("home/secret"), &file).unwrap();
    };
    let read = harness.meanwhile("read_file", json!({ "path": "a" }), swap);
    assert!(read.failed && read.text.contains("became a link"), "{}", read.text);
    let folder = harness.path("home/work/sub");
    harness.file("sub/a", "fine\n");
    let swap = || {
        fs::remove_dir_all(&folder).unwrap();
        symlink(harness.path("home/.agents/skills"), &folder).unwrap();
    };
    let wrote = harness.meanwhile("write_file", json!({ "path": "sub/new", "content": "x" }), swap);
    assert!(wrote.failed && wrote.text.contains("became a link"), "{}", wrote.text);
    assert!(!harness.path("home/.agents/skills/new").exists());
}

#[test]
fn a_written_file_is_shown_as_a_diff_and_replaced_atomically() {
    let harness = Harness::new();
    let made =
        harness.plan("write_file", json!({ "path": "deep/er/a.txt", "content": "one\ntwo\n" })).unwrap();
    assert_eq!((made.summary.as_str(), made.reach), ("create deep/er/a.txt (+2 −0)", Reach::Project));
    assert_eq!(
        made.preview,
        Some(Preview::Diff("--- /dev/null\n+++ b/deep/er/a.txt\n@@ -0,0 +1,2 @@\n+one\n+two\n".to_owned()))
    );
    assert!(!harness.path("home/work/deep").exists(), "a plan changes nothing");
    let done = harness.call("write_file", json!({ "path": "deep/er/a.txt", "content": "one\ntwo\n" }));
    assert_eq!((done.text.as_str(), done.failed), ("Created `deep/er/a.txt`, 2 lines.", false));
    let file = harness.path("home/work/deep/er/a.txt");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o750)).unwrap();
    let done = harness.call("write_file", json!({ "path": "deep/er/a.txt", "content": "one\nthree\n" }));
    assert_eq!(done.text, "Changed `deep/er/a.txt`: 1 line added, 1 removed.");
    assert_eq!(harness.text("deep/er/a.txt"), "one\nthree\n");
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o750);
    assert_eq!(fs::read_dir(file.parent().unwrap()).unwrap().count(), 1, "nothing is left beside it");
    let same = harness.call("write_file", json!({ "path": "deep/er/a.txt", "content": "one\nthree\n" }));
    assert!(same.text.contains("nothing was changed"));
    fs::set_permissions(&file, fs::Permissions::from_mode(0o444)).unwrap();
    let refused = harness.call("write_file", json!({ "path": "deep/er/a.txt", "content": "x" }));
    assert!(refused.failed && refused.text.contains("it is read-only"), "{}", refused.text);
    let through = harness.call("write_file", json!({ "path": "deep/er/a.txt/b", "content": "x" }));
    assert!(through.failed, "{}", through.text);
}

#[test]
fn a_change_is_only_made_on_what_it_was_planned_for() {
    let harness = Harness::new();
    let file = harness.file("a", "one\n");
    for (tool, arguments) in [
        ("write_file", json!({ "path": "a", "content": "two\n" })),
        ("edit_file", json!({ "path": "a", "old": "one", "new": "two" })),
    ] {
        fs::write(&file, "one\n").unwrap();
        let late = harness.meanwhile(tool, arguments, || fs::write(&file, "one\nmine\n").unwrap());
        assert!(late.failed && late.text.contains("changed since this was planned"), "{}", late.text);
        assert_eq!(harness.text("a"), "one\nmine\n");
    }
    let new = harness.path("home/work/new");
    let late = harness.meanwhile("write_file", json!({ "path": "new", "content": "x" }), || {
        fs::write(&new, "mine").unwrap();
    });
    assert!(late.failed && fs::read_to_string(&new).unwrap() == "mine");
}

#[test]
fn an_edit_replaces_exact_text_that_occurs_once() {
    let harness = Harness::new();
    harness.file("a.rs", "fn a() {\n    one();\n}\nfn b() {\n    one();\n}\n");
    let edit =
        |old: &str, new: &str| harness.call("edit_file", json!({ "path": "a.rs", "old": old, "new": new }));
    let twice = edit("one();", "two();");
    assert!(
        twice.failed && twice.text.contains("was found 2 times (lines 2, 5); add lines around it"),
        "{}",
        twice.text
    );
    let blanks = edit("fn b() {\n\tone();\n}", "x");
    assert!(
        blanks.text.contains("line 4 differs from it only in blanks or line ends:\n     4\tfn b() {"),
        "{}",
        blanks.text
    );
    let other = edit("fn b() {\n    none();\n}", "x");
    assert!(
        other.text.contains("from line 4 on the text starts the same and then differs:\n     5\t    one();"),
        "{}",
        other.text
    );
    assert!(edit("nowhere", "x").text.contains("copy the text exactly"));
    assert!(edit("", "x").text.contains("`old` is empty"));
    assert!(edit("x", "x").text.contains("are the same"));
    let done = edit("fn b() {\n    one();", "fn b() {\n    two();");
    assert_eq!(done.text, "Changed `a.rs`: 1 line added, 1 removed.");
    let all =
        harness.plan("edit_file", json!({ "path": "a.rs", "old": "()", "new": "(1)", "all": true })).unwrap();
    let Some(Preview::Diff(diff)) = all.preview else { panic!("a difference") };
    assert!(diff.contains("-fn a() {\n") && diff.contains("+    two(1);\n"), "{diff}");
    assert_eq!(harness.text("a.rs"), "fn a() {\n    one();\n}\nfn b() {\n    two();\n}\n");
    assert!(
        harness
            .call("edit_file", json!({ "path": "none", "old": "a", "new": "b" }))
            .text
            .contains("use write_file to create it")
    );
}

#[test]
fn line_ends_and_a_missing_last_one_are_kept() {
    let harness = Harness::new();
    harness.file("dos", "one\r\ntwo\r\nthree");
    let done = harness.call("edit_file", json!({ "path": "dos", "old": "one\ntwo", "new": "1\n2\n2b" }));
    assert!(!done.failed, "{}", done.text);
    assert_eq!(harness.text("dos"), "1\r\n2\r\n2b\r\nthree");
    harness.file("mixed", "a\r\nb\nc\n");
    harness.call("edit_file", json!({ "path": "mixed", "old": "b\nc", "new": "x\ny" }));
    assert_eq!(harness.text("mixed"), "a\r\nx\ny\n");
}

#[test]
fn several_edits_are_made_all_or_none() {
    let harness = Harness::new();
    harness.file("a", "one two three\n");
    let edits = |second: &str| json!({ "path": "a", "edits": [{ "old": "one", "new": "1" }, { "old": second, "new": "3" }] });
    let wrong = harness.call("edit_file", edits("four"));
    assert!(wrong.failed && wrong.text.contains("`old` of edit 1 was not found"), "{}", wrong.text);
    assert_eq!(harness.text("a"), "one two three\n");
    assert!(!harness.call("edit_file", edits("three")).failed);
    assert_eq!(harness.text("a"), "1 two 3\n");
    let both = harness.call("edit_file", json!({ "path": "a", "old": "1", "new": "2", "edits": [] }));
    assert!(both.text.contains("not both"), "{}", both.text);
}

#[test]
fn an_error_of_an_edit_is_returned_only_after_reading_was_allowed() {
    let harness = Harness::new();
    let outside = harness.file("../secret", "the password is x\n");
    let inside = harness.file("a", "the password is x\n");
    for (path, real, reach) in [("../secret", outside, Reach::Beyond), ("a", inside, Reach::Nothing)] {
        for old in ["the  password", "nothing"] {
            let planned = harness.plan("edit_file", json!({ "path": path, "old": old, "new": "y" })).unwrap();
            assert_eq!(planned.reach, reach, "nothing would change");
            let real = real.canonicalize().unwrap();
            assert_eq!(planned.effects, [Effect::Read(real.clone()), Effect::Write(real)], "both are judged");
        }
    }
}

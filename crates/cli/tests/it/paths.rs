//! Folders whose names are not UTF-8: every command works there, and its JSON is whole.

use crate::bare;
use skillful_testkit::TestContext;
use std::{
    ffi::{OsStr, OsString},
    os::unix::ffi::OsStrExt as _,
    path::PathBuf,
};

/// A repository whose folder has a byte that is not UTF-8, with a skill whose folder has another one.
fn repository(machine: &TestContext) -> PathBuf {
    let folder = machine.work().join(OsStr::from_bytes(b"api-\xFF"));
    for (parent, name) in
        [(".agents/skills", &b"br\xFEken"[..]), (".agents/skills", b"whole"), ("offered", b"notes")]
    {
        let skill = folder.join(parent).join(OsStr::from_bytes(name));
        std::fs::create_dir_all(&skill).unwrap();
        let text = format!("---\nname: {}\ndescription: Take notes.\n---\nWrite.\n", name.escape_ascii());
        std::fs::write(skill.join("SKILL.md"), text).unwrap();
    }
    std::fs::create_dir_all(folder.join(".git")).unwrap();
    folder
}

#[test]
fn a_folder_whose_name_is_not_utf_8_gives_whole_json_that_names_its_bytes() {
    let machine = bare();
    let folder = repository(&machine);
    for line in [
        "list",
        "show whole",
        "check",
        "audit",
        "agents --folders",
        "view --agent codex",
        "trust --yes",
        "trust --list",
        "add ./offered --yes",
        "verify",
        "sync --frozen",
        "update --dry-run",
        "diff",
        "doctor",
        "explain hello",
        "search notes",
        "new fresh --description Fresh.",
        "fmt --check",
        "disable whole",
        "config",
        "untrust",
        "remove notes --yes",
    ] {
        let mut arguments: Vec<OsString> = vec!["-C".into(), folder.clone().into(), "--json".into()];
        arguments.extend(line.split(' ').map(OsString::from));
        let output = machine.command(arguments).output().unwrap();
        let (out, error) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        // A refusal is one object on standard error.
        let printed = if out.is_empty() { &error } else { &out };
        let view: serde_json::Value =
            serde_json::from_str(printed).unwrap_or_else(|why| panic!("{line}: {why}\n{out}\n{error}"));
        assert_eq!(view["schema"], 1, "{line}: {out}");
        assert!(!out.contains('\u{fffd}'), "{line}: a byte is lost: {out}");
        if ["list", "check", "add ./offered --yes", "verify", "agents --folders"].contains(&line) {
            assert!(line == "verify" || out.contains("/api-<0xFF>"), "{line}: {out}");
        }
    }
}

#[test]
fn a_byte_that_is_not_utf_8_is_shown_on_the_terminal() {
    let machine = bare();
    let folder = repository(&machine);
    let see = |line: &str| {
        let mut arguments: Vec<OsString> = vec!["-C".into(), folder.clone().into()];
        arguments.extend(line.split(' ').map(OsString::from));
        machine.tell(&machine.command(arguments).output().unwrap())
    };
    let seen = see("trust --yes");
    assert!(seen.contains("api-<0xFF>") && !seen.contains('\u{fffd}'), "{seen}");
    let seen = see("list");
    assert!(seen.contains("br<0xFE>ken") && !seen.contains('\u{fffd}'), "{seen}");
}

use super::{frontmatter::difference, *};
use serde_json::json;
use skillful_format::digest_bytes;

fn file(uri: &str, content: &str) -> Value {
    json!({"uri": uri, "digest": format!("sha256:{}", digest_bytes(content.as_bytes()).to_hex()), "size": content.len()})
}

fn entry() -> Value {
    json!({
        "uri": "skill://team/pdf/SKILL.md",
        "frontmatter": {"name": "pdf", "description": "d"},
        "resources": [file("skill://team/pdf/SKILL.md", "a"), file("skill://team/pdf/references/x.md", "b")],
    })
}

fn read(entry: &Value) -> Result<HeldEntry, Invalid> {
    HeldEntry::read("here", entry)
}

#[test]
fn an_entry_that_breaks_a_rule_is_not_held() {
    assert!(read(&entry()).is_ok());
    let cases: [(&str, Value, Invalid); 9] = [
        ("/uri", json!("skill://team/pdf"), Invalid::Address),
        ("/uri", json!("skill://team/other/SKILL.md"), Invalid::Name),
        ("/frontmatter", json!("name: pdf"), Invalid::Missing("frontmatter")),
        ("/frontmatter/name", json!(1), Invalid::Missing("name")),
        ("/resources", json!("static"), Invalid::Resources),
        ("/resources", json!([file("skill://team/pdf/x", "b")]), Invalid::NoSkillFile),
        (
            "/resources/1/uri",
            json!("skill://team/pdf/SKILL.md"),
            Invalid::Twice("skill://team/pdf/SKILL.md".into()),
        ),
        ("/resources/1/uri", json!("skill://team/pdf/../x"), Invalid::File("skill://team/pdf/../x".into())),
        ("/resources/1/size", json!(SKILL_BYTES_AND_MORE), Invalid::TooLarge),
    ];
    for (at, value, expected) in cases {
        let mut entry = entry();
        *entry.pointer_mut(at).unwrap() = value;
        assert_eq!(read(&entry).unwrap_err(), expected, "{at}");
    }
    for (at, value) in [
        ("/resources/1/digest", json!("sha256:AA")),
        ("/resources/1/digest", json!("md5:00")),
        ("/resources/1/size", json!(-1)),
        ("/resources/1/size", json!("1")),
        ("/resources/1/uri", json!("skill://other/x")),
        ("/resources/1/uri", json!("skill://team/pdf/%2e%2E/x")),
    ] {
        let mut entry = entry();
        *entry.pointer_mut(at).unwrap() = value;
        assert!(matches!(read(&entry), Err(Invalid::File(_))), "{at}");
    }
    let mut without = entry();
    without.as_object_mut().unwrap().remove("resources");
    assert_eq!(read(&without).unwrap_err(), Invalid::Resources);
}

const SKILL_BYTES_AND_MORE: u64 = crate::client::limits::SKILL_BYTES + 1;

#[test]
fn only_files_of_the_held_entry_are_reachable() {
    let held = read(&entry()).unwrap();
    assert_eq!(held.resolve("./references/x.md#part").unwrap(), "skill://team/pdf/references/x.md");
    assert!(held.promise("skill://team/pdf/references/x.md").unwrap().is_some());
    for stranger in ["skill://team/pdf/other.md", "skill://team/SKILL.md", "file:///etc/passwd"] {
        assert!(held.promise(&held.resolve(stranger).unwrap()).is_err(), "{stranger}");
    }
    for path in ["../x", "/etc/passwd", "a/../../x", "", "a\\b", "%2e%2e/x"] {
        assert_eq!(held.resolve(path), None, "{path}");
    }
    let mut dynamic = entry();
    dynamic["resources"] = json!("dynamic");
    let dynamic = read(&dynamic).unwrap();
    assert!(dynamic.promise("skill://team/pdf/anything.md").unwrap().is_none());
    assert!(dynamic.promise("skill://team/pdfx").is_err());
}

#[test]
fn an_approval_ends_with_any_change_and_a_dynamic_skill_has_none() {
    let approved = read(&entry()).unwrap().approval().unwrap();
    assert_eq!(read(&entry()).unwrap().approval(), Some(approved));
    let mut changed = entry();
    changed["resources"][1] = file("skill://team/pdf/references/x.md", "c");
    assert_ne!(read(&changed).unwrap().approval(), Some(approved));
    assert_ne!(HeldEntry::read("elsewhere", &entry()).unwrap().approval(), Some(approved));
    let mut dynamic = entry();
    dynamic["resources"] = json!("dynamic");
    assert_eq!(read(&dynamic).unwrap().approval(), None);
}

#[test]
fn frontmatters_are_compared_field_by_field() {
    let text = "---\nname: pdf\ndescription: d\nmetadata: {a: 1, b: [x, true]}\n---\nBody\n";
    let same = json!({"name": "pdf", "description": "d", "metadata": {"b": ["x", true], "a": 1.0}});
    let field = |entry: &Value, text: &str| difference(text, entry.as_object().unwrap());
    assert_eq!(field(&same, text), None);
    for (at, value, expected) in [
        ("/description", json!("other"), "`description`"),
        ("/metadata/a", json!("1"), "`metadata`"),
        ("/metadata/b", json!(["x"]), "`metadata`"),
    ] {
        let mut entry = same.clone();
        *entry.pointer_mut(at).unwrap() = value;
        assert_eq!(field(&entry, text).unwrap(), expected);
    }
    let mut fewer = same.clone();
    fewer.as_object_mut().unwrap().remove("metadata");
    assert_eq!(field(&fewer, text).unwrap(), "`metadata`");
    let mut more = same.clone();
    more["allowed-tools"] = json!("Bash");
    assert_eq!(field(&more, text).unwrap(), "`allowed-tools`");
    for broken in ["no header", "---\nname: [\n---\n", "---\nname: a: b\n---\n"] {
        assert!(field(&same, broken).unwrap().contains("cannot be read"), "{broken}");
    }
}

use super::*;
use crate::{SPEC, Sidecars, check};

fn checked(text: &str) -> (Document, Vec<Diagnostic>) {
    let document = Document::read_text(text, &Sidecars::default());
    let found = check(text, &document, Some("deploy"), &|_| true, &SPEC);
    (document, found)
}

/// Applies the first fix of a code.
fn fixed(text: &str, code: Code) -> String {
    let (document, found) = checked(text);
    let fixes = fixes(text, &document, Some("deploy"), &found);
    let fix = fixes.iter().find(|fix| fix.code == code);
    let fix = fix.unwrap_or_else(|| panic!("no fix for {code}: {found:?}"));
    apply(text, &fix.edits).expect("the edits fit")
}

const GOOD: &str = "---\nname: deploy\ndescription: Ships it.\n---\nDo it.\n";

#[test]
fn each_fix_gives_the_intended_text() {
    let cases: &[(Code, &str, &str)] = &[
        (Code::ByteOrderMark, "\u{feff}---\nname: deploy\ndescription: Ships it.\n---\nDo it.\n", GOOD),
        (Code::FenceBlanks, "---  \nname: deploy\ndescription: Ships it.\n---\nDo it.\n", GOOD),
        (Code::FrontmatterNotFirst, "\n\n---\nname: deploy\ndescription: Ships it.\n---\nDo it.\n", GOOD),
        (Code::NoFrontmatter, "\u{2014}\nname: deploy\ndescription: Ships it.\n---\nDo it.\n", GOOD),
        (Code::NameMissing, "---\ndescription: Ships it.\n---\nDo it.\n", GOOD),
        (Code::NameMissing, "---\nname:\ndescription: Ships it.\n---\nDo it.\n", GOOD),
        (Code::NameEmpty, "---\nname: \"\"\ndescription: Ships it.\n---\nDo it.\n", GOOD),
        (Code::NameNotFolder, "---\nname: other\ndescription: Ships it.\n---\nDo it.\n", GOOD),
        (Code::NameUpperCase, "---\nname: Deploy\ndescription: Ships it.\n---\nDo it.\n", GOOD),
        (
            Code::YamlSyntax,
            "---\nname: \"deploy\ndescription: Ships it.\n---\nDo it.\n",
            "---\nname: \"deploy\"\ndescription: Ships it.\n---\nDo it.\n",
        ),
        (
            Code::YamlSyntax,
            "---\nname: deploy\ndescription: 'Ships it''s parts.  \n---\nDo it.\n",
            "---\nname: deploy\ndescription: 'Ships it''s parts.'  \n---\nDo it.\n",
        ),
        (
            Code::UnquotedColon,
            "---\nname: deploy\ndescription: Use: to ship.\n---\nDo it.\n",
            "---\nname: deploy\ndescription: \"Use: to ship.\"\n---\nDo it.\n",
        ),
        (
            Code::DescriptionMissing,
            "---\nname: deploy\ndescription: # ships \"it\"\n---\nDo it.\n",
            "---\nname: deploy\ndescription: \"# ships \\\"it\\\"\"\n---\nDo it.\n",
        ),
        (
            Code::ToolListForm,
            "---\nname: deploy\ndescription: Ships it.\nallowed-tools:\n  - Read\n  - Bash(git:*)\n# kept\nlicense: MIT\n---\nDo it.\n",
            "---\nname: deploy\ndescription: Ships it.\nallowed-tools: Read Bash(git:*)\n# kept\nlicense: MIT\n---\nDo it.\n",
        ),
        (
            Code::NonSpecKey,
            "---\nname: deploy\ndescription: Ships it.\nallowed_tools: Read\n---\nDo it.\n",
            "---\nname: deploy\ndescription: Ships it.\nallowed-tools: Read\n---\nDo it.\n",
        ),
        (
            Code::TwoSpellings,
            "---\nname: deploy\ndescription: Ships it.\nallowed-tools: Read\nallowed_tools:\n  - Bash\n---\nDo it.\n",
            "---\nname: deploy\ndescription: Ships it.\nallowed-tools: Read\n---\nDo it.\n",
        ),
        (
            Code::FrontmatterUnclosed,
            "---\nname: deploy\ndescription: Ships it.\n\n# Deploy\n\nDo it.\n\n---\n\nMore.\n",
            "---\nname: deploy\ndescription: Ships it.\n\n---\n# Deploy\n\nDo it.\n\n---\n\nMore.\n",
        ),
        (
            Code::NoFrontmatter,
            "# Deploy\n\nDo it.\n",
            "---\nname: deploy\ndescription: \"\"\n---\n\n# Deploy\n\nDo it.\n",
        ),
    ];
    for (code, before, after) in cases {
        assert_eq!(fixed(before, *code), *after, "{code}");
    }
}

#[test]
fn all_automatic_fixes_leave_nothing_to_fix() {
    let text = "\u{feff}---  \r\ndescription: Use: to ship\r\nallowed_tools: [Read, Bash]\r\nmetadata:\r\n\ta: b\r\n--- \r\nDo it.\r\n";
    let after = fix_all(text, Some("deploy"), checked);
    let (document, found) = checked(&after);
    assert_eq!(fixes(&after, &document, Some("deploy"), &found), [], "{after}");
    assert!(!after.replace("\r\n", "").contains('\n'), "line ends stay: {after:?}");
    let (before, _) = checked(text);
    assert_eq!(document.manifest.description, before.manifest.description);
    assert_eq!(document.manifest.allowed_tools, before.manifest.allowed_tools);
    assert_eq!(document.manifest.metadata, before.manifest.metadata);
    assert_eq!(document.soundness, crate::Soundness::Sound);
}

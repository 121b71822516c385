//! What a skill says when it is activated.

use crate::library::{Library, admitted};
use proptest::prelude::*;
use skillful_catalog::{AgentProfiles, capability};
use skillful_runtime::{Activation, activate, compose::load};
use std::collections::BTreeSet;

#[track_caller]
fn activated(library: &Library, name: &str, arguments: &str) -> Activation {
    let catalog = library.catalog();
    let engine = library.engine(&catalog);
    activate(&engine, &admitted(&engine, name), arguments).unwrap()
}

#[test]
fn everything_is_put_in_once_and_commands_get_references() {
    let header = "arguments: [issue]\nvars:\n  HOST: db1\n  TOKEN:\n    default: s3cret\n    secret: true\n  OPEN:\n    default: shown\n    secret: true\n    expose_to_model: true";
    let body = "Fix $issue of $ARGUMENTS on {{HOST}} for {BOT_NAME} with {{TOKEN}} {{OPEN}} in ${CLAUDE_SKILL_DIR}.\n\nNow: !`gh view $issue`";
    let mut library = Library::new().skill("fix", header, body);
    library.names.insert("BOT_NAME".to_owned(), "Istota".to_owned());
    let found = activated(&library, "fix", "42 '{{HOST}}'");
    let text = library.told(&found.instructions);
    assert_eq!(
        text,
        "Fix 42 of 42 '{{HOST}}' on db1 for Istota with {{TOKEN}} shown in [HOME]/.agents/skills/fix.\n\nNow: !`gh view $issue`\n"
    );
    assert_eq!(found.commands[0].shell.text, "gh view \"${SKILL_issue}\"");
    assert_eq!(found.commands[0].shell.environment["SKILL_issue"], "42");
    assert!(!format!("{found:?}").contains("s3cret"));
}

/// The commands of a body by both ways: what the record names, and what activation would run.
fn commands_by_both_ways(body: &str) -> [BTreeSet<String>; 2] {
    let text = format!("---\nname: x\ndescription: About x.\n---\n{body}");
    let library = Library::new().file(".agents/skills/x/SKILL.md", &text);
    let catalog = library.catalog();
    let engine = library.engine(&catalog);
    let proof = admitted(&engine, "x");
    let found = activate(&engine, &proof, "").unwrap();
    let recorded = capability::capabilities(catalog.admitted(&proof).unwrap().entry());
    let recorded = recorded.iter().filter_map(|one| one.strip_prefix("runs command "));
    [
        recorded.map(str::to_owned).collect(),
        found.commands.iter().map(|command| command.shell.text.clone()).collect(),
    ]
}

#[test]
fn a_spelling_that_one_reader_could_take_for_a_command_is_one_for_all_or_for_none() {
    let blanks = ["\u{a0}", "\u{c}", "\u{2003}", "\u{b}", "\u{85}", "\u{200b}", "\u{feff}", "\r", "\r\r"];
    for blank in blanks {
        for body in [
            format!("```{blank}!\nid\n```\n"),
            format!("``` {blank}!\nid\n```\n"),
            format!("```!\nid\n```{blank}x\n"),
            format!("{blank}!`id`\n"),
            format!("\n\n{blank}!`id`\n"),
            format!("Text{blank}!`id`\n"),
        ] {
            assert_eq!(commands_by_both_ways(&body), [BTreeSet::new(), BTreeSet::new()], "{body:?}");
        }
    }
    for body in ["```!\nid\n```\n", "~~~ !\nid\n~~~\n", "```\t!\r\nid\r\n```\r\n", "\n\r\n!`id`"] {
        let id = BTreeSet::from(["id".to_owned()]);
        assert_eq!(commands_by_both_ways(body), [id.clone(), id], "{body:?}");
    }
}

/// Pieces of bodies in which readers of Markdown differ.
const PIECES: [&str; 40] = [
    "!`id`",
    "!`id`\n",
    "\n!`ls`",
    "\n```!\nls\n",
    "\n```\n",
    "\n    ",
    "!`",
    "`",
    "``",
    "```",
    "````",
    "~~~",
    "```!",
    "\n~~~ !\n",
    "```\u{a0}!\n",
    "~~~\u{c}!\n",
    "```\u{2003}!\n",
    "!",
    " ",
    "  ",
    "    ",
    "\t",
    "\n",
    "\n",
    "\n\n",
    "\r\n",
    "\r",
    "\u{a0}",
    "\u{c}",
    "\u{2003}",
    "\u{200b}",
    "\u{85}",
    "- ",
    "\n1. ",
    "> ",
    "# ",
    "ls -l",
    "é",
    "\n\n    !`pwd`\n",
    "<!-- ",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]
    /// The record that a user agrees to and the commands that would run come from the same file by two
    /// ways: loading and activation.
    #[test]
    fn the_commands_that_would_run_are_those_that_the_record_names(
        pieces in prop::collection::vec(prop::sample::select(PIECES.as_slice()), 0..16),
    ) {
        let [recorded, run] = commands_by_both_ways(&pieces.concat());
        prop_assert_eq!(recorded, run);
    }
}

#[test]
fn arguments_that_nothing_takes_are_appended() {
    let library = Library::new().skill("plain", "", "Do it.");
    assert_eq!(
        activated(&library, "plain", "fast please").instructions,
        "Do it.\n\nARGUMENTS: fast please\n"
    );
    assert_eq!(activated(&library, "plain", "").instructions, "Do it.\n");
}

#[test]
fn the_dialect_is_that_of_the_agent() {
    let library = Library::new().skill("greet", "", "Hello $1, not $0. $2");
    let catalog = library.catalog();
    let agents = AgentProfiles::embedded();
    let mut told = Vec::new();
    for agent in ["claude-code", "opencode", "goose"] {
        let mut engine = library.engine(&catalog);
        engine.dialect = &agents.get(agent).unwrap().arguments;
        told.push(activate(&engine, &admitted(&engine, "greet"), "Ann Bob Cy").unwrap().instructions);
    }
    assert_eq!(told, ["Hello Bob, not Ann. Cy\n", "Hello Ann, not $0. Bob Cy\n", "Hello Ann, not $0. Bob\n"]);
}

#[test]
fn a_loaded_skill_brings_its_companions_in_the_same_answer_and_marks_those_that_do_not_come() {
    let library = Library::new()
        .skill("mail", "companion_skills: [manners, root-only, gone, tool]", "Send it.")
        .skill("manners", "companion_skills: [deeper]", "Be kind.")
        .skill("deeper", "", "Never here.")
        .skill("root-only", "admin_only: true", "Never here either.")
        .skill("tool", "requires:\n  binary: [no-such-program]", "Nor here.")
        .file(".agents/skills/mail/references/rules.md", "x")
        .file(".agents/skills/mail/inner/SKILL.md", "x");
    let catalog = library.catalog();
    let (_, text) =
        load(&library.engine(&catalog), &admitted(&library.engine(&catalog), "mail"), "").unwrap();
    insta::assert_snapshot!(library.told(&text), @r#"
    <skill_content name="mail">
    Send it.

    The folder of this skill is [HOME]/.agents/skills/mail. Relative paths above start there.
    <skill_files>
    references/rules.md
    </skill_files>
    </skill_content>
    <!-- companion skill `manners`, which `mail` brings along -->
    <skill_content name="manners">
    Be kind.

    The folder of this skill is [HOME]/.agents/skills/manners. Relative paths above start there.
    </skill_content>
    <!-- companion skill `root-only` of `mail` is unavailable: it is not available here -->
    <!-- companion skill `gone` of `mail` is unavailable: there is no such skill -->
    <!-- companion skill `tool` of `mail` is unavailable: the program `no-such-program` is not installed -->
    "#);
}

#[test]
fn files_beyond_a_bound_are_reported_and_the_skill_still_comes() {
    let deep = format!(".agents/skills/deep/{}/end.md", ["down"; 10].join("/"));
    let library = Library::new()
        .skill("deep", "", "Go down.")
        .file(&deep, "x")
        .file(".agents/skills/deep/near.md", "x");
    let found = activated(&library, "deep", "");
    assert_eq!(found.instructions, "Go down.\n");
    assert_eq!(
        (found.files.shown.as_slice(), found.files.uncounted),
        (["near.md".to_owned()].as_slice(), true)
    );
}

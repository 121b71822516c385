//! What a selection looks like from outside: every skill with its state, and everything that did not come.

use skillful::{Environment, Options, Workspace, views::SelectionView};
use std::fs;

#[test]
fn an_explanation_names_every_skill_its_rules_and_what_did_not_come() {
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path().canonicalize().unwrap();
    let skill = |name: &str, lines: &str| {
        let folder = home.join(".agents/skills").join(name);
        fs::create_dir_all(&folder).unwrap();
        fs::write(
            folder.join("SKILL.md"),
            format!("---\nname: {name}\ndescription: About {name}.\n{lines}---\nx\n"),
        )
        .unwrap();
    };
    skill("files", "always_include: true\ncompanion_skills: [gone]\nexclude_skills: [loud]\n");
    skill("loud", "source_types: [talk]\n");
    skill("notes", "");
    skill("root", "admin_only: true\nsource_types: [talk]\n");
    fs::create_dir_all(home.join(".config/skillful")).unwrap();
    fs::write(home.join(".config/skillful/config.toml"), "system = false\n").unwrap();
    let environment = Environment { cwd: home.clone(), home, ..Environment::default() };
    let workspace = Workspace::open(environment, Options::default());
    let mut turn = workspace.turn("[$nowhere](no/such/SKILL.md)");
    turn.source_type = Some("talk".to_owned());
    let view = SelectionView::of(&workspace, &workspace.select(&turn));

    let selected: Vec<_> = view.selected.iter().map(|one| (one.name.as_str(), one.why.join("; "))).collect();
    assert_eq!(selected, [("files", "always_include".to_owned())]);
    assert_eq!(view.menu, ["notes"]);
    let [missing] = view.missing_companions.as_slice() else { panic!("{:?}", view.missing_companions) };
    assert_eq!((missing.of.as_str(), missing.name.as_str()), ("files", "gone"));
    let [excluded] = view.excluded.as_slice() else { panic!("{:?}", view.excluded) };
    assert_eq!((excluded.name.as_str(), excluded.by.as_str()), ("loud", "files"));
    let [not_offered] = view.not_offered.as_slice() else { panic!("{:?}", view.not_offered) };
    assert_eq!((not_offered.name.as_str(), not_offered.state.as_str()), ("root", "unavailable"));
    assert_eq!(not_offered.reasons, ["it is for administrators"]);
    assert_eq!(not_offered.asked_by, ["source_type=talk"]);
    let [mention] = view.mentions.as_slice() else { panic!("{:?}", view.mentions) };
    assert!(mention.means.is_none() && mention.problem.is_some(), "{mention:?}");
    assert_eq!(view.log, "count=1: files(always_include)\neager=1 menu=1");
}

#[test]
fn an_audit_names_what_it_did_not_scan() {
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path().canonicalize().unwrap();
    let skill = home.join(".agents/skills/notes");
    fs::create_dir_all(skill.join("node_modules/left-pad")).unwrap();
    fs::write(skill.join("SKILL.md"), "---\nname: notes\ndescription: About notes.\n---\nx\n").unwrap();
    let environment = Environment { cwd: home.clone(), home, ..Environment::default() };
    let workspace = Workspace::open(environment, Options::default());

    let report = workspace.audit(workspace.find("notes").unwrap()).unwrap();

    let unread: Vec<_> = report.not_scanned.iter().map(|one| one.path.as_str()).collect();
    assert_eq!(unread, ["node_modules"]);
    assert!(report.is_incomplete());
}

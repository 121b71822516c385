//! Checking files where they lie.

use crate::{
    fixture::{World, skill},
    links::pipe,
};
use skillful_catalog::inspect::{check_files, skill_files};
use skillful_format::{Code, LENIENT, SPEC};

fn found(world: &World, path: &str) -> Vec<String> {
    skill_files(&world.path(path)).iter().map(|file| world.short(file)).collect()
}

#[test]
fn a_path_means_itself_the_skill_in_it_or_all_below_it() {
    let world = World::new();
    world.skill("w/a", "one");
    world.skill("w", "two");
    world.file("w/three/skill.md", skill("three", "x"));
    world.file("w/notes.md", "x");
    assert_eq!(found(&world, "w"), ["w/a/one/SKILL.md", "w/three/skill.md", "w/two/SKILL.md"]);
    assert_eq!(found(&world, "w/two"), ["w/two/SKILL.md"]);
    assert_eq!(found(&world, "w/two/SKILL.md"), ["w/two/SKILL.md"]);
    assert_eq!(found(&world, "w/notes.md"), ["w/notes.md"]);
    assert_eq!(found(&world, "nowhere"), Vec::<String>::new());
}

#[test]
fn hidden_folders_are_searched_and_folders_of_tools_are_not() {
    let world = World::new();
    for folder in [".claude/skills", ".github/x", "node_modules/x", ".git/x", "target/x", "x/.venv/y", "src"]
    {
        world.skill(&format!("w/{folder}"), "s");
    }
    assert_eq!(
        found(&world, "w"),
        ["w/.claude/skills/s/SKILL.md", "w/.github/x/s/SKILL.md", "w/src/s/SKILL.md"]
    );
}

#[test]
fn the_search_stops_at_a_skill_and_follows_no_links() {
    let world = World::new();
    world.skill("w", "outer");
    world.skill("w/outer/examples", "inner");
    world.skill("store", "linked");
    world.link("w/linked", "store/linked");
    world.link("w/loop/up", "..");
    assert_eq!(found(&world, "w"), ["w/outer/SKILL.md"]);
    assert_eq!(found(&world, "w/linked"), ["w/linked/SKILL.md"], "one that is named is meant");
}

#[test]
fn the_order_is_the_same_however_many_there_are() {
    let world = World::new();
    for number in (0..200).rev() {
        world.skill(&format!("w/{}", number % 7), &format!("s{number:03}"));
    }
    let first = found(&world, "w");
    assert_eq!(first.len(), 200);
    assert!(first.is_sorted());
    assert_eq!(found(&world, "w"), first);
    let files = skill_files(&world.path("w"));
    let checked = check_files(&files, &LENIENT, &|_| Vec::new(), |_, text| text.is_some());
    assert!(checked.iter().all(|(_, had_text)| *had_text));
    assert_eq!(checked.iter().map(|(one, _)| one.file.clone()).collect::<Vec<_>>(), files);
}

#[test]
fn every_finding_names_its_file_and_what_others_add_comes_along() {
    let world = World::new();
    world.file(
        "w/bad/SKILL.md",
        "---\nname: other\ndescription: x\ncolour: red\n---\nSee [this](references/gone.md).\n",
    );
    world.file("w/bad/agents/openai.yaml", "interface: [\n");
    let files = skill_files(&world.path("w"));
    let more = |file: &std::path::Path| {
        vec![skillful_format::Diagnostic::new(Code::AgentRefuses, "no").in_path(file)]
    };
    let checked = check_files(&files, &SPEC, &more, |_, _| ());
    let checked: Vec<_> = checked.into_iter().map(|(one, ())| one).collect();
    let codes: Vec<Code> = checked[0].diagnostics.iter().map(|found| found.code).collect();
    for code in [Code::NameNotFolder, Code::FileMissing, Code::SidecarUnreadable, Code::AgentRefuses] {
        assert!(codes.contains(&code), "{code} in {codes:?}");
    }
    assert!(!checked[0].is_accepted());
    for finding in &checked[0].diagnostics {
        let path = finding.path.as_ref().unwrap();
        assert!(path.starts_with(world.path("w/bad")), "{}", path.display());
    }
}

#[test]
fn files_that_cannot_be_read_are_findings_and_never_block() {
    let world = World::new();
    world.folder("w/pipe");
    pipe(&world.path("w/pipe/SKILL.md"));
    world.link("w/gone/SKILL.md", "nowhere");
    world.folder("w/folder/SKILL.md");
    world.file("w/huge/SKILL.md", vec![b'x'; (1 << 20) + 1]);
    let files = skill_files(&world.path("w"));
    let checked = check_files(&files, &LENIENT, &|_| Vec::new(), |_, _| ());
    let checked: Vec<_> = checked.into_iter().map(|(one, ())| one).collect();
    let codes: Vec<(String, Code)> =
        checked.iter().map(|one| (world.short(&one.file), one.diagnostics[0].code)).collect();
    let expected = [
        ("w/folder/SKILL.md", Code::FileUnreadable),
        ("w/gone/SKILL.md", Code::FileUnreadable),
        ("w/huge/SKILL.md", Code::FileTooLarge),
        ("w/pipe/SKILL.md", Code::FileUnreadable),
    ];
    assert_eq!(codes, expected.map(|(path, code)| (path.to_owned(), code)));
    assert!(checked.iter().all(|one| !one.is_accepted()));
}

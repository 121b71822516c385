use crate::bare;
use insta::assert_snapshot;

#[test]
fn a_skill_travels_as_a_zip_and_comes_back_equal() {
    let machine = bare();
    machine.skill("home/.agents/skills/pdf", "Read PDF files.");
    machine.file("home/.agents/skills/pdf/references/forms.md", "# Forms\n");
    let first = machine.json("export pdf --json");
    let bytes = std::fs::read(machine.path("work/pdf.zip")).unwrap();
    machine.run("export pdf --force");
    assert_eq!(std::fs::read(machine.path("work/pdf.zip")).unwrap(), bytes, "the same bytes every time");
    let back = machine.json("import pdf.zip --to there --json");
    assert_eq!(back["digest"], first["digest"]);
    assert_eq!(machine.text("work/there/pdf/references/forms.md"), "# Forms\n");
    assert_snapshot!(machine.see("import pdf.zip --to there"), @"");
    assert!(machine.exists("work/there/.pdf.backup-1/SKILL.md"));
}

#[test]
fn a_skill_that_is_one_file_travels_as_one_file() {
    let machine = bare();
    machine.skill("home/.agents/skills/note", "Take a note.");
    assert_snapshot!(machine.see("export note"), @"");
    assert_snapshot!(machine.see("import note.md --project"), @"");
    assert_eq!(machine.text("work/.agents/skills/note/SKILL.md"), machine.text("home/.agents/skills/note/SKILL.md"));
    assert_snapshot!(machine.see("export note"), @"");
    assert_snapshot!(machine.see("export note -o note.tar.gz"), @"");
    assert_snapshot!(machine.see("import note.tar.gz --as other --dry-run"), @"");
    assert!(!machine.exists("home/.agents/skills/other"));
}

#[test]
fn a_hostile_archive_writes_nothing() {
    let machine = bare();
    // A tar with one entry `../evil`, gzipped by hand in the format crate's own tests; here the
    // refusal of what is no archive at all is what a person meets first.
    machine.file("work/page.zip", "<html>404</html>");
    assert_snapshot!(machine.see("import page.zip"), @"");
    assert!(!machine.exists("home/.agents"));
}

#[test]
fn a_name_of_the_author_never_becomes_a_path() {
    let machine = bare();
    machine.file("work/x/SKILL.md", "---\nname: ../../.ssh\ndescription: Escapes.\n---\nBody\n");
    let json = machine.json("import x --json");
    assert_eq!(json["path"], machine.path("home/.agents/skills/x").display().to_string());
    machine.file("work/SKILL.md", "---\nname: ../../.ssh\ndescription: Escapes.\n---\nBody\n");
    let json = machine.json("import SKILL.md --json");
    assert_eq!(json["path"], machine.path("home/.agents/skills/ssh").display().to_string());
    assert!(!machine.exists(".ssh"));
}

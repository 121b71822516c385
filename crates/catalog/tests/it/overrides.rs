//! D7: an operator's folder of overrides of bundled skills.

use crate::fixture::{World, only, told_of};
use skillful_catalog::{Catalog, Placement, Scope};
use skillful_format::Code;

const BASE: &str = "---\nname: mail\ndescription: bundled\nlicense: MIT\nadmin_only: true\nexperimental: true\n\
    user-invocable: false\ndisable-model-invocation: true\nrequires_capability: [imap]\ndependencies: [caldav]\n\
    requires:\n  env: [TOKEN]\n  binary: [curl]\ncompanion_skills: [safety]\ndisallowed-tools: Bash\n\
    triggers: [post]\nallowed-tools: Read\n---\nThe bundled body.\n";

fn world(files: &[(&str, &str)]) -> World {
    let mut world = World::new();
    world.settings.system_folder = Some(world.folder("system"));
    world.settings.overrides = vec![world.folder("first"), world.folder("second")];
    world.file("system/mail/SKILL.md", BASE);
    world.tree(files);
    world
}

fn body(catalog: &Catalog, name: &str) -> String {
    let entry = only(catalog, name);
    let file = entry.overridden.as_ref().map_or(&entry.origin.file, |from| &from.body);
    let bytes = std::fs::read(file).unwrap();
    assert_eq!(bytes.len(), entry.loaded.size as usize);
    String::from_utf8(bytes[entry.loaded.body_offset as usize..].to_vec()).unwrap()
}

fn provenance(world: &World, catalog: &Catalog) -> (String, Vec<String>) {
    let from = only(catalog, "mail").overridden.clone().unwrap();
    (world.short(&from.body), from.metadata.iter().map(|path| world.short(path)).collect())
}

#[test]
fn a_body_alone_replaces_the_body() {
    let world = world(&[("first/mail/SKILL.md", "Another body.\n")]);
    let catalog = world.build();
    assert_eq!(catalog.entries.len(), 1, "the override is not a skill of its own");
    assert_eq!(body(&catalog, "mail"), "Another body.\n");
    assert_eq!(only(&catalog, "mail").description(), Some("bundled"));
    assert!(only(&catalog, "mail").loaded.manifest.admin_only);
    assert_eq!(
        provenance(&world, &catalog),
        ("first/mail/SKILL.md".to_owned(), vec!["system/mail/SKILL.md".to_owned()])
    );
}

#[test]
fn metadata_alone_replaces_the_metadata_and_the_gates_add_up() {
    for (file, text) in [
        (
            "first/mail/SKILL.md",
            "---\ndescription: ours\nadmin_only: false\nuser-invocable: true\n---\n\n  \n",
        ),
        ("first/mail/skill.toml", "description = \"ours\"\nadmin_only = false\n"),
    ] {
        let world = world(&[(file, text)]);
        let catalog = world.build();
        assert_eq!(body(&catalog, "mail"), "The bundled body.\n", "{file}: blanks are not a body");
        let manifest = &only(&catalog, "mail").loaded.manifest;
        assert_eq!(manifest.description.as_deref(), Some("ours"), "{file}");
        assert_eq!(manifest.license.as_deref(), Some("MIT"), "{file}: what is not mentioned stays");
        assert_eq!(manifest.triggers, ["post"], "{file}");
        assert!(manifest.admin_only && manifest.experimental && manifest.disable_model_invocation, "{file}");
        assert!(!manifest.user_invocable, "{file}");
        assert_eq!(manifest.requires_capability, ["imap"], "{file}");
        assert_eq!(manifest.dependencies, ["caldav"], "{file}");
        assert_eq!(manifest.requires.env, ["TOKEN"], "{file}");
        assert_eq!(manifest.requires.binary, [["curl"]], "{file}");
        assert_eq!(manifest.companion_skills, ["safety"], "{file}");
        assert_eq!(manifest.disallowed_tools.len(), 1, "{file}");
        assert_eq!(
            provenance(&world, &catalog),
            ("system/mail/SKILL.md".to_owned(), vec![file.to_owned(), "system/mail/SKILL.md".to_owned()])
        );
    }
}

#[test]
fn frontmatter_and_body_replace_both() {
    let world = world(&[("first/mail/SKILL.md", "---\ndescription: ours\n---\nOur body.\n")]);
    let catalog = world.build();
    assert_eq!(body(&catalog, "mail"), "Our body.\n");
    assert_eq!(only(&catalog, "mail").description(), Some("ours"));
    assert_eq!(only(&catalog, "mail").placement, Placement::Active);
    assert_eq!(provenance(&world, &catalog).0, "first/mail/SKILL.md");
}

#[test]
fn gates_of_both_add_up() {
    let text = "---\nrequires_capability: [smtp]\nrequires:\n  env: [OTHER]\ndisallowed-tools: Write\n---\n";
    let world = world(&[("first/mail/SKILL.md", text)]);
    let catalog = world.build();
    let manifest = &only(&catalog, "mail").loaded.manifest;
    assert_eq!(manifest.requires_capability, ["smtp", "imap"]);
    assert_eq!(manifest.requires.env, ["OTHER", "TOKEN"]);
    assert_eq!(manifest.disallowed_tools.len(), 2);
}

#[test]
fn override_replace_gives_the_gates_up() {
    let world = world(&[("first/mail/SKILL.md", "---\noverride: replace\ndescription: ours\n---\n")]);
    let catalog = world.build();
    let manifest = &only(&catalog, "mail").loaded.manifest;
    assert!(!manifest.admin_only && !manifest.experimental && manifest.user_invocable);
    assert_eq!(manifest.requires.env, Vec::<String>::new());
    assert_eq!(manifest.license, None);
    assert_eq!(
        provenance(&world, &catalog),
        ("system/mail/SKILL.md".to_owned(), vec!["first/mail/SKILL.md".to_owned()])
    );
}

#[test]
fn a_gate_beside_the_frontmatter_stays_closed_too() {
    let world = world(&[
        ("system/mail/agents/openai.yaml", "policy:\n  allow_implicit_invocation: false\n"),
        ("first/mail/SKILL.md", "---\ndescription: ours\n---\n"),
        (
            "first/mail/agents/openai.yaml",
            "policy:\n  allow_implicit_invocation: true\ninterface:\n  display_name: Post\n",
        ),
    ]);
    let catalog = world.build();
    let sidecar = &only(&catalog, "mail").loaded.sidecar;
    assert_eq!(sidecar.allow_implicit_invocation, Some(false));
    assert_eq!(sidecar.display_name.as_deref(), Some("Post"));
}

#[test]
fn of_two_overrides_the_first_folder_has_the_last_word_and_both_are_named() {
    let world = world(&[
        ("first/mail/SKILL.md", "---\ndescription: first\n---\n"),
        ("second/mail/SKILL.md", "---\ndescription: second\nlicense: Apache\n---\nSecond body.\n"),
    ]);
    let catalog = world.build();
    assert_eq!(only(&catalog, "mail").description(), Some("first"));
    assert_eq!(only(&catalog, "mail").loaded.manifest.license.as_deref(), Some("Apache"));
    assert_eq!(body(&catalog, "mail"), "Second body.\n");
    assert_eq!(
        provenance(&world, &catalog),
        (
            "second/mail/SKILL.md".to_owned(),
            ["first/mail/SKILL.md", "second/mail/SKILL.md", "system/mail/SKILL.md"]
                .map(str::to_owned)
                .to_vec()
        )
    );
}

#[test]
fn an_override_that_cannot_be_used_is_reported_and_changes_nothing() {
    let cases = [
        ("no such skill", "first/post/SKILL.md", "---\ndescription: x\n---\n"),
        ("broken", "first/mail/SKILL.md", "---\nlicense: x\nlicense: y\n---\n"),
        ("broken toml", "first/mail/skill.toml", "description = \n"),
    ];
    for (what, file, text) in cases {
        let world = world(&[(file, text)]);
        let catalog = world.build();
        let told = told_of(&catalog, Code::OverrideInvalid);
        assert_eq!(told.len(), 1, "{what}");
        assert_eq!(told[0].path.as_deref(), Some(&*world.path(file)), "{what}");
        assert_eq!(only(&catalog, "mail").overridden, None, "{what}");
        assert_eq!(only(&catalog, "mail").description(), Some("bundled"), "{what}");
    }
}

#[test]
fn only_bundled_skills_are_overridden() {
    let world = world(&[("first/notes/SKILL.md", "---\ndescription: ours\n---\n")]);
    world.skill("home/.alpha/skills", "notes");
    world.skill("repo/.alpha/skills", "notes");
    let catalog = world.build();
    assert!(catalog.entries.iter().all(|entry| entry.overridden.is_none()));
    assert_eq!(told_of(&catalog, Code::OverrideInvalid).len(), 1);
}

#[test]
fn what_overrides_nothing_and_has_a_body_is_a_skill_of_its_own() {
    let world = world(&[("first/house/SKILL.md", "---\nname: house\ndescription: ours\n---\nBe kind.\n")]);
    let catalog = world.build();
    let house = only(&catalog, "house");
    assert_eq!((house.description(), house.origin.scope), (Some("ours"), Scope::Managed));
    assert_eq!(house.overridden, None);
    assert!(told_of(&catalog, Code::OverrideInvalid).is_empty());
}

//! One gate, every way: each gate is run through each way to a skill, and a way that forgets one
//! fails here. A new way does not compile until it is in [`comes_through`].

use crate::library::{Library, admitted};
use skillful_catalog::{
    Catalog,
    settings::{NameGlob, RuleOwner, Select, SkillRule},
};
use skillful_runtime::{compose::load, resource};
use skillful_select::{
    access::{Way, offered, reach},
    selection::{Selection, select},
    turn::{PastTurn, Turn},
};

/// A gate that is closed: the lines of the frontmatter and what else closes it.
struct Gate {
    name: &'static str,
    header: &'static str,
    close: fn(Library) -> Library,
    /// Ways on which this gate has no say.
    open_to: &'static [Way],
}

const MODEL_ONLY: &[Way] = &[Way::Mention, Way::Exact, Way::Slash];
const PERSON_ONLY: &[Way] = &[
    Way::Select,
    Way::Sticky,
    Way::Companion,
    Way::Route,
    Way::Menu,
    Way::List,
    Way::Show,
    Way::Load,
    Way::Transition,
    Way::Execute,
];
/// Without a description a skill is on no list; a rule, a user or a name still reaches it.
const WITHOUT_DESCRIPTION: &[Way] = &[
    Way::Select,
    Way::Sticky,
    Way::Companion,
    Way::Route,
    Way::Mention,
    Way::Exact,
    Way::Slash,
    Way::Show,
    Way::Load,
    Way::Transition,
    Way::Execute,
];

fn as_is(library: Library) -> Library {
    library
}

fn rule(mut library: Library) -> Library {
    let select = Select::Name("it".to_owned());
    library.settings.rules.push(SkillRule { select, enabled: false, owner: RuleOwner::User, for_user: None });
    library
}

fn ignored(mut library: Library) -> Library {
    library.settings.ignore = vec![NameGlob::new("i?").unwrap()];
    library
}

/// Moves the skill into the repository, which is untrusted.
fn untrusted(library: Library) -> Library {
    let place = library.path().join("work/.agents/skills");
    std::fs::create_dir_all(&place).unwrap();
    std::fs::rename(library.folder("it"), place.join("it")).unwrap();
    library
}

fn no_description(library: Library) -> Library {
    let file = library.folder("it").join("SKILL.md");
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(file, text.replace("description: About it.\n", "")).unwrap();
    library
}

const GATES: [Gate; 16] = [
    Gate { name: "disabled by a rule", header: "", close: rule, open_to: &[] },
    Gate { name: "ignored", header: "", close: ignored, open_to: &[] },
    Gate { name: "untrusted", header: "", close: untrusted, open_to: &[] },
    Gate { name: "invalid", header: "description: [", close: as_is, open_to: &[] },
    Gate { name: "unreadable gate", header: "admin_only: perhaps", close: as_is, open_to: &[] },
    Gate { name: "admin_only", header: "admin_only: true # note", close: as_is, open_to: &[] },
    Gate { name: "experimental", header: "experimental: true", close: as_is, open_to: &[] },
    Gate {
        name: "capability",
        header: "requires_capability: [browser, nextcloud]",
        close: as_is,
        open_to: &[],
    },
    Gate { name: "variable", header: "requires:\n  env: [NO_SUCH]", close: as_is, open_to: &[] },
    Gate { name: "program", header: "requires:\n  binary: [no-such]", close: as_is, open_to: &[] },
    Gate { name: "skill", header: "requires:\n  skills: [no-such]", close: as_is, open_to: &[] },
    Gate { name: "package", header: "dependencies: [no-such>=1]", close: packages, open_to: &[] },
    Gate {
        name: "declared variable",
        header: "vars:\n  KEY:\n    required: true",
        close: as_is,
        open_to: &[],
    },
    Gate {
        name: "disable-model-invocation",
        header: "disable-model-invocation: true",
        close: as_is,
        open_to: MODEL_ONLY,
    },
    Gate { name: "user-invocable", header: "user-invocable: false", close: as_is, open_to: PERSON_ONLY },
    Gate { name: "no description", header: "", close: no_description, open_to: WITHOUT_DESCRIPTION },
];

fn packages(mut library: Library) -> Library {
    library.environment.packages = skillful_catalog::packages::Packages::default();
    library
}

/// A library in which every way leads to the skill `it`, if its gate lets it.
fn library(gate: Option<&Gate>) -> Library {
    let header = format!("source_types: [briefing]\n{}", gate.map_or("", |gate| gate.header));
    let library = Library::new().skill("it", &header, "The words of it.").skill(
        "agent",
        "companion_skills: [it]\nnext_skill: it",
        "AgentProfile.",
    );
    match gate {
        Some(gate) => (gate.close)(library),
        None => library,
    }
}

/// Whether a caller who takes this way gets the skill.
fn comes_through(library: &Library, way: Way) -> bool {
    let catalog = library.catalog();
    let asker = library.asker();
    let turn = |message: &str| Turn { message: message.to_owned(), ..Turn::default() };
    let eager = |turn: &Turn| {
        let selection = select(&catalog, turn, asker);
        is_in(&catalog, &selection)
    };
    let listed = |way| offered(&catalog, asker, way).iter().any(|at| catalog.entries[*at].name == "it");
    match way {
        Way::Select => eager(&Turn { source_type: Some("briefing".to_owned()), ..turn("x") }),
        Way::Sticky => eager(&Turn {
            source_type: Some("talk".to_owned()),
            past: vec![PastTurn {
                roots: vec!["it".to_owned()],
                completed: true,
                age: 1,
                ..PastTurn::default()
            }],
            ..turn("x")
        }),
        Way::Companion => {
            let brought = eager(&turn("$agent"));
            let (_, text) =
                load(&library.engine(&catalog), &admitted(&library.engine(&catalog), "agent"), "").unwrap();
            assert_eq!(text.contains("The words of it."), brought, "both ways of a companion agree");
            assert_eq!(text.contains("`it` of `agent` is unavailable"), !brought, "{text}");
            brought
        }
        Way::Route => eager(&Turn { routed: Some("it".to_owned()), ..turn("x") }),
        Way::Mention => {
            let forms = ["$it", "/it x", "/skill:it", "@it", "skill://it"].map(|text| eager(&turn(text)));
            assert!(forms.iter().all(|form| *form == forms[0]), "every form agrees: {forms:?}");
            forms[0]
        }
        Way::Exact => {
            let file = catalog.called("it").next().map(|(_, entry)| entry.origin.file.display().to_string());
            eager(&turn(&format!("[$it]({})", file.unwrap_or_default())))
        }
        Way::Menu => {
            let selection = select(&catalog, &turn("x"), asker);
            selection.menu.iter().any(|at| catalog.entries[*at].name == "it")
        }
        Way::Slash | Way::List => listed(way),
        Way::Load => {
            let text = resource::read(&catalog, "skill://it", asker, Way::Load);
            let reached = reach(&catalog, "it", asker, way);
            assert_eq!(text.is_ok(), reached.is_ok(), "a resource is loaded as a skill is");
            if let Err(refusal) = &reached {
                assert!(!refusal.near.contains(&"it".to_owned()), "{refusal:?}");
            }
            reached.is_ok()
        }
        Way::Show | Way::Transition | Way::Execute => reach(&catalog, "it", asker, way).is_ok(),
    }
}

fn is_in(catalog: &Catalog, selection: &Selection) -> bool {
    selection.selected.iter().any(|chosen| catalog.entries[chosen.entry()].name == "it")
}

#[test]
fn an_open_gate_lets_every_way_through() {
    let library = library(None);
    for way in Way::ALL {
        assert!(comes_through(&library, way), "{way:?}");
    }
}

#[test]
fn every_way_obeys_every_gate() {
    let mut wrong = Vec::new();
    for gate in &GATES {
        let library = library(Some(gate));
        for way in Way::ALL {
            let open = gate.open_to.contains(&way);
            if comes_through(&library, way) != open {
                wrong.push(format!(
                    "{}: {way:?} should be {}",
                    gate.name,
                    if open { "open" } else { "closed" }
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_refusal_does_not_reveal_what_exists() {
    for gate in GATES.iter().filter(|gate| matches!(gate.name, "admin_only" | "disable-model-invocation")) {
        let library = library(Some(gate));
        let catalog = library.catalog();
        let tell = |word: &str| reach(&catalog, word, library.asker(), Way::Load).unwrap_err().message();
        assert_eq!(tell("it"), "there is no skill `it`", "{}", gate.name);
        assert_eq!(tell("itt"), "there is no skill `itt`", "{}", gate.name);
    }
}

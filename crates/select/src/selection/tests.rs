//! The contracts of selection, over small libraries on disk.

use super::*;
use crate::{mention::ResolvedMention, turn::PastTurn};
use skillful_catalog::{
    AgentProfiles, Environment, Inputs, Principal, Settings, TrustStore,
    settings::{RuleOwner, Select, SkillRule},
};
use std::path::Path;

/// A library and who uses it.
struct Library {
    home: tempfile::TempDir,
    settings: Settings,
    environment: Environment,
    principal: Principal,
}

impl Library {
    /// Skills by name, each with the lines of its frontmatter.
    fn new(skills: &[(&str, &str)]) -> Self {
        let home = tempfile::tempdir().unwrap();
        for (name, header) in skills {
            let folder = home.path().join(".agents/skills").join(name);
            std::fs::create_dir_all(&folder).unwrap();
            let text =
                format!("---\nname: {name}\ndescription: About {name}.\n{header}\n---\nBody of {name}.\n");
            std::fs::write(folder.join("SKILL.md"), text).unwrap();
        }
        let environment = Environment {
            cwd: home.path().join("work"),
            home: home.path().to_path_buf(),
            ..Environment::default()
        };
        Self { home, settings: Settings::default(), environment, principal: Principal::default() }
    }

    fn catalog(&self) -> Catalog {
        let agents = AgentProfiles::embedded();
        let trust = TrustStore::default();
        Catalog::build(Inputs {
            agents: &agents,
            environment: &self.environment,
            settings: &self.settings,
            trust: &trust,
            approvals: skillful_catalog::Approvals::none(),
        })
    }

    fn select(&self, turn: &Turn) -> (Catalog, Selection) {
        let catalog = self.catalog();
        let asker = Asker::new(&self.principal, &self.environment);
        let selection = select(&catalog, turn, asker);
        (catalog, selection)
    }

    /// The log line and the menu for a turn.
    fn check(&self, turn: &Turn, eager: &str, menu: &[&str]) {
        let (catalog, selection) = self.select(turn);
        assert_eq!(selection.log_line(&catalog), eager);
        let names: Vec<String> = selection.menu.iter().map(|at| catalog.entries[*at].address()).collect();
        assert_eq!(names, menu);
        let counts = format!("eager={} menu={}", selection.selected.len(), menu.len());
        assert_eq!(selection.count_line(), counts);
    }

    fn path(&self) -> &Path {
        self.home.path()
    }
}

fn said(message: &str) -> Turn {
    Turn { message: message.to_owned(), ..Turn::default() }
}

fn from(source: &str) -> Turn {
    Turn { source_type: Some(source.to_owned()), ..Turn::default() }
}

#[test]
fn source_type_selects_with_its_reason() {
    let library = Library::new(&[("markets", "source_types: [briefing]"), ("notes", "")]);
    library.check(&from("briefing"), "count=1: markets(source_type=briefing)", &["notes"]);
    library.check(&from("talk"), "count=0: ", &["markets", "notes"]);
}

#[test]
fn keywords_never_select() {
    let library = Library::new(&[("calendar", "triggers: [meeting]")]);
    library.check(&said("book a meeting"), "count=0: ", &["calendar"]);
}

#[test]
fn an_attachment_selects_whatever_the_case_and_the_dot() {
    let library = Library::new(&[("whisper", "file_types: [.WAV]")]);
    let turn = Turn { attachments: vec!["dir/V.wAv".to_owned()], ..Turn::default() };
    library.check(&turn, "count=1: whisper(file_type=wav)", &[]);
    let other = Turn { attachments: vec!["wav".to_owned()], ..Turn::default() };
    library.check(&other, "count=0: ", &["whisper"]);
}

#[test]
fn a_touched_file_selects_by_glob() {
    let library = Library::new(&[("web", "paths: \"src/**/*.{ts,tsx}, *.css\"")]);
    let turn = Turn { touched: vec!["src/a/b.tsx".to_owned()], ..Turn::default() };
    library.check(&turn, "count=1: web(path=src/**/*.{ts,tsx})", &[]);
}

#[test]
fn always_include_disabled_by_the_user_is_not_selected() {
    let mut library = Library::new(&[("files", "always_include: true")]);
    library.check(&said(""), "count=1: files(always_include)", &[]);
    library.settings.rules.push(SkillRule {
        select: Select::Name("files".to_owned()),
        enabled: false,
        owner: RuleOwner::User,
        for_user: None,
    });
    library.check(&said(""), "count=0: ", &[]);
}

#[test]
fn exclusion_drops_even_an_always_included_skill() {
    let library = Library::new(&[
        ("briefing", "source_types: [briefing]\nexclude_skills: [email]"),
        ("email", "always_include: true"),
    ]);
    library.check(&from("briefing"), "count=1: briefing(source_type=briefing)", &[]);
    library.check(&from("talk"), "count=1: email(always_include)", &["briefing"]);
}

#[test]
fn mutual_exclusion_keeps_the_stronger() {
    let library = Library::new(&[
        ("a", "source_types: [talk]\nexclude_skills: [b]"),
        ("b", "always_include: true\nexclude_skills: [a]"),
    ]);
    library.check(&from("talk"), "count=1: b(always_include)", &[]);
}

#[test]
fn a_companion_of_a_surviving_skill_is_never_excluded() {
    let library = Library::new(&[
        ("a", "always_include: true\ncompanion_skills: [safety]"),
        ("b", "always_include: true\nexclude_skills: [safety]"),
        ("safety", "always_include: true"),
    ]);
    library.check(&said(""), "count=3: a(always_include), b(always_include), safety(always_include)", &[]);
}

#[test]
fn companions_come_one_level_deep_and_only_with_survivors() {
    let library = Library::new(&[
        ("a", "always_include: true\ncompanion_skills: [b]"),
        ("b", "companion_skills: [c]"),
        ("c", ""),
        ("x", "source_types: [talk]\ncompanion_skills: [y]"),
        ("y", ""),
        ("z", "always_include: true\nexclude_skills: [x]"),
    ]);
    library.check(
        &from("talk"),
        "count=3: a(always_include), b(companion of a), z(always_include)",
        &["c", "y"],
    );
}

#[test]
fn a_missing_companion_leaves_a_marker_with_its_reason() {
    let library = Library::new(&[
        ("a", "always_include: true\ncompanion_skills: [gone, secret]"),
        ("secret", "admin_only: true"),
    ]);
    let (_, selection) = library.select(&said(""));
    assert_eq!(
        selection.missing,
        [
            MissingCompanion { of: "a".to_owned(), name: "gone".to_owned(), reasons: Vec::new() },
            MissingCompanion {
                of: "a".to_owned(),
                name: "secret".to_owned(),
                reasons: vec![Reason::AdminOnly]
            },
        ]
    );
}

#[test]
fn skills_stay_on_for_two_turns_and_half_an_hour() {
    let library = Library::new(&[("calendar", ""), ("mail", ""), ("old", ""), ("parent", ""), ("third", "")]);
    let past = |root: &str, completed: bool, age: u64| PastTurn {
        roots: vec![root.to_owned()],
        completed,
        age,
        ..PastTurn::default()
    };
    let turn = Turn {
        past: vec![
            past("third", true, 900),
            past("calendar", true, 60),
            past("old", true, 3_600),
            past("mail", true, 120),
            past("old", false, 10),
        ],
        reply_to: Some(past("parent", true, 90_000)),
        ..from("talk")
    };
    library.check(&turn, "count=3: calendar(sticky), mail(sticky), parent(sticky)", &["old", "third"]);
    let scheduled = Turn { source_type: Some("cron".to_owned()), ..turn };
    library.check(&scheduled, "count=0: ", &["calendar", "mail", "old", "parent", "third"]);
}

#[test]
fn of_turns_within_one_second_the_latest_two_stay_on() {
    let library = Library::new(&[("a", ""), ("b", ""), ("c", ""), ("d", "")]);
    let past = |root: &str| PastTurn { roots: vec![root.to_owned()], completed: true, ..PastTurn::default() };
    let turn = Turn { past: vec![past("a"), past("b"), past("c"), past("d")], ..from("talk") };
    library.check(&turn, "count=2: c(sticky), d(sticky)", &["a", "b"]);
}

#[test]
fn stickiness_stores_roots_so_that_it_does_not_grow() {
    let library = Library::new(&[("a", "companion_skills: [b]"), ("b", "companion_skills: [c]"), ("c", "")]);
    let mut roots = vec!["a".to_owned()];
    for _ in 0..5 {
        let turn = Turn {
            past: vec![PastTurn { roots, completed: true, age: 10, ..PastTurn::default() }],
            ..from("talk")
        };
        let (catalog, selection) = library.select(&turn);
        assert_eq!(selection.log_line(&catalog), "count=2: a(sticky), b(companion of a)");
        roots = selection.roots(&catalog);
        assert_eq!(roots, ["a"]);
    }
}

#[test]
fn a_sticky_skill_passes_the_gates_anew() {
    let library = Library::new(&[("secret", "admin_only: true"), ("trial", "experimental: yes")]);
    let names = ["secret", "trial", "unknown"].map(str::to_owned).to_vec();
    let turn = Turn {
        past: vec![PastTurn { roots: names, completed: true, age: 10, ..PastTurn::default() }],
        ..from("talk")
    };
    let (catalog, selection) = library.select(&turn);
    assert_eq!(selection.log_line(&catalog), "count=0: ");
    assert_eq!(selection.refused.len(), 2);
}

#[test]
fn a_mention_reaches_a_skill_that_models_may_not_choose() {
    let library = Library::new(&[
        ("release", "disable-model-invocation: true"),
        ("model-only", "user-invocable: false"),
    ]);
    library.check(&said("run $release"), "count=1: release(mention)", &["model-only"]);
    let (_, selection) = library.select(&said("/model-only now"));
    assert_eq!(selection.refused[0].verdict.reasons, [Reason::NotForUsers]);
}

#[test]
fn an_unknown_mention_is_reported_once_and_prose_is_not() {
    let library = Library::new(&[("weekly-report", ""), ("deploy", "")]);
    let unknown = |message: &str| -> Vec<String> {
        let (_, selection) = library.select(&said(message));
        let problem =
            |one: &ResolvedMention| Some(format!("{}: {}", one.mention.name, one.meaning.problem()?));
        selection.mentions.iter().filter_map(problem).collect()
    };
    let near = "weekly: no skill has this name; did you mean weekly-report?";
    assert_eq!(unknown("use $weekly now, $weekly"), [near]);
    assert_eq!(unknown("use $nothing"), ["nothing: no skill has this name"]);
    assert_eq!(unknown("/nothing at the head"), ["nothing: no skill has this name"]);
    assert_eq!(unknown("ask @code-review"), ["code-review: no skill has this name"]);
    assert_eq!(unknown("ask @deplyo"), ["deplyo: no skill has this name; did you mean deploy?"]);
    for prose in [
        "$PATH $HOME $MY_VAR $my_var $1 $x ${name} $(date)",
        "it costs $5, $5k or US$20",
        "mail anna@example.com and thank @anna and @Bob",
        "@types/node and @notes.md",
        "run `$nothing` and\n```\n$other-thing @some-thing\n```\n",
        "$deploy and @weekly-report exist",
    ] {
        assert_eq!(unknown(prose), [""; 0], "{prose}");
    }
}

#[test]
fn mentions_of_one_skill_count_once() {
    let library = Library::new(&[("alpha", ""), ("beta", "")]);
    let (_, selection) = library.select(&said("$beta and $alpha and $beta"));
    assert_eq!(selection.mentions.len(), 2);
    assert_eq!(selection.mentions[0].mention.name, "beta");
}

#[test]
fn a_connector_of_the_same_name_suppresses_the_plain_form() {
    let library = Library::new(&[("slack", "")]);
    let turn = Turn { connectors: vec!["Slack".to_owned()], ..said("ask $slack") };
    library.check(&turn, "count=0: ", &["slack"]);
    let path = library.path().join(".agents/skills/slack/SKILL.md");
    let linked =
        Turn { connectors: vec!["slack".to_owned()], ..said(&format!("ask [$slack]({})", path.display())) };
    library.check(&linked, "count=1: slack(mention)", &[]);
}

#[test]
fn selected_skills_name_what_to_omit_from_the_prompt() {
    let library =
        Library::new(&[("a", "always_include: true\nexclude_memory: true"), ("b", "exclude_persona: true")]);
    let (_, selection) = library.select(&said(""));
    assert_eq!(selection.omit, PromptOmissions { memory: true, persona: false, resources: false });
}

#[test]
fn a_skill_given_as_data_comes_first_and_stands_for_its_name_even_when_it_is_not_there() {
    let library = Library::new(&[("a", ""), ("b", "")]);
    let path = |name: &str| library.path().join(".agents/skills").join(name).display().to_string();
    let mut turn = Turn { given: vec![path("b")], ..said("$a") };
    let (catalog, selection) = library.select(&turn);
    let order: Vec<String> = selection
        .mentions
        .iter()
        .filter_map(|resolved| match resolved.meaning {
            MentionMeaning::Skill(at) => Some(catalog.entries[at].address()),
            _ => None,
        })
        .collect();
    assert_eq!(order, ["b", "a"]);
    turn.given = vec!["/elsewhere/a/SKILL.md".to_owned()];
    let (_, selection) = library.select(&turn);
    assert!(selection.selected.is_empty());
    assert_eq!(selection.mentions[0].meaning, MentionMeaning::Unknown(Vec::new()));
}

#[test]
fn for_a_user_who_disabled_the_winner_the_next_of_its_name_is_selected_offered_and_meant() {
    let mut library = Library::new(&[("a", "source_types: [briefing]"), ("agent", "companion_skills: [a]")]);
    // A weaker one of the same name.
    let weaker = library.path().join("more/a");
    std::fs::create_dir_all(&weaker).unwrap();
    std::fs::write(
        weaker.join("SKILL.md"),
        "---\nname: a\ndescription: The other.\nsource_types: [briefing]\n---\nOther.\n",
    )
    .unwrap();
    library.settings.custom = vec![library.path().join("more")];
    library.principal.user = Some("ann".to_owned());
    let strong = library.path().join(".agents/skills/a");
    let chosen = |library: &Library, turn: &Turn| {
        let (catalog, selection) = library.select(turn);
        let file = |at: usize| catalog.entries[at].origin.file.starts_with(&strong);
        let eager: Vec<bool> = selection
            .selected
            .iter()
            .filter(|chosen| catalog.entries[chosen.entry()].name == "a")
            .map(|chosen| file(chosen.entry()))
            .collect();
        let menu: Vec<bool> = selection
            .menu
            .iter()
            .filter(|at| catalog.entries[**at].name == "a")
            .map(|at| file(*at))
            .collect();
        (eager, menu)
    };
    let ways = [from("briefing"), said("$a"), said("$agent")];
    for turn in &ways {
        assert_eq!(chosen(&library, turn).0, [true], "{turn:?}");
    }
    library.settings.rules.push(SkillRule {
        select: Select::Path(strong.clone()),
        enabled: false,
        owner: RuleOwner::User,
        for_user: Some("ann".to_owned()),
    });
    for turn in &ways {
        assert_eq!(chosen(&library, turn).0, [false], "{turn:?}");
    }
    assert_eq!(chosen(&library, &said("hello")).1, [false]);
}

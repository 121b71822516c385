//! Other agents: what a rule denies, and what an untrusted repository can do.

use crate::library::{Library, said};
use skillful_catalog::{
    Approvals,
    approvals::files_of,
    settings::{NameGlob, SourceRule},
};
use skillful_select::access::{Way, offered, reach};
use std::sync::Arc;

/// What the ways that list skills have to offer.
fn lists(library: &Library) -> [Vec<String>; 3] {
    let catalog = library.catalog();
    [Way::Menu, Way::List, Way::Slash].map(|way| {
        offered(&catalog, library.asker(), way).into_iter().map(|at| catalog.entries[at].address()).collect()
    })
}

#[test]
fn after_denying_all_and_allowing_one_just_that_one_is_offered() {
    let mut library = Library::new(&[("one", ""), ("two", ""), ("three", "")]);
    library.settings.include = vec![NameGlob::new("one").unwrap()];
    assert_eq!(lists(&library), [["one"], ["one"], ["one"]].map(|names| names.map(str::to_owned).to_vec()));
    // The same by sources, where the last match counts.
    let mut library = Library::new(&[("mine", "")]);
    library.skill(".codex/skills", "theirs", "");
    let rule =
        |agent: Option<&str>, enabled| SourceRule { agent: agent.map(str::to_owned), scope: None, enabled };
    library.settings.sources = vec![rule(None, false), rule(Some("codex"), true)];
    let both = ["mine".to_owned(), "theirs".to_owned()].to_vec();
    assert_eq!(lists(&library)[0], both, "the shared folder is Codex's too");
    library.settings.sources.push(rule(Some("codex"), false));
    assert_eq!(lists(&library), [const { Vec::<String>::new() }; 3]);
}

#[test]
fn with_everything_denied_no_list_offers_anything_and_no_name_leads_anywhere() {
    let mut library = Library::new(&[("one", "always_include: true"), ("two", "")]);
    library.settings.ignore = vec![NameGlob::new("*").unwrap()];
    assert_eq!(lists(&library), [const { Vec::<String>::new() }; 3]);
    library.check(&said("$one /two [$two](x) skill://two"), "count=0: ", &[]);
    let catalog = library.catalog();
    for way in Way::ALL {
        let refusal = reach(&catalog, "two", library.asker(), way).unwrap_err();
        assert_eq!(
            (refusal.message().as_str(), refusal.near.len()),
            ("there is no skill `two`", 0),
            "{way:?}"
        );
    }
}

#[test]
fn a_repository_joins_every_list_when_it_is_trusted_and_none_before() {
    let mut library = Library::new(&[("mine", "")]);
    library.skill("work/.agents/skills", "theirs", "source_types: [talk]\nalways_include: true");
    let mine = ["mine".to_owned()].to_vec();
    assert_eq!(lists(&library), [mine.clone(), mine.clone(), mine]);
    library.check(&said("use $theirs"), "count=0: ", &["mine"]);
    let catalog = library.catalog();
    let theirs = catalog.entries.iter().find(|entry| entry.name == "theirs").unwrap();
    library.approvals = Arc::new(Approvals::new([], [files_of(theirs).unwrap()]));
    library.check(&said(""), "count=1: theirs(always_include)", &["mine"]);
}

#[test]
fn a_near_name_is_suggested_only_for_skills_that_the_caller_may_use() {
    let library = Library::new(&[("deploy", ""), ("deplox", "disable-model-invocation: true")]);
    let catalog = library.catalog();
    let near = |way| {
        let mut near = reach(&catalog, "deploi", library.asker(), way).unwrap_err().near;
        near.sort();
        near
    };
    assert_eq!(near(Way::Load), ["deploy"]);
    assert_eq!(near(Way::Mention), ["deplox", "deploy"]);
}

use crate::{
    on_both,
    world::{World, own},
};
use skillful_format::{Limits, Tree, TreeFile, TreePath};
use skillful_team::{
    Role, Scope, TeamError,
    drafts::{DraftInput, DraftSave},
    proposals::DecisionInput,
    upload::Upload,
    usage::UseReport,
};
use std::collections::BTreeMap;

on_both!(
    a_save_in_between_is_a_conflict_and_a_draft_is_seen_by_its_author_alone,
    two_saves_of_one_draft_become_one_text_with_marks_only_where_both_changed_the_same_lines,
    a_draft_of_a_version_becomes_the_next_version_and_keeps_files_that_are_not_text,
    a_member_proposes_a_draft_of_a_skill_that_they_may_not_change,
    uses_are_counted_for_what_the_user_may_read_and_summed_by_window,
);

fn draft(text: &str, revision: Option<i64>) -> DraftInput {
    DraftInput {
        skill_id: String::new(),
        base: None,
        name: "pdf".to_owned(),
        files: BTreeMap::from([("SKILL.md".to_owned(), text.to_owned())]),
        revision,
    }
}

async fn a_save_in_between_is_a_conflict_and_a_draft_is_seen_by_its_author_alone(world: World) {
    let (ada, admin) = (world.user("ada", &[]).await, world.user("admin", &[Role::OrgAdmin]).await);
    let team = &world.team;
    let first = team.create_draft(&ada, &draft("One.", None)).await.unwrap();
    let second = team.save_draft(&ada, &first.id, &draft("Two.", Some(first.revision))).await.unwrap();
    assert_eq!(second.revision, first.revision + 1);
    let late = team.save_draft(&ada, &first.id, &draft("Three.", Some(first.revision))).await;
    assert!(matches!(late, Err(TeamError::Conflict { code: "draft-changed", .. })), "{late:?}");
    for never in [i64::MAX, i64::MIN, -1] {
        let wrong = team.save_draft(&ada, &first.id, &draft("Three.", Some(never))).await;
        assert!(matches!(wrong, Err(TeamError::Conflict { code: "draft-changed", .. })), "{wrong:?}");
    }
    let unnamed = team.save_draft(&ada, &first.id, &draft("Three.", None)).await;
    assert!(matches!(unnamed, Err(TeamError::Invalid { code: "no-revision", .. })), "{unnamed:?}");
    assert_eq!(team.draft(&ada, &first.id).await.unwrap().files["SKILL.md"], "Two.");
    assert_eq!(team.draft(&admin, &first.id).await.unwrap_err(), TeamError::NotFound);
    assert_eq!(team.delete_draft(&admin, &first.id).await.unwrap_err(), TeamError::NotFound);
    let mut escaping = draft("x", None);
    escaping.files.insert("../evil".to_owned(), String::new());
    assert!(matches!(
        team.create_draft(&ada, &escaping).await,
        Err(TeamError::Invalid { code: "wrong-path", .. })
    ));
}

async fn two_saves_of_one_draft_become_one_text_with_marks_only_where_both_changed_the_same_lines(
    world: World,
) {
    let ada = world.user("ada", &[]).await;
    let team = &world.team;
    let conflict = |saved| match saved {
        DraftSave::Conflict(found) => *found,
        DraftSave::Saved(draft) => panic!("saved {draft:?}"),
    };
    let first = team.create_draft(&ada, &draft("1\n2\n3\n4\n", None)).await.unwrap();
    team.save_draft(&ada, &first.id, &draft("one\n2\n3\n4\n", Some(1))).await.unwrap();
    let late =
        conflict(team.save_or_merge(&ada, &first.id, &draft("1\n2\n3\nfour\n", Some(1))).await.unwrap());
    assert_eq!((late.saved.revision, late.saved.files["SKILL.md"].as_str()), (2, "one\n2\n3\n4\n"));
    assert_eq!((late.merged["SKILL.md"].as_str(), late.conflicts.len()), ("one\n2\n3\nfour\n", 0));
    assert_eq!(team.draft(&ada, &first.id).await.unwrap().revision, 2, "nothing was written");

    let same =
        conflict(team.save_or_merge(&ada, &first.id, &draft("uno\n2\n3\n4\n", Some(1))).await.unwrap());
    assert_eq!(
        same.merged["SKILL.md"],
        "<<<<<<< your text\nuno\n=======\none\n>>>>>>> saved elsewhere\n2\n3\n4\n"
    );
    assert_eq!(same.conflicts.into_iter().collect::<Vec<_>>(), [("SKILL.md".to_owned(), 1)]);

    // What one save removed and the other changed stays.
    let mut gone = draft("one\n2\n3\n4\n", Some(2));
    gone.files.insert("a.md".to_owned(), "a".to_owned());
    team.save_draft(&ada, &first.id, &gone).await.unwrap();
    gone.revision = Some(3);
    gone.files.insert("a.md".to_owned(), "b".to_owned());
    team.save_draft(&ada, &first.id, &gone).await.unwrap();
    let removed =
        conflict(team.save_or_merge(&ada, &first.id, &draft("one\n2\n3\n4\n", Some(3))).await.unwrap());
    assert_eq!((removed.merged["a.md"].as_str(), removed.conflicts["a.md"]), ("b", 1));

    // The same save again is the answer that got lost.
    let again = team.save_or_merge(&ada, &first.id, &gone).await.unwrap();
    assert!(matches!(again, DraftSave::Saved(draft) if draft.revision == 4));

    let marked = draft(&removed_marks(), Some(4));
    team.save_draft(&ada, &first.id, &marked).await.unwrap();
    let early = team.publish_draft(&ada, &first.id, 5, &own(&ada), "").await;
    assert!(matches!(early, Err(TeamError::Conflict { code: "unmerged", .. })), "{early:?}");
}

fn removed_marks() -> String {
    "---\nname: pdf\ndescription: Reads PDF files. Use when asked.\n---\n<<<<<<< your text\na\n=======\nb\n>>>>>>> saved elsewhere\n".to_owned()
}

async fn a_draft_of_a_version_becomes_the_next_version_and_keeps_files_that_are_not_text(world: World) {
    let ada = world.user("ada", &[]).await;
    let team = &world.team;
    let limits = Limits::default();
    let mut tree = Tree::default();
    let text = "---\nname: pdf\ndescription: Reads PDF files. Use when asked.\n---\nOne.\n";
    for (path, bytes) in
        [("SKILL.md", text.as_bytes()), ("assets/x.bin", b"\0\xff"), ("scripts/run.sh", b"#!/bin/sh\n")]
    {
        let file = TreeFile { executable: bytes.starts_with(b"#!"), bytes: bytes.to_vec() };
        tree.insert(TreePath::new(path, &limits).unwrap(), file, &limits).unwrap();
    }
    let skill =
        team.create_skill(&ada, &own(&ada), Upload { tree, ..Default::default() }).await.unwrap().skill;
    let draft = team.draft_of_version(&ada, &skill.id, 1).await.unwrap();
    assert_eq!(draft.files.keys().collect::<Vec<_>>(), ["SKILL.md", "scripts/run.sh"]);
    let mut input = DraftInput {
        skill_id: skill.id.clone(),
        base: Some(1),
        name: draft.name.clone(),
        files: draft.files.clone(),
        revision: Some(draft.revision),
    };
    input.files.insert("SKILL.md".to_owned(), text.replace("One.", "Two."));
    let saved = team.save_draft(&ada, &draft.id, &input).await.unwrap();
    let stale = team.publish_draft(&ada, &draft.id, draft.revision, &own(&ada), "").await;
    assert!(matches!(stale, Err(TeamError::Conflict { code: "draft-changed", .. })), "{stale:?}");
    let stored = team.publish_draft(&ada, &draft.id, saved.revision, &own(&ada), "Two").await.unwrap();
    assert_eq!((stored.skill.id.as_str(), stored.version.number), (skill.id.as_str(), 2));
    let tree = team.contents(&ada, &skill.id, 2).await.unwrap();
    assert_eq!(tree.get("assets/x.bin").unwrap().bytes, b"\0\xff");
    assert!(tree.get("scripts/run.sh").unwrap().executable);
    assert_eq!(team.draft(&ada, &draft.id).await.unwrap_err(), TeamError::NotFound);
}

async fn a_member_proposes_a_draft_of_a_skill_that_they_may_not_change(world: World) {
    let (ada, admin) = (world.user("ada", &[]).await, world.user("admin", &[Role::OrgAdmin]).await);
    let reviewer = world.user("rae", &[Role::Reviewer]).await;
    let team = &world.team;
    let first = world.skill(&admin, &Scope::Org, "pdf", "One.").await;
    let digest = first.version.tree.clone();
    let decision = DecisionInput { digest, note: String::new(), waiver: String::new(), waiver_days: None };
    team.decide(&reviewer, &first.proposal.unwrap(), true, &decision).await.unwrap();
    let draft = team.draft_of_version(&ada, &first.skill.id, 1).await.unwrap();
    let stored = team.publish_draft(&ada, &draft.id, draft.revision, &own(&ada), "again").await.unwrap();
    assert_eq!((stored.skill.id, stored.version.number), (first.skill.id, 2));
    let waiting = team.proposal(&reviewer, &stored.proposal.unwrap()).await.unwrap();
    assert_eq!((waiting.proposal.state.as_str(), waiting.may_decide.allowed), ("open", true));
}

async fn uses_are_counted_for_what_the_user_may_read_and_summed_by_window(world: World) {
    let (ada, bob) = (world.user("ada", &[]).await, world.user("bob", &[]).await);
    let auditor = world.user("auditor", &[Role::Auditor]).await;
    let team = &world.team;
    let id = world.skill(&ada, &own(&ada), "pdf", "One.").await.skill.id;
    let report = |uses, failures| UseReport {
        skill_id: id.clone(),
        version: 1,
        agent: "codex".to_owned(),
        uses,
        failures,
    };
    assert_eq!(team.report_uses(&ada, &[report(3, 1)]).await.unwrap(), 1);
    assert_eq!(team.report_uses(&ada, &[report(2, 0)]).await.unwrap(), 1);
    assert_eq!(team.report_uses(&bob, &[report(7, 0)]).await.unwrap(), 0, "a skill that is not for them");
    assert!(matches!(team.report_uses(&ada, &[report(1, 2)]).await, Err(TeamError::Invalid { .. })));
    let day = team.usage(&ada, 1, false).await.unwrap();
    assert_eq!((day.uses, day.failures, day.active_users, day.over_time.len()), (5, 1, 1, 24));
    assert_eq!((day.top[0].name.as_str(), day.agents[0].agent.as_str()), ("pdf", "codex"));
    assert_eq!(team.usage(&bob, 30, false).await.unwrap().uses, 0);
    assert!(matches!(team.usage(&bob, 30, true).await, Err(TeamError::Forbidden(_))));
    assert_eq!(team.usage(&auditor, 30, true).await.unwrap().uses, 5);
    world.pass(2 * 24 * 3_600 * 1_000);
    assert_eq!(team.usage(&ada, 1, false).await.unwrap().uses, 0, "the window has passed");
    assert_eq!(team.usage(&ada, 7, false).await.unwrap().uses, 5);
    assert!(matches!(team.usage(&ada, 2, false).await, Err(TeamError::Invalid { code: "wrong-window", .. })));
}

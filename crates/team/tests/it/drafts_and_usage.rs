use crate::{
    on_both,
    world::{World, own},
};
use skillful_team::{Role, TeamError, drafts::DraftInput, usage::UseReport};
use std::collections::BTreeMap;

on_both!(
    a_save_in_between_is_a_conflict_and_a_draft_is_seen_by_its_author_alone,
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

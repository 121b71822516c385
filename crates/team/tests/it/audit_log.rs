use crate::{
    on_both,
    world::{World, own},
};
use skillful_team::{Db, Role, Scope, TeamError, organisation::Policy};

on_both!(
    every_deed_is_in_the_log_and_the_chain_is_whole,
    changes_are_seen_by_those_who_may_read_them,
    one_changed_byte_of_the_log_is_found,
    an_end_that_was_cut_off_the_log_is_found,
    roles_that_a_sign_in_changes_are_in_the_log,
);

async fn every_deed_is_in_the_log_and_the_chain_is_whole(world: World) {
    let auditor = world.user("auditor", &[Role::Auditor]).await;
    let bob = world.user("bob", &[]).await;
    let stored = world.skill(&bob, &own(&bob), "pdf", "One.").await;
    world.team.delete_skill(&bob, &stored.skill.id).await.unwrap();
    let log = world.team.audit_log(&auditor, None, &stored.skill.id, "").await.unwrap();
    let actions: Vec<&str> = log.iter().map(|entry| entry.action.as_str()).collect();
    assert_eq!(actions, ["skill.delete", "skill.create"]);
    assert_eq!(log[1].after["tree"], stored.version.tree);
    let check = world.team.check_audit_log(&auditor).await.unwrap();
    assert!(check.is_whole && check.entries >= 4, "{check:?}");
    assert!(matches!(world.team.audit_log(&bob, None, "", "").await, Err(TeamError::Forbidden(_))));
}

async fn changes_are_seen_by_those_who_may_read_them(world: World) {
    let admin = world.user("admin", &[Role::OrgAdmin]).await;
    let (ada, bob) = (world.user("ada", &[]).await, world.user("bob", &[]).await);
    // A member knows nothing of a version in review.
    let policy = Policy { rule: "review".to_owned(), setting: "off".to_owned() };
    world.team.set_policy(&admin, &policy).await.unwrap();
    let before = world.team.last_change().await.unwrap();
    let mine = world.skill(&ada, &own(&ada), "mine", "One.").await.skill.id;
    let shared = world.skill(&admin, &Scope::Org, "shared", "One.").await.skill.id;
    let (seen, last) = world.team.changes(&bob, before).await.unwrap();
    let subjects: Vec<&str> = seen.iter().map(|change| change.subject.as_str()).collect();
    assert_eq!(subjects, [shared.as_str()]);
    assert_eq!(last, world.team.last_change().await.unwrap());
    let (seen, _) = world.team.changes(&ada, before).await.unwrap();
    assert_eq!(seen[0].subject, mine);
}

async fn an_end_that_was_cut_off_the_log_is_found(world: World) {
    let auditor = world.user("auditor", &[Role::Auditor]).await;
    world.skill(&auditor, &own(&auditor), "a", "One.").await;
    let before = world.team.check_audit_log(&auditor).await.unwrap();
    let sql = "DELETE FROM audit_entry WHERE seq = (SELECT max(seq) FROM audit_entry)";
    match world.team.db() {
        Db::Sqlite { write, .. } => drop(sqlx::query(sql).execute(write).await.unwrap()),
        Db::Postgres { write, .. } => drop(sqlx::query(sql).execute(write).await.unwrap()),
    }
    let check = world.team.check_audit_log(&auditor).await.unwrap();
    assert_eq!((before.is_whole, check.is_whole, check.broken_at), (true, false, Some(before.entries)));
}

async fn roles_that_a_sign_in_changes_are_in_the_log(world: World) {
    let auditor = world.user("auditor", &[Role::Auditor]).await;
    world.user("bob", &[]).await;
    let bob = world.user("bob", &[Role::OrgAdmin]).await;
    world.user("bob", &[Role::OrgAdmin]).await;
    let log = world.team.audit_log(&auditor, None, bob.user.as_deref().unwrap(), "user.roles").await.unwrap();
    assert_eq!(log.len(), 1, "{log:?}");
    assert_eq!(log[0].after, serde_json::json!({ "before": "", "after": "org-admin" }));
}

async fn one_changed_byte_of_the_log_is_found(world: World) {
    let auditor = world.user("auditor", &[Role::Auditor]).await;
    let bob = world.user("bob", &[]).await;
    for name in ["a", "b", "c"] {
        world.skill(&bob, &own(&bob), name, "One.").await;
    }
    let sql = "UPDATE audit_entry SET subject = 'x' || subject WHERE seq = 4";
    match world.team.db() {
        Db::Sqlite { write, .. } => drop(sqlx::query(sql).execute(write).await.unwrap()),
        Db::Postgres { write, .. } => drop(sqlx::query(sql).execute(write).await.unwrap()),
    }
    let check = world.team.check_audit_log(&auditor).await.unwrap();
    assert_eq!((check.is_whole, check.broken_at), (false, Some(4)));
}

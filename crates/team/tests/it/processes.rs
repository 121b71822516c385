use crate::{
    on_both,
    world::{World, own, upload},
};
use skillful_team::{Db, TeamError};
use std::{collections::BTreeSet, time::Duration};

on_both!(
    processes_of_one_team_stay_in_step_also_when_a_notification_is_lost,
    versions_that_are_uploaded_at_once_by_several_processes_get_different_numbers,
    a_question_is_answered_after_every_connection_was_ended,
    a_schema_of_a_newer_release_is_refused_with_the_reason,
);

async fn processes_of_one_team_stay_in_step_also_when_a_notification_is_lost(world: World) {
    let ada = world.user("ada", &[]).await;
    let other = world.another_process().await;
    let mut watch = other.watch();
    let keeping = tokio::spawn(other.clone().keep_in_step());
    for name in ["one", "two", "three"] {
        // The listener of the other process is killed, so that its notification is lost.
        if let Db::Postgres { write, .. } = world.team.db() {
            let kill = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN%'";
            sqlx::query(kill).execute(write).await.unwrap();
        }
        world.skill(&ada, &own(&ada), name, "Text.").await;
        let newest = world.team.last_change().await.unwrap();
        let seen =
            tokio::time::timeout(Duration::from_secs(10), watch.wait_for(|known| *known >= newest)).await;
        assert!(seen.is_ok(), "{name} was not seen");
        let (changes, _) = other.changes(&ada, newest - 1).await.unwrap();
        assert_eq!(changes.len(), 1);
    }
    keeping.abort();
}

async fn a_question_is_answered_after_every_connection_was_ended(world: World) {
    let ada = world.user("ada", &[]).await;
    let before = world.team.last_change().await.unwrap();
    if let Db::Postgres { write, .. } = world.team.db() {
        let kill = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()";
        sqlx::query(kill).execute(write).await.unwrap();
    }
    let (newest, again) = tokio::join!(world.team.last_change(), world.team.me(&ada));
    assert_eq!((newest.unwrap(), again.unwrap().id), (before, ada.user.clone().unwrap()));
}

async fn versions_that_are_uploaded_at_once_by_several_processes_get_different_numbers(world: World) {
    let ada = world.user("ada", &[]).await;
    let id = world.skill(&ada, &own(&ada), "pdf", "One.").await.skill.id;
    let others = [world.team.clone(), world.another_process().await, world.another_process().await];
    let mut running = tokio::task::JoinSet::new();
    for number in 0..18_usize {
        let (team, ada, id) = (others[number % 3].clone(), ada.clone(), id.clone());
        running.spawn(
            async move { team.add_version(&ada, &id, upload("pdf", &format!("Text {number}."))).await },
        );
    }
    let mut numbers = BTreeSet::new();
    while let Some(done) = running.join_next().await {
        match done.unwrap() {
            Ok(stored) => assert!(numbers.insert(stored.version.number), "a number came twice"),
            Err(TeamError::Unavailable(_)) => {}
            Err(error) => panic!("{error}"),
        }
    }
    let kept: BTreeSet<i64> =
        world.team.versions(&ada, &id).await.unwrap().iter().map(|version| version.number).collect();
    assert!(numbers.is_subset(&kept), "what was acknowledged is there");
    assert_eq!(kept.len(), numbers.len() + 1);
    let auditor = world.user("auditor", &[skillful_team::Role::Auditor]).await;
    assert!(world.team.check_audit_log(&auditor).await.unwrap().is_whole);
}

async fn a_schema_of_a_newer_release_is_refused_with_the_reason(world: World) {
    let sql = "INSERT INTO schema_version (number) VALUES (99)";
    match world.team.db() {
        Db::Sqlite { write, .. } => drop(sqlx::query(sql).execute(write).await.unwrap()),
        Db::Postgres { write, .. } => drop(sqlx::query(sql).execute(write).await.unwrap()),
    }
    for refused in [Db::open(&world.address).await.map(|_| 0), Db::look(&world.address).await] {
        match refused {
            Err(TeamError::Unavailable(why)) => assert!(why.contains("newer release"), "{why}"),
            other => panic!("{other:?}"),
        }
    }
}

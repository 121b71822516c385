use crate::{
    on_both,
    world::{World, own, upload},
};
use skillful_team::{
    Db, Objects, Openness, Role, Scope, Team, TeamError,
    backup::{backup, restore},
};
use std::sync::Arc;

on_both!(a_team_moves_to_the_other_database_by_a_backup_and_a_restore);

async fn a_team_moves_to_the_other_database_by_a_backup_and_a_restore(world: World) {
    let auditor = world.user("auditor", &[Role::Auditor, Role::OrgAdmin]).await;
    let ada = world.user("ada", &[]).await;
    let mine = world.skill(&ada, &own(&ada), "pdf", "One.").await;
    world.team.add_version(&ada, &mine.skill.id, upload("pdf", "Two.")).await.unwrap();
    world.skill(&auditor, &Scope::Org, "shared", "One.").await;
    let folder = world.folder.path().join("backup");
    let kept = backup(world.team.db(), world.team.objects(), &folder).await.unwrap();
    assert_eq!(kept.trees, 3);
    let again = backup(world.team.db(), world.team.objects(), &folder).await;
    assert!(matches!(again, Err(TeamError::Unavailable(_))), "a backup replaces no other");
    // Into the other kind where there is one.
    let other = match world.team.db() {
        Db::Sqlite { .. } => skillful_testkit::postgres_database(),
        Db::Postgres { .. } => None,
    };
    let address =
        other.unwrap_or_else(|| world.folder.path().join("restored.db").to_str().unwrap().to_owned());
    let objects = Objects::folder(&world.folder.path().join("restored")).unwrap();
    let db = Db::open(&address).await.unwrap();
    // A backup of which something is missing or changed leaves the database empty.
    let rows = std::fs::read_to_string(folder.join("rows.jsonl")).unwrap();
    let place = folder.join("contents/trees").join(&mine.version.tree[7..9]).join(&mine.version.tree[7..]);
    let aside = world.folder.path().join("aside");
    std::fs::rename(&place, &aside).unwrap();
    let lacking = restore(&db, &objects, &folder).await;
    assert!(
        matches!(&lacking, Err(TeamError::Invalid { message, .. }) if message.contains("missing")),
        "{lacking:?}"
    );
    std::fs::rename(&aside, &place).unwrap();
    assert!(rows.contains("skill.create"), "{rows}");
    std::fs::write(folder.join("rows.jsonl"), rows.replace("skill.create", "skill.delete")).unwrap();
    let changed = restore(&db, &objects, &folder).await;
    assert!(
        matches!(&changed, Err(TeamError::Invalid { message, .. }) if message.contains("audit log is broken")),
        "{changed:?}"
    );
    std::fs::write(folder.join("rows.jsonl"), rows).unwrap();
    for (path, mode) in [("", 0o700), ("rows.jsonl", 0o600), ("contents", 0o700)] {
        let metadata = std::fs::metadata(folder.join(path)).unwrap();
        assert_eq!(std::os::unix::fs::PermissionsExt::mode(&metadata.permissions()) & 0o777, mode, "{path}");
    }
    assert_eq!(restore(&db, &objects, &folder).await.unwrap(), kept);
    let full = restore(&db, &objects, &folder).await;
    assert!(matches!(full, Err(TeamError::Conflict { code: "not-empty", .. })), "{full:?}");
    let restored =
        Team::open(db, objects, Openness::default(), Arc::new(|| 1_900_000_000_000)).await.unwrap();
    assert!(restored.check_audit_log(&auditor).await.unwrap().is_whole);
    let tree = restored.contents(&ada, &mine.skill.id, 1).await.unwrap();
    assert_eq!(tree.digest().to_string(), mine.version.tree);
    assert_eq!(restored.effective(&ada).await.unwrap().len(), 1);
    let next = restored.add_version(&ada, &mine.skill.id, upload("pdf", "Three.")).await.unwrap();
    assert_eq!(next.version.number, 3);
    assert!(restored.check_audit_log(&auditor).await.unwrap().is_whole);
}

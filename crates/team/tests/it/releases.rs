use crate::{
    on_both,
    revocations::is_refused,
    world::{World, own, upload},
};
use skillful_team::{Db, Objects, Openness, Role, Team, TeamError, db::Arg, upload::Upload};
use std::{collections::BTreeMap, sync::Arc};

on_both!(
    two_releases_work_side_by_side_on_one_schema_and_the_older_one_does_not_start_again,
    a_later_migration_leaves_every_table_and_column_as_older_releases_write_them,
    what_an_older_release_revokes_and_deletes_stays_revoked,
);

/// The schemas that releases before this one know.
const OLDER: [&str; 3] = [
    include_str!("../../migrations/0001_first.sql"),
    include_str!("../../migrations/0002_outbound.sql"),
    include_str!("../../migrations/0003_draft_saves.sql"),
];

/// Another database of the same kind.
fn another(world: &World) -> Option<String> {
    match world.team.db() {
        Db::Sqlite { .. } => Some(world.folder.path().join("other.db").to_str().unwrap().to_owned()),
        Db::Postgres { .. } => skillful_testkit::postgres_database(),
    }
}

async fn open(db: Db, world: &World) -> Team {
    let objects = Objects::folder(&world.folder.path().join("other")).unwrap();
    Team::open(db, objects, Openness::default(), Arc::new(|| 1_900_000_000_000)).await.unwrap()
}

async fn two_releases_work_side_by_side_on_one_schema_and_the_older_one_does_not_start_again(world: World) {
    let Some(address) = another(&world) else { return };
    let older = open(Db::open_knowing(&address, &OLDER).await.unwrap(), &world).await;
    let identity = |name: &str| skillful_team::people::Identity {
        issuer: "https://id.example".to_owned(),
        sub: name.to_owned(),
        roles: Some([Role::OrgAdmin, Role::Auditor].into()),
        ..Default::default()
    };
    let user = older.signed_in(skillful_team::FIRST_ORG, &identity("ada")).await.unwrap();
    let session = older.begin_session(&user.id).await.unwrap();
    let ada = older.by_session(secrecy::ExposeSecret::expose_secret(&session)).await.unwrap();
    // A look before the newer release starts changes nothing.
    assert_eq!(Db::look(&address).await.unwrap(), 3);
    assert!(
        Db::open_knowing(&address, &OLDER).await.is_ok(),
        "the schema is still that of the older release"
    );
    // The newer release brings the schema forward while the older one goes on.
    let newer = open(Db::open(&address).await.unwrap(), &world).await;
    let before = newer.create_skill(&ada, &own(&ada), upload("before", "One.")).await.unwrap().skill.id;
    let after = older.create_skill(&ada, &own(&ada), upload("after", "One.")).await.unwrap().skill.id;
    newer.keep(&ada, &after, true).await.unwrap();
    for (team, id) in [(&older, &after), (&newer, &before), (&older, &before), (&newer, &after)] {
        let stored = team.add_version(
            &ada,
            id,
            Upload { notes: "again".to_owned(), ..upload(&team.skill(&ada, id).await.unwrap().name, "Two.") },
        );
        let number = stored.await.unwrap().version.number;
        team.set_default(&ada, id, number).await.unwrap();
    }
    for team in [&older, &newer] {
        let names: BTreeMap<String, i64> = team
            .effective(&ada)
            .await
            .unwrap()
            .into_iter()
            .map(|one| (one.skill.name, one.version.number))
            .collect();
        assert_eq!(names, BTreeMap::from([("after".to_owned(), 3), ("before".to_owned(), 3)]));
        assert!(team.check_audit_log(&ada).await.unwrap().is_whole);
    }
    older.delete_skill(&ada, &after).await.unwrap();
    assert_eq!(newer.skill(&ada, &after).await.unwrap_err(), TeamError::NotFound);
    match Db::open_knowing(&address, &OLDER).await {
        Err(TeamError::Unavailable(why)) => {
            assert!(why.contains("newer release") && why.contains("update the program"), "{why}");
        }
        other => panic!("{other:?}"),
    }
}

/// The columns of each table: whether a row needs the column.
async fn columns(db: &Db) -> BTreeMap<String, bool> {
    let sql = match db {
        Db::Sqlite { .. } => {
            "SELECT m.name || '.' || c.name, CASE WHEN c.\"notnull\" = 1 AND c.dflt_value IS NULL THEN 1 ELSE 0 END \
             FROM sqlite_master m JOIN pragma_table_info(m.name) c WHERE m.type = 'table'"
        }
        Db::Postgres { .. } => {
            "SELECT CAST(table_name || '.' || column_name AS TEXT), \
             CAST(CASE WHEN is_nullable = 'NO' AND column_default IS NULL THEN 1 ELSE 0 END AS BIGINT) \
             FROM information_schema.columns WHERE table_schema = 'public'"
        }
    };
    let rows = db.all(sql, Vec::new()).await.unwrap();
    rows.iter().map(|row| (row.text(0).unwrap(), row.int(1).unwrap() != 0)).collect()
}

async fn a_later_migration_leaves_every_table_and_column_as_older_releases_write_them(world: World) {
    let newest = columns(world.team.db()).await;
    let Some(address) = another(&world) else { return };
    let older = Db::open_knowing(&address, &OLDER).await.unwrap();
    let known = columns(&older).await;
    assert!(known.len() > 150, "{}", known.len());
    for (column, is_needed) in &known {
        assert_eq!(newest.get(column), Some(is_needed), "{column} changed");
    }
    let tables: std::collections::BTreeSet<&str> =
        known.keys().filter_map(|column| column.split('.').next()).collect();
    for (column, is_needed) in &newest {
        let table = column.split('.').next().unwrap();
        let is_new = !known.contains_key(column);
        assert!(
            !(is_new && *is_needed && tables.contains(table)),
            "an older release does not write {column}"
        );
    }
}

/// Changes rows as an older release does, which knows no table of revoked files.
async fn written(db: &Db, statements: &[&'static str], values: &[&str]) {
    let mut tx = db.begin().await.unwrap();
    for statement in statements {
        let values = values.iter().copied().map(Arg::from).take(statement.matches('$').count()).collect();
        tx.run(statement, values).await.unwrap();
    }
    tx.commit().await.unwrap();
}

const CREATE: [&str; 3] = [
    "INSERT INTO tree (digest, bytes, files, archive, created) VALUES ($1, 1, '[]', '', 1)",
    "INSERT INTO skill (id, org, scope, owner, name, title, description, state, default_version, latest_version, source, \
     source_id, source_version, published, listed, created, updated) \
     SELECT 'skill_' || CAST($1 AS TEXT), 'main', 'own', $2, $3, '', '', 'active', 1, 1, 'custom', '', '', 0, 1, 1, 1",
    "INSERT INTO skill_version (id, skill_id, number, epoch, semver, tree, name, description, manifest, capabilities, \
     findings, verdict, notes, author, state, reason, created) \
     SELECT 'v_' || CAST($1 AS TEXT), 'skill_' || CAST($1 AS TEXT), 1, 1, '', $1, $3, '', '{}', '[]', '[]', 'pass', '', $2, \
     'published', '', 1",
];
const REVOKE: &str = "UPDATE skill_version SET state = 'revoked', reason = 'leaks' WHERE tree = $1";
const DELETE: &str = "DELETE FROM skill WHERE id = 'skill_' || CAST($1 AS TEXT)";

async fn what_an_older_release_revokes_and_deletes_stays_revoked(world: World) {
    let Some(address) = another(&world) else { return };
    let older = open(Db::open_knowing(&address, &OLDER).await.unwrap(), &world).await;
    let identity = skillful_team::people::Identity { sub: "ada".to_owned(), ..Default::default() };
    let user = older.signed_in(skillful_team::FIRST_ORG, &identity).await.unwrap().id;
    let session = older.begin_session(&user).await.unwrap();
    let ada = older.by_session(secrecy::ExposeSecret::expose_secret(&session)).await.unwrap();
    let trees = ["before", "beside"].map(|name| upload(name, "Harm.").tree.digest().to_string());
    for (tree, name) in trees.iter().zip(["before", "beside"]) {
        written(older.db(), &CREATE, &[tree, &user, name]).await;
    }
    // One was revoked before the newer release starts, one while both work; then the older one deletes both.
    written(older.db(), &[REVOKE], &[&trees[0]]).await;
    let newer = open(Db::open(&address).await.unwrap(), &world).await;
    written(older.db(), &[REVOKE], &[&trees[1]]).await;
    for (tree, name) in trees.iter().zip(["before", "beside"]) {
        written(older.db(), &[DELETE], &[tree]).await;
        assert_eq!(newer.verdicts(&ada, std::slice::from_ref(tree)).await.unwrap()[0].state, "revoked");
        is_refused(newer.create_skill(&ada, &own(&ada), upload(name, "Harm.")).await);
    }
}

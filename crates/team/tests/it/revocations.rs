use crate::{
    on_both,
    world::{World, own, upload},
};
use skillful_team::{
    Actor, Db, Objects, Openness, Role, Scope, Team, TeamError,
    backup::{backup, restore},
    groups::GroupInput,
    organisation::Policy,
    upload::Stored,
    versions::VersionState,
};
use std::sync::Arc;

on_both!(
    what_was_revoked_stays_revoked_when_its_skill_is_deleted_and_its_name_is_used_again,
    what_the_organisation_revokes_is_revoked_as_the_skill_of_a_user_too,
    what_was_revoked_in_a_group_stays_revoked_when_the_group_is_deleted,
    what_was_revoked_is_in_a_backup_also_in_one_of_an_older_release,
);

const MONTH: i64 = 31 * 24 * 3_600 * 1_000;

pub(crate) fn is_refused<T: std::fmt::Debug>(done: Result<T, TeamError>) {
    let refused = done.unwrap_err();
    assert!(
        matches!(&refused, TeamError::Conflict { code: "revoked", message } if message.contains("leaks")),
        "{refused:?}"
    );
}

/// What a client of this user learns about files.
async fn verdict(team: &Team, actor: &Actor, tree: &str) -> (String, String) {
    let verdict = team.verdicts(actor, &[tree.to_owned()]).await.unwrap().remove(0);
    (verdict.state, verdict.reason)
}

fn revoked() -> (String, String) {
    ("revoked".to_owned(), "leaks".to_owned())
}

/// A skill of the organisation that was published at once and revoked.
async fn revoked_for_all(world: &World, admin: &Actor, name: &str) -> Stored {
    let off = Policy { rule: "review".to_owned(), setting: "off".to_owned() };
    world.team.set_policy(admin, &off).await.unwrap();
    let stored = world.skill(admin, &Scope::Org, name, "Harm.").await;
    world.team.take_back(admin, &stored.skill.id, 1, VersionState::Revoked, "leaks").await.unwrap();
    stored
}

async fn what_was_revoked_stays_revoked_when_its_skill_is_deleted_and_its_name_is_used_again(world: World) {
    let admin = world.user("admin", &[Role::OrgAdmin]).await;
    let (ada, bob) = (world.user("ada", &[]).await, world.user("bob", &[]).await);
    let team = &world.team;
    let shared = revoked_for_all(&world, &admin, "ocr").await;
    let mine = world.skill(&ada, &own(&ada), "pdf", "Harm.").await;
    team.take_back(&admin, &mine.skill.id, 1, VersionState::Revoked, "leaks").await.unwrap();
    team.delete_skill(&admin, &shared.skill.id).await.unwrap();
    team.delete_skill(&ada, &mine.skill.id).await.unwrap();
    // Clients that still have the files learn of it, and only those who could read the skill.
    let other = world.another_process().await;
    assert_eq!(verdict(&other, &bob, &shared.version.tree).await, revoked());
    assert_eq!(verdict(&other, &ada, &mine.version.tree).await, revoked());
    assert_eq!(verdict(&other, &bob, &mine.version.tree).await.0, "unknown");
    let stranger = Actor { org: "other".to_owned(), ..Actor::clone(&bob) };
    assert_eq!(verdict(&other, &stranger, &shared.version.tree).await.0, "unknown");
    world.pass(MONTH);
    let (admin, ada) =
        (world.again(admin.user.as_deref().unwrap()).await, world.again(ada.user.as_deref().unwrap()).await);
    is_refused(team.create_skill(&admin, &Scope::Org, upload("ocr", "Harm.")).await);
    is_refused(team.create_skill(&ada, &own(&ada), upload("pdf", "Harm.")).await);
    // The name is free for other files, and the revoked ones do not come as a later version either.
    let again = world.skill(&ada, &own(&ada), "pdf", "Good.").await;
    is_refused(team.add_version(&ada, &again.skill.id, upload("pdf", "Harm.")).await);
    // What one user had concerns that user alone.
    let bob = world.again(bob.user.as_deref().unwrap()).await;
    world.skill(&bob, &own(&bob), "pdf", "Harm.").await;
}

async fn what_the_organisation_revokes_is_revoked_as_the_skill_of_a_user_too(world: World) {
    let admin = world.user("admin", &[Role::OrgAdmin, Role::Auditor]).await;
    let ada = world.user("ada", &[]).await;
    let team = &world.team;
    // The author of a shared skill has the same files as an own skill.
    let mine = world.skill(&ada, &own(&ada), "ocr", "Good.").await;
    team.add_version(&ada, &mine.skill.id, upload("ocr", "Harm.")).await.unwrap();
    revoked_for_all(&world, &admin, "ocr").await;
    let copy = team.version(&ada, &mine.skill.id, 2).await.unwrap();
    assert_eq!((copy.state, copy.reason.as_str()), (VersionState::Revoked, "leaks"));
    let served = team.skill(&ada, &mine.skill.id).await.unwrap().default_version;
    assert_eq!(served, Some(1), "the version before is served");
    let refused = team.contents(&ada, &mine.skill.id, 2).await;
    assert!(matches!(refused, Err(TeamError::Conflict { code: "revoked", .. })), "{refused:?}");
    let is_deed = |entry: &skillful_team::log::AuditEntry| {
        entry.action == "version.revoke" && entry.subject == mine.skill.id
    };
    let page = team.audit_log(&admin, None, "", "").await.unwrap();
    assert_eq!(page.iter().filter(|entry| is_deed(entry)).count(), 1, "{page:?}");
    assert!(team.check_audit_log(&admin).await.unwrap().is_whole);
}

async fn what_was_revoked_in_a_group_stays_revoked_when_the_group_is_deleted(world: World) {
    let admin = world.user("admin", &[Role::OrgAdmin]).await;
    let team = &world.team;
    let input =
        GroupInput { name: "docs".to_owned(), description: String::new(), external_ref: String::new() };
    let group = team.create_group(&admin, &input).await.unwrap().id;
    let off = Policy { rule: "review".to_owned(), setting: "off".to_owned() };
    team.set_policy(&admin, &off).await.unwrap();
    let stored = world.skill(&admin, &Scope::Group(group.clone()), "pdf", "Harm.").await;
    team.take_back(&admin, &stored.skill.id, 1, VersionState::Revoked, "leaks").await.unwrap();
    team.delete_group(&admin, &group).await.unwrap();
    // The skill is one of its author now, who deletes it and brings the files again.
    team.delete_skill(&admin, &stored.skill.id).await.unwrap();
    is_refused(team.create_skill(&admin, &own(&admin), upload("pdf", "Harm.")).await);
    assert_eq!(verdict(team, &admin, &stored.version.tree).await, revoked());
}

async fn what_was_revoked_is_in_a_backup_also_in_one_of_an_older_release(world: World) {
    let admin = world.user("admin", &[Role::OrgAdmin]).await;
    let team = &world.team;
    let kept = revoked_for_all(&world, &admin, "pdf").await;
    let gone = revoked_for_all(&world, &admin, "ocr").await;
    team.delete_skill(&admin, &gone.skill.id).await.unwrap();
    let folder = world.folder.path().join("backup");
    backup(team.db(), team.objects(), &folder).await.unwrap();
    let restored = async |name: &str| {
        let objects = Objects::folder(&world.folder.path().join(format!("{name}-objects"))).unwrap();
        let db = Db::open(world.folder.path().join(name).to_str().unwrap()).await.unwrap();
        restore(&db, &objects, &folder).await.unwrap();
        Team::open(db, objects, Openness::default(), Arc::new(|| 1_900_000_000_000)).await.unwrap()
    };
    let newer = restored("newer.db").await;
    for stored in [&kept, &gone] {
        assert_eq!(verdict(&newer, &admin, &stored.version.tree).await, revoked(), "{}", stored.skill.name);
    }
    is_refused(newer.create_skill(&admin, &own(&admin), upload("ocr", "Harm.")).await);
    // A release before had no such rows: what its skills have is found.
    let rows = std::fs::read_to_string(folder.join("rows.jsonl")).unwrap();
    let older: Vec<&str> = rows.lines().filter(|line| !line.contains("\"revoked_tree\"")).collect();
    assert!(older.len() < rows.lines().count(), "{rows}");
    std::fs::write(folder.join("rows.jsonl"), older.join("\n")).unwrap();
    let older = restored("older.db").await;
    older.delete_skill(&admin, &kept.skill.id).await.unwrap();
    assert_eq!(verdict(&older, &admin, &kept.version.tree).await, revoked());
    is_refused(older.create_skill(&admin, &own(&admin), upload("pdf", "Harm.")).await);
}

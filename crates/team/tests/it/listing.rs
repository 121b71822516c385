use crate::{
    on_both,
    world::{World, own, upload},
};
use secrecy::ExposeSecret as _;
use skillful_team::{
    FIRST_ORG, GroupRole, Role, Scope, Team,
    actor::Actor,
    groups::GroupInput,
    listing::{ListOrder, ListPart, ListQuery, ListedSkill, ListedState},
    preferences::{Choice, Target},
    skills::SkillChange,
    usage::UseReport,
};
use std::collections::BTreeSet;

on_both!(
    a_list_has_every_skill_of_a_user_with_its_state_and_reason,
    a_list_is_searched_filtered_ordered_and_paged,
    a_kept_list_is_never_older_than_the_last_change,
    what_a_user_gets_is_the_served_part_of_the_list,
    uses_of_one_skill_are_of_all_for_its_owner_and_own_ones_for_others,
    sessions_are_listed_without_their_secret_and_ended_by_their_user_alone,
    names_of_users_are_known_inside_of_their_organisation,
);

fn state(list: &[ListedSkill], name: &str) -> (ListedState, String) {
    let one =
        list.iter().find(|one| one.skill.name == name).unwrap_or_else(|| panic!("{name} is not in the list"));
    (one.state, one.reason.clone())
}

async fn page(team: &Team, actor: &Actor, query: ListQuery) -> Vec<String> {
    let query = ListQuery { limit: if query.limit == 0 { 100 } else { query.limit }, ..query };
    team.list_page(actor, &query).await.unwrap().items.into_iter().map(|one| one.skill.name).collect()
}

async fn a_list_has_every_skill_of_a_user_with_its_state_and_reason(world: World) {
    let team = &world.team;
    let (ada, bo) = (world.user("ada", &[Role::OrgAdmin]).await, world.user("bo", &[]).await);
    let mine = team.create_skill(&ada, &own(&ada), upload("notes", "mine")).await.unwrap().skill;
    let pending = team.create_skill(&ada, &Scope::Org, upload("style", "ours")).await.unwrap();
    assert!(pending.proposal.is_some(), "a skill of the organisation is reviewed");
    let list = team.list(&ada).await.unwrap();
    assert_eq!(state(&list, "notes"), (ListedState::Available, "your own skill".to_owned()));
    assert_eq!(state(&list, "style").0, ListedState::Pending);
    assert!(team.list(&bo).await.unwrap().is_empty(), "what waits is not for others");
    let target = Target::User(ada.user().unwrap().to_owned());
    team.set_preference(&ada, &mine.id, &target, Choice::Hidden, None).await.unwrap();
    assert_eq!(
        state(&team.list(&ada).await.unwrap(), "notes"),
        (ListedState::Disabled, "you switched it off".to_owned())
    );
    let archived = SkillChange { state: Some("archived".to_owned()), title: None };
    team.change_skill(&ada, &mine.id, &archived).await.unwrap();
    assert_eq!(state(&team.list(&ada).await.unwrap(), "notes").0, ListedState::Archived);
}

async fn a_list_is_searched_filtered_ordered_and_paged(world: World) {
    let team = &world.team;
    let ada = world.user("ada", &[]).await;
    let mut ids = Vec::new();
    for name in ["alpha", "beta", "gamma"] {
        ids.push(team.create_skill(&ada, &own(&ada), upload(name, "x")).await.unwrap().skill.id);
        world.pass(1_000);
    }
    let report =
        UseReport { skill_id: ids[1].clone(), version: 1, agent: "codex".to_owned(), uses: 4, failures: 1 };
    team.report_uses(&ada, &[report]).await.unwrap();
    assert_eq!(
        page(team, &ada, ListQuery::default()).await,
        ["beta", "alpha", "gamma"],
        "the used one is first"
    );
    let of = |order| ListQuery { order, ..Default::default() };
    assert_eq!(page(team, &ada, of(ListOrder::Name)).await, ["alpha", "beta", "gamma"]);
    assert_eq!(page(team, &ada, of(ListOrder::Changed)).await, ["gamma", "beta", "alpha"]);
    let second = ListQuery { order: ListOrder::Name, skip: 1, limit: 1, ..Default::default() };
    let found = team.list_page(&ada, &second).await.unwrap();
    assert_eq!((found.items[0].skill.name.as_str(), found.total), ("beta", 3));
    assert_eq!(
        page(team, &ada, ListQuery { words: "GAM".to_owned(), ..Default::default() }).await,
        ["gamma"]
    );
    assert!(
        page(team, &ada, ListQuery { state: Some(ListedState::Disabled), ..Default::default() })
            .await
            .is_empty()
    );
    assert!(page(team, &ada, ListQuery { part: ListPart::Groups, ..Default::default() }).await.is_empty());
    let uses = team.own_uses(&ada, &[&ids[1]]).await.unwrap();
    assert_eq!((uses[&ids[1]].days.len(), uses[&ids[1]].days[29]), (30, 4));
    // Of more skills than one question names, also of those that do not exist.
    let many: Vec<String> = (0..60).map(|number| format!("skill_{number}")).chain(ids.clone()).collect();
    let uses = team.own_uses(&ada, &many.iter().map(String::as_str).collect::<Vec<_>>()).await.unwrap();
    assert_eq!((uses.len(), uses[&ids[1]].days[29], uses[&ids[0]].last), (63, 4, None));
    assert!(uses[&ids[1]].last.is_some() && uses["skill_7"].days.iter().all(|day| *day == 0));
}

async fn a_kept_list_is_never_older_than_the_last_change(world: World) {
    let team = &world.team;
    let (ada, bo) = (world.user("ada", &[Role::OrgAdmin]).await, world.user("bo", &[]).await);
    let group = team
        .create_group(
            &ada,
            &GroupInput { name: "Data".to_owned(), description: String::new(), external_ref: String::new() },
        )
        .await
        .unwrap();
    let policy = skillful_team::organisation::Policy { rule: "review".to_owned(), setting: "off".to_owned() };
    team.set_policy(&ada, &policy).await.unwrap();
    team.create_skill(&ada, &Scope::Group(group.id.clone()), upload("query", "x")).await.unwrap();
    assert!(team.list(&bo).await.unwrap().is_empty());
    team.set_member(&ada, &group.id, bo.user().unwrap(), Some(GroupRole::Viewer)).await.unwrap();
    let list = team.list(&bo).await.unwrap();
    assert_eq!(state(&list, "query"), (ListedState::Disabled, "offered to all who may read it".to_owned()));
    assert!(
        std::sync::Arc::ptr_eq(&list, &team.list(&bo).await.unwrap()),
        "nothing changed, so that nothing is read"
    );
    team.set_member(&ada, &group.id, bo.user().unwrap(), None).await.unwrap();
    assert!(team.list(&bo).await.unwrap().is_empty(), "a member who left sees nothing of the group");
}

async fn what_a_user_gets_is_the_served_part_of_the_list(world: World) {
    let team = &world.team;
    let ada = world.user("ada", &[Role::OrgAdmin]).await;
    let policy = skillful_team::organisation::Policy { rule: "review".to_owned(), setting: "off".to_owned() };
    team.set_policy(&ada, &policy).await.unwrap();
    team.create_skill(&ada, &own(&ada), upload("style", "mine")).await.unwrap();
    let ours = team.create_skill(&ada, &Scope::Org, upload("style", "ours")).await.unwrap().skill;
    team.set_preference(&ada, &ours.id, &Target::Org, Choice::Required, None).await.unwrap();
    let list = team.list(&ada).await.unwrap();
    let shadowed: Vec<&ListedSkill> = list.iter().filter(|one| one.state == ListedState::Shadowed).collect();
    assert_eq!(shadowed.len(), 1);
    assert!(matches!(shadowed[0].skill.scope, Scope::Own(_)), "the required one is used");
    let on: Vec<String> = team
        .effective(&ada)
        .await
        .unwrap()
        .into_iter()
        .filter(|one| one.is_on)
        .map(|one| one.skill.id)
        .collect();
    assert_eq!(on, [ours.id]);
}

async fn uses_of_one_skill_are_of_all_for_its_owner_and_own_ones_for_others(world: World) {
    let team = &world.team;
    let (ada, bo) = (world.user("ada", &[]).await, world.user("bo", &[]).await);
    let skill = team.create_skill(&ada, &own(&ada), upload("notes", "x")).await.unwrap().skill;
    team.offer(&ada, &skill.id, true).await.unwrap();
    team.adopt(&bo, &skill.id).await.unwrap();
    for (actor, uses) in [(&ada, 2), (&bo, 5)] {
        let report = UseReport {
            skill_id: skill.id.clone(),
            version: 1,
            agent: "codex".to_owned(),
            uses,
            failures: 1,
        };
        team.report_uses(actor, &[report]).await.unwrap();
    }
    let all = team.skill_uses(&ada, &skill.id, 30).await.unwrap();
    assert_eq!((all.is_of_all, all.uses, all.failures, all.users, all.days[29]), (true, 7, 2, 2, 7));
    let own = team.skill_uses(&bo, &skill.id, 30).await.unwrap();
    assert_eq!((own.is_of_all, own.uses, own.users), (false, 5, 1));
}

async fn sessions_are_listed_without_their_secret_and_ended_by_their_user_alone(world: World) {
    let team = &world.team;
    let (ada, bo) = (world.user("ada", &[Role::OrgAdmin]).await, world.user("bo", &[]).await);
    let first = team.begin_session(ada.user().unwrap()).await.unwrap();
    let second = team.begin_session(ada.user().unwrap()).await.unwrap();
    let all = team.sessions(&ada, first.expose_secret()).await.unwrap();
    let other = all.iter().find(|one| !one.is_this && team_has(one, second.expose_secret())).unwrap();
    assert_eq!(all.iter().filter(|one| one.is_this).count(), 1);
    assert!(!second.expose_secret().contains(&other.id));
    assert!(
        team.end_session_by_id(&bo, &other.id).await.is_err(),
        "a session of another user does not exist"
    );
    assert!(team.end_session_by_id(&ada, "%").await.is_err());
    team.end_session_by_id(&ada, &other.id).await.unwrap();
    assert!(team.by_session(second.expose_secret()).await.is_err());
    assert!(team.by_session(first.expose_secret()).await.is_ok());
    let local = team.local_admin().await.unwrap();
    assert_eq!(team.local_admin().await.unwrap().id, local.id, "there is one user of this machine");
    assert!(team.all_tokens(&bo).await.is_err() && team.all_tokens(&ada).await.unwrap().is_empty());
}

/// The id of a session begins like the digest of its secret.
fn team_has(session: &skillful_team::credentials::SessionInfo, secret: &str) -> bool {
    use sha2::{Digest as _, Sha256};
    let hex: String = Sha256::digest(secret).iter().map(|byte| format!("{byte:02x}")).collect();
    hex.starts_with(&session.id)
}

async fn names_of_users_are_known_inside_of_their_organisation(world: World) {
    let ada = world.user("ada", &[]).await;
    let id = ada.user().unwrap().to_owned();
    let names = world.team.names(&ada, BTreeSet::from([id.as_str(), "user_unknown"])).await.unwrap();
    assert_eq!(names.get(&id).map(String::as_str), Some("ada"));
    assert_eq!(names.len(), 1);
    let stranger = Actor { org: "other".to_owned(), ..Actor::clone(&ada) };
    assert!(world.team.names(&stranger, BTreeSet::from([id.as_str()])).await.unwrap().is_empty());
    assert!(world.team.names(&Actor::guest(FIRST_ORG), BTreeSet::from([id.as_str()])).await.is_err());
}

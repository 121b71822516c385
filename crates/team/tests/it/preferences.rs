use crate::{
    on_both,
    world::{World, own, upload},
};
use skillful_team::{
    Actor, GroupRole, Role, Scope, TeamError,
    groups::GroupInput,
    organisation::Policy,
    preferences::{Choice, Target},
    versions::VersionState,
};

on_both!(
    a_required_skill_stays_on_and_says_why_and_a_later_member_has_it,
    the_nearest_skill_of_a_name_is_used_unless_a_wider_one_is_required,
    a_pin_holds_a_version_and_a_revoked_version_is_served_to_no_user,
    an_offered_skill_is_adopted_and_gone_when_the_offer_ends,
    an_unlisted_skill_is_gone_everywhere_and_comes_back,
);

async fn no_review(world: &World, admin: &Actor) {
    let off = Policy { rule: "review".to_owned(), setting: "off".to_owned() };
    world.team.set_policy(admin, &off).await.unwrap();
}

async fn a_required_skill_stays_on_and_says_why_and_a_later_member_has_it(world: World) {
    let admin = world.user("admin", &[Role::OrgAdmin]).await;
    let (ada, bob) = (world.user("ada", &[]).await, world.user("bob", &[]).await);
    no_review(&world, &admin).await;
    let team = &world.team;
    let input =
        GroupInput { name: "devs".to_owned(), description: String::new(), external_ref: String::new() };
    let group = team.create_group(&admin, &input).await.unwrap().id;
    team.set_member(&admin, &group, ada.user.as_deref().unwrap(), Some(GroupRole::Viewer)).await.unwrap();
    let ada = world.again(ada.user.as_deref().unwrap()).await;
    let id = world.skill(&admin, &Scope::Org, "style", "One.").await.skill.id;
    assert_eq!(team.effective(&ada).await.unwrap()[0].choice, Choice::Offered);
    team.set_preference(&admin, &id, &Target::Group(group.clone()), Choice::Required, None).await.unwrap();
    let own_switch = Target::User(ada.user.clone().unwrap());
    let off = team.set_preference(&ada, &id, &own_switch, Choice::Hidden, None).await;
    assert!(matches!(off, Err(TeamError::Conflict { code: "required", .. })), "{off:?}");
    let effective = team.effective(&ada).await.unwrap();
    assert!(effective[0].is_on && effective[0].reason == "required by a group of yours", "{effective:?}");
    assert!(!team.effective(&bob).await.unwrap()[0].is_on);
    team.set_member(&admin, &group, bob.user.as_deref().unwrap(), Some(GroupRole::Viewer)).await.unwrap();
    let bob = world.again(bob.user.as_deref().unwrap()).await;
    assert!(team.effective(&bob).await.unwrap()[0].is_on);
    let outsider = team.set_preference(&bob, &id, &Target::Org, Choice::Required, None).await;
    assert!(matches!(outsider, Err(TeamError::Forbidden(_))), "{outsider:?}");
}

async fn the_nearest_skill_of_a_name_is_used_unless_a_wider_one_is_required(world: World) {
    let admin = world.user("admin", &[Role::OrgAdmin]).await;
    let bob = world.user("bob", &[]).await;
    no_review(&world, &admin).await;
    let team = &world.team;
    let shared = world.skill(&admin, &Scope::Org, "pdf", "One.").await.skill.id;
    team.set_preference(&admin, &shared, &Target::Org, Choice::On, None).await.unwrap();
    let mine = world.skill(&bob, &own(&bob), "pdf", "Mine.").await.skill.id;
    let on = |effective: Vec<skillful_team::preferences::EffectiveSkill>| {
        effective.into_iter().filter(|one| one.is_on).map(|one| one.skill.id).collect::<Vec<_>>()
    };
    assert_eq!(on(team.effective(&bob).await.unwrap()), [mine]);
    team.set_preference(&admin, &shared, &Target::Org, Choice::Required, None).await.unwrap();
    assert_eq!(on(team.effective(&bob).await.unwrap()), [shared]);
}

async fn a_pin_holds_a_version_and_a_revoked_version_is_served_to_no_user(world: World) {
    let admin = world.user("admin", &[Role::OrgAdmin]).await;
    let bob = world.user("bob", &[]).await;
    no_review(&world, &admin).await;
    let team = &world.team;
    let id = world.skill(&admin, &Scope::Org, "pdf", "One.").await.skill.id;
    team.set_preference(&admin, &id, &Target::Org, Choice::On, Some(1)).await.unwrap();
    team.add_version(&admin, &id, upload("pdf", "Two.")).await.unwrap();
    let served = team.effective(&bob).await.unwrap();
    assert_eq!((served[0].version.number, served[0].is_pinned), (1, true));
    team.take_back(&admin, &id, 1, VersionState::Yanked, "old").await.unwrap();
    assert_eq!(team.effective(&bob).await.unwrap()[0].version.number, 1, "a pin is a lock");
    team.take_back(&admin, &id, 1, VersionState::Revoked, "leaks").await.unwrap();
    assert!(team.effective(&bob).await.unwrap().is_empty());
    team.remove_preference(&admin, &id, &Target::Org).await.unwrap();
    assert_eq!(team.effective(&bob).await.unwrap()[0].version.number, 2);
}

async fn an_offered_skill_is_adopted_and_gone_when_the_offer_ends(world: World) {
    let (ada, bob) = (world.user("ada", &[]).await, world.user("bob", &[]).await);
    let team = &world.team;
    let id = world.skill(&ada, &own(&ada), "pdf", "One.").await.skill.id;
    assert_eq!(team.adopt(&bob, &id).await.unwrap_err(), TeamError::NotFound);
    team.offer(&ada, &id, true).await.unwrap();
    let own_one = team.adopt(&ada, &id).await;
    assert!(matches!(own_one, Err(TeamError::Conflict { code: "own-skill", .. })));
    team.adopt(&bob, &id).await.unwrap();
    team.add_version(&ada, &id, upload("pdf", "Two.")).await.unwrap();
    let served = team.effective(&bob).await.unwrap();
    assert_eq!((served[0].version.number, served[0].reason.as_str()), (2, "you adopted it"));
    let change = team.add_version(&bob, &id, upload("pdf", "Three.")).await;
    assert!(matches!(change, Err(TeamError::NotFound | TeamError::Forbidden(_))), "{change:?}");
    team.offer(&ada, &id, false).await.unwrap();
    assert!(team.effective(&bob).await.unwrap().is_empty());
    assert_eq!(team.skill(&bob, &id).await.unwrap_err(), TeamError::NotFound);
}

async fn an_unlisted_skill_is_gone_everywhere_and_comes_back(world: World) {
    let admin = world.user("admin", &[Role::OrgAdmin]).await;
    let (ada, bob) = (world.user("ada", &[]).await, world.user("bob", &[]).await);
    let team = &world.team;
    let id = world.skill(&ada, &own(&ada), "pdf", "One.").await.skill.id;
    team.offer(&ada, &id, true).await.unwrap();
    team.adopt(&bob, &id).await.unwrap();
    team.list_skill(&admin, &id, false).await.unwrap();
    assert!(team.effective(&bob).await.unwrap().is_empty());
    assert_eq!(team.skill(&bob, &id).await.unwrap_err(), TeamError::NotFound);
    team.list_skill(&admin, &id, true).await.unwrap();
    assert_eq!(team.effective(&bob).await.unwrap().len(), 1);
}

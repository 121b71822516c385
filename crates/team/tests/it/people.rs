use crate::{
    on_both,
    world::{World, own, upload},
};
use secrecy::ExposeSecret as _;
use skillful_team::{
    FIRST_ORG, GroupRole, Role, Scope, TeamError, TokenScope,
    credentials::TokenInput,
    drafts::DraftInput,
    groups::GroupInput,
    organisation::Policy,
    people::Identity,
    preferences::{Choice, Target},
};
use std::collections::BTreeSet;

on_both!(
    the_first_administrator_signs_in_by_a_link_that_works_once,
    a_token_has_scopes_a_bound_and_an_end_and_is_not_kept_in_the_clear,
    groups_of_the_identity_provider_are_followed_and_manual_members_stay,
    a_group_with_another_name_at_the_identity_provider_keeps_only_members_by_hand,
    a_deleted_group_loses_no_skill,
    a_suspended_user_is_out_with_the_next_request,
    a_token_that_a_token_makes_ends_with_it,
    a_token_revokes_itself_and_no_token_that_can_do_more,
    a_credential_that_only_publishes_reads_nothing_of_its_user,
    a_token_for_one_place_changes_nothing_elsewhere_whatever_its_user_may,
    what_one_administrator_changes_does_not_undo_what_another_changed,
    organisations_do_not_see_each_other,
);

async fn the_first_administrator_signs_in_by_a_link_that_works_once(world: World) {
    let team = &world.team;
    assert!(team.needs_first_admin().await.unwrap());
    let old = team.first_admin_link().await.unwrap();
    let link = team.first_admin_link().await.unwrap();
    assert!(team.use_first_admin_link(old.expose_secret()).await.is_err(), "a new link replaces the old one");
    assert!(team.use_first_admin_link("guess").await.is_err());
    let user = team.use_first_admin_link(link.expose_secret()).await.unwrap();
    assert!(user.roles.contains(&Role::SiteAdmin));
    assert!(team.use_first_admin_link(link.expose_secret()).await.is_err());
    assert!(!team.needs_first_admin().await.unwrap());
    let late = team.first_admin_link().await.unwrap();
    world.pass(25 * 3_600 * 1_000);
    assert!(team.use_first_admin_link(late.expose_secret()).await.is_err());
}

fn token(scopes: &[TokenScope], bound: &str) -> TokenInput {
    TokenInput {
        name: "ci".to_owned(),
        scopes: scopes.iter().copied().collect(),
        days: 10,
        bound: bound.to_owned(),
    }
}

async fn a_token_has_scopes_a_bound_and_an_end_and_is_not_kept_in_the_clear(world: World) {
    let ada = world.user("ada", &[Role::OrgAdmin]).await;
    let team = &world.team;
    let (info, secret) = team.create_token(&ada, &token(&[TokenScope::SkillsRead], "")).await.unwrap();
    let reader = team.by_token(secret.expose_secret()).await.unwrap();
    let refused = team.create_skill(&reader, &own(&ada), upload("pdf", "x")).await;
    match refused {
        Err(TeamError::Forbidden(why)) => assert!(why.contains("`skills:write`"), "{why}"),
        other => panic!("{other:?}"),
    }
    let wider = team.create_token(&reader, &token(&[TokenScope::SkillsWrite], "")).await;
    assert!(matches!(wider, Err(TeamError::Forbidden(_))), "a token cannot give what it lacks");
    let both = [TokenScope::SkillsRead, TokenScope::SkillsWrite];
    let (_, bound) = team.create_token(&ada, &token(&both, "own")).await.unwrap();
    let bound = team.by_token(bound.expose_secret()).await.unwrap();
    world.skill(&bound, &own(&ada), "pdf", "x").await;
    let elsewhere = team.create_skill(&bound, &Scope::Org, upload("pdf", "x")).await;
    assert!(matches!(elsewhere, Err(TeamError::Forbidden(_))), "{elsewhere:?}");
    team.revoke_token(&ada, &info.id).await.unwrap();
    assert!(matches!(team.by_token(secret.expose_secret()).await, Err(TeamError::Unauthenticated(_))));
    let (_, short) = team.create_token(&ada, &token(&both, "")).await.unwrap();
    world.pass(11 * 24 * 3_600 * 1_000);
    assert!(matches!(team.by_token(short.expose_secret()).await, Err(TeamError::Unauthenticated(_))));
    let kept = team.audit_log(&world.again(ada.user.as_deref().unwrap()).await, None, "", "").await.unwrap();
    assert!(!format!("{kept:?}").contains(secret.expose_secret()));
}

async fn sign_in(world: &World, sub: &str, groups: &[&str]) -> String {
    let identity = Identity {
        issuer: "https://id.example".to_owned(),
        sub: sub.to_owned(),
        groups: Some(groups.iter().map(|group| (*group).to_owned()).collect::<BTreeSet<_>>()),
        ..Default::default()
    };
    world.team.signed_in(FIRST_ORG, &identity).await.unwrap().id
}

async fn groups_of_the_identity_provider_are_followed_and_manual_members_stay(world: World) {
    let admin = world.user("admin", &[Role::OrgAdmin]).await;
    let team = &world.team;
    let make = |name: &str, external: &str| GroupInput {
        name: name.to_owned(),
        description: String::new(),
        external_ref: external.to_owned(),
    };
    let devs = team.create_group(&admin, &make("devs", "/eng/devs")).await.unwrap().id;
    let ops = team.create_group(&admin, &make("ops", "/eng/ops")).await.unwrap().id;
    let bob = sign_in(&world, "bob", &["/eng/devs"]).await;
    team.set_member(&admin, &ops, &bob, Some(GroupRole::Editor)).await.unwrap();
    let roles =
        |actor: &skillful_team::Actor| (actor.groups.get(&devs).copied(), actor.groups.get(&ops).copied());
    assert_eq!(roles(&world.again(&bob).await), (Some(GroupRole::Editor), Some(GroupRole::Editor)));
    sign_in(&world, "bob", &["/eng/devs", "/eng/devs/viewers"]).await;
    assert_eq!(
        roles(&world.again(&bob).await),
        (Some(GroupRole::Viewer), Some(GroupRole::Editor)),
        "both: the lesser"
    );
    sign_in(&world, "bob", &[]).await;
    assert_eq!(roles(&world.again(&bob).await), (None, Some(GroupRole::Editor)), "a member by hand stays");
}

async fn a_group_with_another_name_at_the_identity_provider_keeps_only_members_by_hand(world: World) {
    let admin = world.user("admin", &[Role::OrgAdmin]).await;
    let team = &world.team;
    let make = |name: &str, external: &str| GroupInput {
        name: name.to_owned(),
        description: String::new(),
        external_ref: external.to_owned(),
    };
    let devs = team.create_group(&admin, &make("devs", "/eng/devs")).await.unwrap().id;
    let bob = sign_in(&world, "bob", &["/eng/devs"]).await;
    let same = team.change_group(&admin, &devs, &make("developers", "/eng/devs")).await.unwrap();
    assert!(same.members.iter().any(|member| member.user == bob), "{same:?}");
    let other = team.change_group(&admin, &devs, &make("developers", "/eng/admins")).await.unwrap();
    assert!(other.members.iter().all(|member| member.source == "manual"), "{other:?}");
    assert!(world.again(&bob).await.groups.is_empty(), "the next request is that of another user");
    team.create_group(&admin, &make("ops", "")).await.unwrap();
    for taken in [
        team.create_group(&admin, &make("ops", "")).await.map(|_| ()),
        team.change_group(&admin, &devs, &make("ops", "")).await.map(|_| ()),
    ] {
        assert!(matches!(taken, Err(TeamError::Conflict { code: "name-taken", .. })), "{taken:?}");
    }
}

async fn a_deleted_group_loses_no_skill(world: World) {
    let admin = world.user("admin", &[Role::OrgAdmin]).await;
    let bob = world.user("bob", &[]).await;
    let team = &world.team;
    let input =
        GroupInput { name: "devs".to_owned(), description: String::new(), external_ref: String::new() };
    let group = team.create_group(&admin, &input).await.unwrap().id;
    let unnamed =
        team.change_group(&admin, &group, &GroupInput { name: " ".to_owned(), ..input.clone() }).await;
    assert!(matches!(unnamed, Err(TeamError::Invalid { code: "wrong-name", .. })), "{unnamed:?}");
    team.set_member(&admin, &group, bob.user.as_deref().unwrap(), Some(GroupRole::Editor)).await.unwrap();
    let bob = world.again(bob.user.as_deref().unwrap()).await;
    world.skill(&bob, &own(&bob), "pdf", "Mine.").await;
    let stored = world.skill(&bob, &Scope::Group(group.clone()), "pdf", "Ours.").await;
    let (shared, version, proposal) = (stored.skill.id, stored.version, stored.proposal.unwrap());
    team.delete_group(&admin, &group).await.unwrap();
    let bob = world.again(bob.user.as_deref().unwrap()).await;
    let kept = team.skill(&bob, &shared).await.unwrap();
    assert_eq!(kept.scope, own(&bob));
    assert!(kept.name.starts_with("pdf-"), "{}", kept.name);
    // What waited for a review of the group waits for its owner alone, who cannot undo the yes by the old proposal.
    assert!(team.proposals(&bob, "open").await.unwrap().is_empty());
    team.agree(&bob, &shared, 1, &version.tree).await.unwrap();
    let late = team.withdraw(&bob, &proposal).await;
    assert!(matches!(late, Err(TeamError::Conflict { .. })), "{late:?}");
    assert_eq!(team.version(&bob, &shared, 1).await.unwrap().state.word(), "published");
}

async fn a_suspended_user_is_out_with_the_next_request(world: World) {
    let admin = world.user("admin", &[Role::OrgAdmin]).await;
    let bob = world.user("bob", &[]).await;
    let team = &world.team;
    let id = bob.user.as_deref().unwrap();
    let (_, secret) = team.create_token(&bob, &token(&[TokenScope::SkillsRead], "")).await.unwrap();
    team.change_user(&admin, id, None, Some("suspended")).await.unwrap();
    assert!(matches!(team.by_token(secret.expose_secret()).await, Err(TeamError::Unauthenticated(_))));
    let own_state = team.change_user(&admin, admin.user.as_deref().unwrap(), None, Some("suspended")).await;
    assert!(matches!(own_state, Err(TeamError::Conflict { code: "yourself", .. })));
    let roles = BTreeSet::from([Role::SiteAdmin]);
    let raised = team.change_user(&admin, id, Some(&roles), None).await;
    assert!(matches!(raised, Err(TeamError::Forbidden(_))), "only the server's administrators make others");
    let site = world.user("sara", &[Role::SiteAdmin]).await;
    let site = site.user.as_deref().unwrap();
    for (roles, state) in
        [(None, Some("suspended")), (Some(BTreeSet::from([Role::SiteAdmin, Role::OrgAdmin])), None)]
    {
        let changed = team.change_user(&admin, site, roles.as_ref(), state).await;
        assert!(matches!(changed, Err(TeamError::Forbidden(_))), "only they change one of them: {changed:?}");
    }
    let (known, unknown) = (
        team.change_user(&bob, site, None, None).await,
        team.change_user(&bob, "user_none", None, None).await,
    );
    assert!(matches!(known, Err(TeamError::Forbidden(_))) && known == unknown, "a member learns no id");
}

async fn organisations_do_not_see_each_other(world: World) {
    let admin = world.user("admin", &[Role::OrgAdmin]).await;
    let mut stranger = world.user("mallory", &[Role::OrgAdmin, Role::Reviewer, Role::Auditor]).await;
    "elsewhere".clone_into(&mut stranger.org);
    let team = &world.team;
    let id = world.skill(&admin, &Scope::Org, "pdf", "One.").await.skill.id;
    assert_eq!(team.skill(&stranger, &id).await.unwrap_err(), TeamError::NotFound);
    assert!(team.proposals(&stranger, "").await.unwrap().is_empty());
    assert_eq!(
        team.change_user(&stranger, admin.user.as_deref().unwrap(), None, Some("suspended"))
            .await
            .unwrap_err(),
        TeamError::NotFound
    );
}

async fn a_token_that_a_token_makes_ends_with_it(world: World) {
    let ada = world.user("ada", &[]).await;
    let team = &world.team;
    let short = TokenInput { days: 1, ..token(&[TokenScope::SkillsRead], "") };
    let (info, secret) = team.create_token(&ada, &short).await.unwrap();
    let actor = team.by_token(secret.expose_secret()).await.unwrap();
    let long = TokenInput { days: 366, ..short };
    let (made, _) = team.create_token(&actor, &long).await.unwrap();
    assert_eq!(made.expires, info.expires, "a token that was lost for a day is not lost for a year");
    assert!(team.create_token(&ada, &long).await.unwrap().0.expires > info.expires);
}

async fn a_token_revokes_itself_and_no_token_that_can_do_more(world: World) {
    let ada = world.user("ada", &[]).await;
    let team = &world.team;
    let made = async |scopes: &[TokenScope], bound: &str| {
        let (info, secret) = team.create_token(&ada, &token(scopes, bound)).await.unwrap();
        (info.id, team.by_token(secret.expose_secret()).await.unwrap())
    };
    let (reader, small) = made(&[TokenScope::SkillsRead], "").await;
    let (bound, _) = made(&[TokenScope::SkillsRead], "own").await;
    let (writer, large) = made(&[TokenScope::SkillsRead, TokenScope::SkillsWrite], "").await;
    let (own, narrow) = made(&[TokenScope::SkillsRead, TokenScope::SkillsWrite], "own").await;
    for (actor, id) in [(&small, &writer), (&narrow, &writer), (&narrow, &reader)] {
        let refused = team.revoke_token(actor, id).await;
        assert!(matches!(refused, Err(TeamError::Forbidden(_))), "{refused:?}");
    }
    for (actor, id) in [(&small, &bound), (&narrow, &own), (&small, &reader), (&large, &writer)] {
        team.revoke_token(actor, id).await.unwrap();
    }
}

async fn a_credential_that_only_publishes_reads_nothing_of_its_user(world: World) {
    let admin = world.user("admin", &[Role::OrgAdmin]).await;
    let team = &world.team;
    let files = std::collections::BTreeMap::from([("SKILL.md".to_owned(), "x".to_owned())]);
    let input =
        DraftInput { skill_id: String::new(), base: None, name: String::new(), files, revision: None };
    let draft = team.create_draft(&admin, &input).await.unwrap().id;
    let only = async |scope: TokenScope| {
        let (_, secret) = team.create_token(&admin, &token(&[scope], "org")).await.unwrap();
        team.by_token(secret.expose_secret()).await.unwrap()
    };
    let (job, reader) = (only(TokenScope::Publish).await, only(TokenScope::SkillsRead).await);
    let refusals = [
        team.drafts(&job).await.map(|_| ()),
        team.draft(&job, &draft).await.map(|_| ()),
        team.draft_at(&job, &draft, 1).await.map(|_| ()),
        team.tokens(&job).await.map(|_| ()),
        team.groups(&job).await.map(|_| ()),
        team.list(&job).await.map(|_| ()),
        team.verdicts(&job, &[]).await.map(|_| ()),
        team.proposals(&job, "").await.map(|_| ()),
    ];
    for (at, refused) in refusals.into_iter().enumerate() {
        assert!(matches!(&refused, Err(TeamError::Forbidden(_))), "{at}: {refused:?}");
    }
    assert!(team.draft(&reader, &draft).await.is_ok() && team.tokens(&reader).await.is_ok());
}

async fn a_token_for_one_place_changes_nothing_elsewhere_whatever_its_user_may(world: World) {
    let admin = world.user("admin", &[Role::OrgAdmin, Role::SiteAdmin]).await;
    let bob = world.user("bob", &[]).await;
    let team = &world.team;
    let limited = async |bound: &str| {
        let input = TokenInput {
            scopes: TokenScope::ALL.iter().copied().filter(|scope| *scope != TokenScope::Publish).collect(),
            ..token(&[], bound)
        };
        let (_, secret) = team.create_token(&admin, &input).await.unwrap();
        team.by_token(secret.expose_secret()).await.unwrap()
    };
    let (here, org) = (limited("own").await, limited("org").await);
    let mine = world.skill(&admin, &own(&admin), "pdf", "One.").await.skill.id;
    let off = Policy { rule: "review".to_owned(), setting: "off".to_owned() };
    let user = bob.user.as_deref().unwrap();
    let switch = Target::User(admin.user.clone().unwrap());
    let refusals = [
        team.set_policy(&here, &off).await.map(|_| ()),
        team.change_user(&here, user, None, Some("suspended")).await.map(|_| ()),
        team.propose(&here, &mine, 1, &Scope::Org, "").await.map(|_| ()),
        team.set_preference(&org, &mine, &switch, Choice::On, None).await.map(|_| ()),
    ];
    for refused in refusals {
        assert!(
            matches!(&refused, Err(TeamError::Forbidden(why)) if why.contains("limited to")),
            "{refused:?}"
        );
    }
    assert!(team.policies(&here).await.is_ok(), "a limited token reads what its user reads");
    team.set_policy(&org, &off).await.unwrap();
    team.set_preference(&here, &mine, &switch, Choice::On, None).await.unwrap();
}

async fn what_one_administrator_changes_does_not_undo_what_another_changed(world: World) {
    let admin = world.user("admin", &[Role::OrgAdmin]).await;
    let bob = world.user("bob", &[]).await;
    let (team, id) = (&world.team, bob.user.as_deref().unwrap());
    let roles = BTreeSet::from([Role::Reviewer]);
    for _ in 0..20 {
        team.change_user(&admin, id, Some(&BTreeSet::new()), Some("active")).await.unwrap();
        let (suspended, given) = tokio::join!(
            team.change_user(&admin, id, None, Some("suspended")),
            team.change_user(&admin, id, Some(&roles), None)
        );
        suspended.unwrap();
        given.unwrap();
        let bob = team.change_user(&admin, id, None, None).await.unwrap();
        assert_eq!((bob.state.as_str(), &bob.roles), ("suspended", &roles));
    }
}

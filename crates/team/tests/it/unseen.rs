//! What waits for its first review exists for those who decide about it and for its author, and for no other user.

use crate::{
    on_both,
    world::{World, own, upload},
};
use skillful_team::{
    Actor, Role, Scope, TeamError,
    groups::GroupInput,
    log::Change,
    preferences::{Choice, Target},
    proposals::DecisionInput,
    skills::{SkillFilter, SkillRecord},
    webhooks::WebhookInput,
};

on_both!(
    a_skill_in_its_first_review_exists_for_its_author_and_those_who_decide,
    the_newest_number_of_a_skill_is_one_that_the_reader_may_see,
    a_page_is_filled_up_with_what_follows_a_skill_that_is_not_shown,
    pages_of_proposals_together_have_each_that_the_reader_may_see,
    changes_name_nothing_that_the_reader_may_not_know,
    the_name_of_a_deleted_skill_is_held_for_proposals_too,
    a_preference_of_a_group_that_does_not_exist_is_refused,
);

fn filter(words: &str) -> SkillFilter {
    SkillFilter { words: words.to_owned(), limit: 20, ..Default::default() }
}

async fn listed(world: &World, actor: &Actor, words: &str) -> Vec<SkillRecord> {
    world.team.skills(actor, &filter(words)).await.unwrap().items
}

async fn approve(world: &World, by: &Actor, proposal: &str, digest: &str) {
    let decision = DecisionInput {
        digest: digest.to_owned(),
        note: String::new(),
        waiver: String::new(),
        waiver_days: None,
    };
    world.team.decide(by, proposal, true, &decision).await.unwrap();
}

async fn a_skill_in_its_first_review_exists_for_its_author_and_those_who_decide(world: World) {
    let team = &world.team;
    let (ada, bob) = (world.user("ada", &[]).await, world.user("bob", &[]).await);
    let rita = world.user("rita", &[Role::Reviewer]).await;
    let admin = world.user("admin", &[Role::OrgAdmin]).await;
    let auditor = world.user("axel", &[Role::Auditor]).await;
    let mine = world.skill(&ada, &own(&ada), "plan", "One.").await;
    for to in [Scope::Org, Scope::Global] {
        let proposed = team.propose(&ada, &mine.skill.id, 1, &to, "").await.unwrap();
        let id = proposed.skill.id;
        assert_eq!(team.skill(&bob, &id).await.unwrap_err(), TeamError::NotFound, "{to:?}");
        assert_eq!(team.versions(&bob, &id).await.unwrap_err(), TeamError::NotFound);
        assert_eq!(team.preferences(&bob, &id).await.unwrap_err(), TeamError::NotFound);
        let on = team.set_preference(&bob, &id, &Target::of("user:none").unwrap(), Choice::On, None).await;
        assert_eq!(on.unwrap_err(), TeamError::NotFound);
        for words in ["", "plan"] {
            assert!(listed(&world, &bob, words).await.iter().all(|skill| skill.id != id), "{to:?}: {words}");
            assert!(listed(&world, &ada, words).await.iter().any(|skill| skill.id == id), "{to:?}: {words}");
        }
        assert_eq!(team.skill(&auditor, &id).await.unwrap().id, id);
    }
    let waiting = team.proposals(&rita, "open").await.unwrap();
    let org = waiting.iter().find(|one| one.author == *ada.user.as_ref().unwrap()).unwrap().clone();
    for who in [&rita, &admin] {
        assert_eq!(team.skill(who, &org.skill_id).await.unwrap().latest_version, 1);
        assert!(listed(&world, who, "").await.iter().any(|skill| skill.id == org.skill_id));
    }
    approve(&world, &rita, &org.id, &org.tree).await;
    assert_eq!(team.skill(&bob, &org.skill_id).await.unwrap().default_version, Some(1));
    assert!(listed(&world, &bob, "plan").await.iter().any(|skill| skill.id == org.skill_id));
    // What is offered for adoption needs a version that is served.
    let held =
        skillful_team::upload::Upload { hold: skillful_team::upload::Hold::Always, ..upload("held", "One.") };
    let held = team.create_skill(&ada, &own(&ada), held).await.unwrap().skill.id;
    team.offer(&ada, &held, true).await.unwrap();
    assert_eq!(team.skill(&bob, &held).await.unwrap_err(), TeamError::NotFound);
    let market = SkillFilter { offered: true, limit: 20, ..Default::default() };
    assert!(team.skills(&bob, &market).await.unwrap().items.is_empty());
}

async fn the_newest_number_of_a_skill_is_one_that_the_reader_may_see(world: World) {
    let team = &world.team;
    let bob = world.user("bob", &[]).await;
    let rita = world.user("rita", &[Role::Reviewer]).await;
    let admin = world.user("admin", &[Role::OrgAdmin]).await;
    let first = world.skill(&admin, &Scope::Org, "pdf", "One.").await;
    approve(&world, &rita, &first.proposal.unwrap(), &first.version.tree).await;
    let id = first.skill.id;
    let second = team.add_version(&admin, &id, upload("pdf", "Two.")).await.unwrap();
    for (who, newest) in [(&bob, 1), (&rita, 2), (&admin, 2)] {
        assert_eq!(team.skill(who, &id).await.unwrap().latest_version, newest);
        assert_eq!(listed(&world, who, "").await[0].latest_version, newest);
        assert_eq!(team.list(who).await.unwrap()[0].skill.latest_version, newest);
    }
    team.delete_version(&admin, &id, second.version.number, true).await.unwrap();
    assert_eq!(team.skill(&admin, &id).await.unwrap().latest_version, 1, "the greatest one that is left");
    let third = team.add_version(&admin, &id, upload("pdf", "Three.")).await.unwrap();
    assert_eq!(third.version.number, 3, "a number never comes back");
}

async fn a_page_is_filled_up_with_what_follows_a_skill_that_is_not_shown(world: World) {
    let (ada, bob) = (world.user("ada", &[]).await, world.user("bob", &[]).await);
    let own_skills = ["first", "second", "third"];
    for name in own_skills {
        world.skill(&bob, &own(&bob), &format!("{name}-note"), "One.").await;
        for more in 0..3 {
            let name = format!("{name}-{more}-note");
            let mine = world.skill(&ada, &own(&ada), &name, "One.").await;
            world.team.propose(&ada, &mine.skill.id, 1, &Scope::Org, "").await.unwrap();
        }
    }
    for words in ["", "note"] {
        let mut found = Vec::new();
        let mut after = None;
        loop {
            let filter = SkillFilter { words: words.to_owned(), after, limit: 2, ..Default::default() };
            let page = world.team.skills(&bob, &filter).await.unwrap();
            assert!(page.items.len() == 2 || page.next.is_none(), "{page:?}");
            found.extend(page.items.into_iter().map(|skill| skill.name));
            after = page.next;
            if after.is_none() {
                break;
            }
        }
        assert_eq!(found, ["third-note", "second-note", "first-note"], "`{words}`");
    }
}

async fn pages_of_proposals_together_have_each_that_the_reader_may_see(world: World) {
    let team = &world.team;
    let (ada, bob) = (world.user("ada", &[]).await, world.user("bob", &[]).await);
    let rita = world.user("rita", &[Role::Reviewer]).await;
    for number in 0..4 {
        for who in [&ada, &bob, &ada] {
            let name = format!("note-{number}-{}", world.team.now());
            let mine = world.skill(who, &own(who), &name, "One.").await.skill.id;
            team.propose(who, &mine, 1, &Scope::Org, "").await.unwrap();
        }
    }
    for (who, count) in [(&ada, 8), (&bob, 4), (&rita, 12)] {
        for limit in [1, 3, 4, 5, 8, 100] {
            let (mut found, mut after) = (Vec::new(), None::<String>);
            loop {
                let page = team.proposal_page(who, "open", after.as_deref(), limit).await.unwrap();
                let is_full = page.items.len() == usize::try_from(limit).unwrap();
                assert!(is_full || page.next.is_none(), "{page:?}");
                found.extend(page.items.into_iter().map(|proposal| (proposal.created, proposal.id)));
                after = page.next;
                if after.is_none() {
                    break;
                }
            }
            assert_eq!(found.len(), count, "{limit}");
            assert!(found.windows(2).all(|pair| pair[0] < pair[1]), "oldest first, each once: {found:?}");
        }
    }
    let wrong = team.proposal_page(&ada, "open", Some("x"), 10).await;
    assert!(matches!(wrong, Err(TeamError::Invalid { code: "wrong-cursor", .. })), "{wrong:?}");
}

async fn changes_name_nothing_that_the_reader_may_not_know(world: World) {
    let team = &world.team;
    let (ada, bob) = (world.user("ada", &[]).await, world.user("bob", &[]).await);
    let rita = world.user("rita", &[Role::Reviewer]).await;
    let admin = world.user("admin", &[Role::OrgAdmin]).await;
    let begin = team.last_change().await.unwrap();
    let seen = async |actor: &Actor| -> Vec<String> {
        let (seen, last) = team.changes(actor, begin).await.unwrap();
        assert_eq!(last, team.last_change().await.unwrap(), "the place in the log moves in any case");
        seen.into_iter().map(|Change { kind, .. }| kind).collect()
    };
    let hook =
        WebhookInput { address: "https://93.184.216.34/".to_owned(), enabled: true, ..Default::default() };
    team.create_webhook(&admin, &hook).await.unwrap();
    let mine = world.skill(&ada, &own(&ada), "plan", "One.").await;
    let proposed = team.propose(&ada, &mine.skill.id, 1, &Scope::Org, "").await.unwrap();
    let (id, proposal) = (proposed.skill.id.clone(), proposed.proposal);
    assert!(seen(&bob).await.is_empty(), "{:?}", seen(&bob).await);
    assert_eq!(seen(&rita).await, ["proposal.create"]);
    assert_eq!(seen(&ada).await, ["skill.create", "proposal.create"]);
    assert!(seen(&admin).await.contains(&"webhook.create".to_owned()));
    approve(&world, &rita, &proposal.id, &proposal.tree).await;
    assert_eq!(seen(&bob).await, ["proposal.create", "proposal.approve"]);
    team.add_version(&admin, &id, upload("plan", "Two.")).await.unwrap();
    assert_eq!(seen(&bob).await, ["proposal.create", "proposal.approve"], "a version in review");
    team.delete_skill(&admin, &id).await.unwrap();
    assert_eq!(seen(&bob).await, ["skill.delete"], "who had it learns that it is gone");
    let unseen = world.skill(&admin, &Scope::Org, "never-served", "One.").await.skill.id;
    team.delete_skill(&admin, &unseen).await.unwrap();
    assert_eq!(seen(&bob).await, ["skill.delete"], "a skill that was never served was not theirs to know");
}

async fn the_name_of_a_deleted_skill_is_held_for_proposals_too(world: World) {
    let team = &world.team;
    let ada = world.user("ada", &[]).await;
    let admin = world.user("admin", &[Role::OrgAdmin]).await;
    let shared = world.skill(&admin, &Scope::Org, "pdf", "One.").await;
    team.delete_skill(&admin, &shared.skill.id).await.unwrap();
    let mine = world.skill(&ada, &own(&ada), "pdf", "Mine.").await.skill.id;
    let early = team.propose(&ada, &mine, 1, &Scope::Org, "").await;
    assert!(matches!(early, Err(TeamError::Conflict { code: "name-held", .. })), "{early:?}");
    world.pass(31 * 24 * 3_600 * 1_000);
    assert!(team.propose(&ada, &mine, 1, &Scope::Org, "").await.is_ok());
}

async fn a_preference_of_a_group_that_does_not_exist_is_refused(world: World) {
    let team = &world.team;
    let rita = world.user("rita", &[Role::Reviewer]).await;
    let admin = world.user("admin", &[Role::OrgAdmin]).await;
    let shared = world.skill(&admin, &Scope::Org, "pdf", "One.").await;
    approve(&world, &rita, &shared.proposal.unwrap(), &shared.version.tree).await;
    let input =
        GroupInput { name: "devs".to_owned(), description: String::new(), external_ref: String::new() };
    let group = team.create_group(&admin, &input).await.unwrap().id;
    let set = async |group: &str| {
        let target = Target::Group(group.to_owned());
        team.set_preference(&admin, &shared.skill.id, &target, Choice::Required, None).await
    };
    assert_eq!(set("group_none").await.unwrap_err(), TeamError::NotFound);
    assert_eq!(set(&group).await.unwrap().choice, Choice::Required);
}

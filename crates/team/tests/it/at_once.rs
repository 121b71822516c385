//! What several users do at the same moment.

use crate::{
    on_both,
    world::{World, own, upload},
};
use skillful_team::{
    Actor, Role, Scope, Team, TeamError,
    organisation::Policy,
    skills::SkillFilter,
    upload::{Stored, Upload},
};
use std::collections::BTreeSet;

on_both!(
    of_two_administrators_who_take_each_others_role_one_stays,
    uploads_that_come_at_once_stay_within_the_quota,
    a_request_that_is_sent_again_while_it_is_carried_out_gives_one_version,
);

async fn of_two_administrators_who_take_each_others_role_one_stays(world: World) {
    let roles = [Role::OrgAdmin, Role::SiteAdmin];
    for round in 0..5 {
        let one = world.user(&format!("one-{round}"), &roles).await;
        let other = world.user(&format!("other-{round}"), &roles).await;
        let none = BTreeSet::new();
        let take = |by: &Actor, from: &Actor| {
            (world.team.clone(), by.clone(), from.user.clone().unwrap(), none.clone())
        };
        let tasks = [take(&one, &other), take(&other, &one)].map(|(team, by, from, none)| {
            tokio::spawn(async move {
                let suspended = (round % 2 == 1).then_some("suspended");
                team.change_user(&by, &from, suspended.is_none().then_some(&none), suspended).await
            })
        });
        let mut done = 0;
        for task in tasks {
            match task.await.unwrap() {
                Ok(_) => done += 1,
                Err(TeamError::Forbidden(_) | TeamError::Unauthenticated(_)) => {}
                Err(error) => panic!("{error:?}"),
            }
        }
        assert_eq!(done, 1, "one of them was faster");
    }
}

/// Carries uploads out at the same moment. One that found no connection to the database in time is sent again, as a client does.
async fn all_at_once<W, F>(team: &Team, uploads: Vec<Upload>, work: W) -> Vec<Result<Stored, TeamError>>
where
    W: Fn(Team, Upload) -> F,
    F: Future<Output = Result<Stored, TeamError>> + Send + 'static,
{
    let tasks: Vec<_> = uploads
        .into_iter()
        .map(|upload| (upload.clone(), tokio::spawn(work(team.clone(), upload))))
        .collect();
    let mut done = Vec::new();
    for (upload, task) in tasks {
        let mut result = task.await.unwrap();
        while let Err(TeamError::Unavailable(_)) = result {
            result = work(team.clone(), upload.clone()).await;
        }
        done.push(result);
    }
    done
}

async fn uploads_that_come_at_once_stay_within_the_quota(world: World) {
    let admin = world.user("admin", &[Role::OrgAdmin]).await;
    let ada = world.user("ada", &[]).await;
    let policy = Policy { rule: "quota-skills".to_owned(), setting: "10".to_owned() };
    world.team.set_policy(&admin, &policy).await.unwrap();
    let uploads = (0..24).map(|number| upload(&format!("skill-{number}"), "One.")).collect();
    let done = all_at_once(&world.team, uploads, |team, upload| {
        let ada = ada.clone();
        async move { team.create_skill(&ada, &own(&ada), upload).await }
    })
    .await;
    assert_eq!(done.iter().filter(|one| one.is_ok()).count(), 10);
    for error in done.into_iter().filter_map(Result::err) {
        assert!(matches!(error, TeamError::TooLarge(_)), "{error:?}");
    }
    let kept = world.team.skills(&ada, &SkillFilter { limit: 100, ..Default::default() }).await.unwrap();
    assert_eq!(kept.items.len(), 10);
}

async fn a_request_that_is_sent_again_while_it_is_carried_out_gives_one_version(world: World) {
    let ada = world.user("ada", &[]).await;
    let again = |body: &str| Upload {
        request: Some(format!("key:{body}")),
        is_repeated: true,
        ..upload("pdf", body)
    };
    let made = all_at_once(&world.team, vec![again("One."); 6], |team, upload| {
        let ada = ada.clone();
        async move { team.create_skill(&ada, &own(&ada), upload).await }
    })
    .await;
    let made: BTreeSet<_> = made.into_iter().map(|one| one.unwrap().skill.id).collect();
    assert_eq!(made.len(), 1);
    let id = made.first().unwrap().clone();
    let added = all_at_once(&world.team, vec![again("Two."); 6], |team, upload| {
        let (ada, id) = (ada.clone(), id.clone());
        async move { team.add_version(&ada, &id, upload).await }
    })
    .await;
    let numbers: BTreeSet<_> = added.into_iter().map(|one| one.unwrap().version.number).collect();
    assert_eq!(numbers, BTreeSet::from([2]));
    assert_eq!(world.team.versions(&ada, &id).await.unwrap().len(), 2);
    // A key that was used for other files is named, and what was stored with it stays.
    let other = Upload { request: Some("key:Two.".to_owned()), is_repeated: true, ..upload("pdf", "Three.") };
    let refused = world.team.add_version(&ada, &id, other).await;
    assert!(matches!(refused, Err(TeamError::Conflict { code: "key-reused", .. })), "{refused:?}");
    let taken = world.team.create_skill(&ada, &own(&ada), upload("pdf", "One.")).await;
    assert!(matches!(taken, Err(TeamError::Conflict { code: "name-taken", .. })), "{taken:?}");
    let org = world.user("admin", &[Role::OrgAdmin]).await;
    let both = all_at_once(&world.team, vec![upload("shared", "One."); 4], |team, upload| {
        let org = org.clone();
        async move { team.create_skill(&org, &Scope::Org, upload).await }
    })
    .await;
    let refused: Vec<_> = both.into_iter().filter_map(Result::err).collect();
    assert_eq!(refused.len(), 3);
    for error in refused {
        assert!(matches!(error, TeamError::Conflict { code: "name-taken", .. }), "{error:?}");
    }
}

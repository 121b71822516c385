//! How much one owner may keep.

use crate::world::{World, own, upload};
use skillful_team::{Role, Scope, TeamError, organisation::Policy};

crate::on_both!(an_owner_keeps_no_more_than_the_policies_allow_and_others_are_not_touched);

async fn an_owner_keeps_no_more_than_the_policies_allow_and_others_are_not_touched(world: World) {
    let team = &world.team;
    let (admin, ada, bob) = (
        world.user("admin", &[Role::OrgAdmin]).await,
        world.user("ada", &[]).await,
        world.user("bob", &[]).await,
    );
    let set = async |rule: &str, setting: &str| {
        let policy = Policy { rule: rule.to_owned(), setting: setting.to_owned() };
        team.set_policy(&admin, &policy).await.unwrap();
    };
    set("quota-skills", "10").await;
    set("quota-versions", "10").await;
    for at in 0..10 {
        world.skill(&ada, &own(&ada), &format!("skill-{at}"), "Text.").await;
    }
    let over = team.create_skill(&ada, &own(&ada), upload("one-more", "Text.")).await.unwrap_err();
    let TeamError::TooLarge(why) = over else { panic!("{over:?}") };
    assert_eq!(
        why,
        "the quota of 10 skills is reached; delete some, or ask an administrator to change the policy `quota-skills`"
    );
    assert!(team.own_skill(&ada, "one-more").await.unwrap().is_none(), "nothing is half written");
    world.skill(&bob, &own(&bob), "one-more", "Text.").await;
    world.skill(&admin, &Scope::Org, "shared", "Text.").await;
    let first = team.own_skill(&ada, "skill-0").await.unwrap().unwrap();
    for at in 0..9 {
        team.add_version(&ada, &first.id, upload("skill-0", &format!("Text {at}."))).await.unwrap();
    }
    let over = team.add_version(&ada, &first.id, upload("skill-0", "Another.")).await.unwrap_err();
    assert!(matches!(&over, TeamError::TooLarge(why) if why.contains("versions of a skill")), "{over:?}");
    assert_eq!(team.skill(&ada, &first.id).await.unwrap().latest_version, 10);
    let used = team.quota(&ada).await.unwrap();
    assert_eq!((used.skills, used.skills_limit, used.versions_limit), (10, Some(10), Some(10)));
    assert!(used.bytes > 0 && used.bytes_limit == Some(1 << 30), "{used:?}");
    // Bytes: a megabyte of one owner.
    set("quota-skills", "unlimited").await;
    set("quota-megabytes", "1").await;
    let large = upload("large", &"x".repeat(700 << 10));
    team.create_skill(&bob, &own(&bob), large).await.unwrap();
    let over =
        team.create_skill(&bob, &own(&bob), upload("larger", &"y".repeat(700 << 10))).await.unwrap_err();
    assert!(matches!(&over, TeamError::TooLarge(why) if why.contains("1 megabytes")), "{over:?}");
}

//! Sign-in of a program by a code that its user confirms.

use crate::{on_both, world::World};
use secrecy::ExposeSecret as _;
use skillful_team::{
    TeamError, TokenScope,
    credentials::TokenInput,
    device::{DeviceAnswer, DeviceRequest, INTERVAL, SECONDS},
};

on_both!(
    a_confirmed_code_gives_one_token_once,
    a_code_that_is_refused_late_or_guessed_gives_nothing,
    a_token_confirms_no_more_than_it_may_do,
);

fn request(scopes: &[TokenScope]) -> DeviceRequest {
    DeviceRequest { name: "laptop".to_owned(), scopes: scopes.iter().copied().collect(), days: 7 }
}

async fn a_confirmed_code_gives_one_token_once(world: World) {
    let team = &world.team;
    let ada = world.user("ada", &[]).await;
    let wanted = request(&[TokenScope::SkillsRead]);
    let codes = team.begin_device(&wanted).await.unwrap();
    let device = codes.device.expose_secret();
    assert!(matches!(team.ask_device(device).await.unwrap(), DeviceAnswer::Pending));
    assert!(matches!(team.ask_device(device).await.unwrap(), DeviceAnswer::TooFast));
    let typed = codes.code.to_lowercase().replace('-', "");
    assert_eq!(team.device_request(&ada, &typed).await.unwrap(), Some(wanted.clone()));
    team.decide_device(&ada, &typed, true).await.unwrap();
    let again = team.decide_device(&ada, &codes.code, false).await;
    assert!(matches!(again, Err(TeamError::Conflict { code: "unknown-code", .. })), "{again:?}");
    let other = world.another_process().await;
    world.pass(INTERVAL * 1_000);
    let DeviceAnswer::Granted(info, secret) = other.ask_device(device).await.unwrap() else {
        panic!("not granted")
    };
    assert_eq!(info.scopes, wanted.scopes);
    let actor = team.by_token(secret.expose_secret()).await.unwrap();
    assert_eq!(actor.user, ada.user);
    assert!(matches!(team.ask_device(device).await.unwrap(), DeviceAnswer::Over));
}

async fn a_code_that_is_refused_late_or_guessed_gives_nothing(world: World) {
    let team = &world.team;
    let ada = world.user("ada", &[]).await;
    let refused = team.begin_device(&request(&[TokenScope::SkillsRead])).await.unwrap();
    team.decide_device(&ada, &refused.code, false).await.unwrap();
    assert!(matches!(team.ask_device(refused.device.expose_secret()).await.unwrap(), DeviceAnswer::Denied));
    assert!(matches!(team.ask_device(&refused.code).await.unwrap(), DeviceAnswer::Over));
    assert_eq!(team.device_request(&ada, "BBBB-BBBB").await.unwrap(), None);
    let late = team.begin_device(&request(&[TokenScope::SkillsRead])).await.unwrap();
    world.pass(SECONDS * 1_000 + 1);
    assert!(team.decide_device(&ada, &late.code, true).await.is_err());
    assert!(matches!(team.ask_device(late.device.expose_secret()).await.unwrap(), DeviceAnswer::Over));
    for wrong in [
        DeviceRequest { name: String::new(), ..request(&[TokenScope::SkillsRead]) },
        DeviceRequest { name: "a\u{202e}b".to_owned(), ..request(&[TokenScope::SkillsRead]) },
        DeviceRequest { name: "a\u{2067}b".to_owned(), ..request(&[TokenScope::SkillsRead]) },
        DeviceRequest { days: 9_000, ..request(&[TokenScope::SkillsRead]) },
        request(&[]),
    ] {
        assert!(team.begin_device(&wrong).await.is_err(), "{wrong:?}");
    }
}

async fn a_token_confirms_no_more_than_it_may_do(world: World) {
    let team = &world.team;
    let ada = world.user("ada", &[]).await;
    let input = TokenInput {
        name: "ci".to_owned(),
        scopes: [TokenScope::SkillsRead].into(),
        days: 1,
        bound: String::new(),
    };
    let (_, secret) = team.create_token(&ada, &input).await.unwrap();
    let weak = team.by_token(secret.expose_secret()).await.unwrap();
    let codes = team.begin_device(&request(&[TokenScope::SkillsRead, TokenScope::Admin])).await.unwrap();
    let refused = team.decide_device(&weak, &codes.code, true).await;
    assert!(matches!(&refused, Err(TeamError::Forbidden(why)) if why.contains("admin")), "{refused:?}");
    assert!(
        team.device_request(&ada, &codes.code).await.unwrap().is_some(),
        "a refused confirmation uses up nothing"
    );
}

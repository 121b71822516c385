use crate::{
    on_both,
    world::{World, own, upload},
};
use skillful_team::{
    Role, Scope, TeamError,
    integrations::{IntegrationInput, IntegrationSkill},
    organisation::Policy,
};
use std::collections::BTreeMap;

on_both!(
    p9_an_integration_sets_its_skills_up_again_and_a_skill_of_the_user_wins,
    p9_the_scope_of_an_integration_decides_whose_its_skills_are,
);

fn brings(name: &str, body: &str) -> IntegrationSkill {
    let text = format!(
        "---\nname: {name}\ndescription: Does {name}. Use when asked.\nallowed-tools: Read\n---\n\n{body}\n"
    );
    let files =
        BTreeMap::from([("SKILL.md".to_owned(), text), ("references/a.md".to_owned(), "A.".to_owned())]);
    IntegrationSkill { name: name.to_owned(), files }
}

fn entry(scope: &str, version: &str, skills: Vec<IntegrationSkill>) -> IntegrationInput {
    IntegrationInput {
        scope: Some(scope.to_owned()),
        version: version.to_owned(),
        skills,
        ..Default::default()
    }
}

async fn p9_an_integration_sets_its_skills_up_again_and_a_skill_of_the_user_wins(world: World) {
    let ada = world.user("ada", &[]).await;
    let team = &world.team;
    let mine = world.skill(&ada, &own(&ada), "notes", "Mine.").await;
    let broken = IntegrationSkill {
        name: "broken".to_owned(),
        files: BTreeMap::from([("SKILL.md".to_owned(), "---\nname: broken\n---\nx\n".to_owned())]),
    };
    let first = entry(
        "own",
        "1.0",
        vec![brings("mail", "One."), brings("notes", "Theirs."), broken, brings("old", "Old.")],
    );
    let report = team.set_up_integration(&ada, "post", &first).await.unwrap();
    let outcomes = |report: &skillful_team::integrations::IntegrationReport| {
        report
            .skills
            .iter()
            .map(|one| format!("{} {} {}", one.name, one.outcome, one.version))
            .collect::<Vec<_>>()
    };
    assert_eq!(outcomes(&report), ["mail created 1", "old created 1"]);
    let skipped: Vec<(&str, &str)> =
        report.skipped.iter().map(|one| (one.name.as_str(), one.reason.as_str())).collect();
    assert_eq!(skipped[0].0, "notes");
    assert!(skipped[0].1.contains("is here, and stays"), "{skipped:?}");
    assert!(skipped[1].0 == "broken" && skipped[1].1.contains("no description"), "{skipped:?}");
    let kept = team.skill(&ada, &mine.skill.id).await.unwrap();
    assert_eq!((kept.source.as_str(), kept.latest_version), ("custom", 1));
    let mail = team.skill(&ada, &report.skills[0].skill_id).await.unwrap();
    assert_eq!(
        (mail.source.as_str(), mail.source_id.as_str(), mail.source_version.as_str()),
        ("integration", "post:mail", "1.0")
    );
    assert_eq!(mail.default_version, Some(1), "what a user sets up for themselves is on");
    // Again, with the next version of its manifest: what changed is updated, what is gone is archived, and what can do more waits.
    let more = "allowed-tools: Read, Bash(curl:*)\n---\n";
    let grown = upload("mail", &format!("{more}Two.")).tree;
    let text = String::from_utf8(grown.get("SKILL.md").unwrap().bytes.clone()).unwrap();
    let grown =
        IntegrationSkill { name: "mail".to_owned(), files: BTreeMap::from([("SKILL.md".to_owned(), text)]) };
    let second = entry("own", "1.1", vec![brings("mail", "One."), brings("notes", "Theirs.")]);
    let report = team.set_up_integration(&ada, "post", &second).await.unwrap();
    assert_eq!(outcomes(&report), ["mail unchanged 1"]);
    assert_eq!((report.archived.as_slice(), report.skipped.len()), (&["old".to_owned()][..], 1));
    assert_eq!(team.skill(&ada, &mail.id).await.unwrap().source_version, "1.1");
    let third = entry("own", "2.0", vec![brings("mail", "Two."), brings("old", "Old.")]);
    let report = team.set_up_integration(&ada, "post", &third).await.unwrap();
    assert_eq!(outcomes(&report), ["mail updated 2", "old unchanged 1"]);
    assert_eq!(team.skill(&ada, &mail.id).await.unwrap().default_version, Some(2));
    let on: Vec<String> = team
        .effective(&ada)
        .await
        .unwrap()
        .into_iter()
        .filter(|one| one.is_on)
        .map(|one| one.skill.name)
        .collect();
    assert_eq!(on, ["mail", "notes", "old"], "what came back is on again");
    let report = team.set_up_integration(&ada, "post", &entry("own", "3.0", vec![grown])).await.unwrap();
    assert_eq!(outcomes(&report), ["mail updated 3"]);
    assert_eq!(team.skill(&ada, &mail.id).await.unwrap().default_version, Some(2), "it waits for its user");
    assert_eq!(team.integrations(&ada).await.unwrap()[0].domain, "post");
    // Another integration with a name that begins alike is another one.
    let gone = team.remove_integration(&ada, "pos", None, None).await;
    assert_eq!(gone.unwrap_err(), TeamError::NotFound);
    assert_eq!(team.remove_integration(&ada, "post", None, None).await.unwrap(), 2);
    assert_eq!(team.skill(&ada, &mail.id).await.unwrap_err(), TeamError::NotFound);
    assert!(team.skill(&ada, &mine.skill.id).await.is_ok());
    let wrong = team.set_up_integration(&ada, "a:b", &first).await;
    assert!(matches!(wrong, Err(TeamError::Invalid { code: "wrong-domain", .. })), "{wrong:?}");
}

async fn p9_the_scope_of_an_integration_decides_whose_its_skills_are(world: World) {
    let admin = world.user("admin", &[Role::OrgAdmin]).await;
    let site = world.user("site", &[Role::SiteAdmin]).await;
    let (ada, bob) = (world.user("ada", &[]).await, world.user("bob", &[]).await);
    let team = &world.team;
    let off = Policy { rule: "review".to_owned(), setting: "off".to_owned() };
    team.set_policy(&admin, &off).await.unwrap();
    let refused = team.set_up_integration(&ada, "post", &entry("org", "1", vec![brings("mail", "x")])).await;
    assert!(matches!(refused, Err(TeamError::Forbidden(_))), "{refused:?}");
    let org =
        team.set_up_integration(&admin, "post", &entry("org", "1", vec![brings("mail", "x")])).await.unwrap();
    let global = team
        .set_up_integration(&site, "clock", &entry("global", "1", vec![brings("time", "x")]))
        .await
        .unwrap();
    let personal =
        team.set_up_integration(&ada, "post", &entry("own", "1", vec![brings("inbox", "x")])).await.unwrap();
    let scope = |report: &skillful_team::integrations::IntegrationReport| report.scope.clone();
    assert_eq!((scope(&org), scope(&global), scope(&personal)), (Scope::Org, Scope::Global, own(&ada)));
    // The organisation and all have no owner.
    assert_eq!(team.skill(&bob, &org.skills[0].skill_id).await.unwrap().scope.columns(), ("org", ""));
    assert_eq!(team.skill(&bob, &global.skills[0].skill_id).await.unwrap().scope.columns(), ("global", ""));
    assert_eq!(team.skill(&bob, &personal.skills[0].skill_id).await.unwrap_err(), TeamError::NotFound);
    let names: Vec<String> =
        team.integrations(&bob).await.unwrap().into_iter().map(|one| one.domain).collect();
    assert_eq!(names, ["clock", "post"]);
    // A skill of the user wins over one of the organisation.
    let shared = &org.skills[0].skill_id;
    let target = skillful_team::preferences::Target::Org;
    team.set_preference(&admin, shared, &target, skillful_team::preferences::Choice::On, None).await.unwrap();
    let mine = world.skill(&bob, &own(&bob), "mail", "Mine.").await.skill.id;
    let effective = team.effective(&bob).await.unwrap();
    let of = |id: &str| effective.iter().find(|one| one.skill.id == id).unwrap();
    assert!(of(&mine).is_on && !of(shared).is_on, "{effective:?}");
    assert!(of(shared).reason.contains("another skill of this name"), "{}", of(shared).reason);
}

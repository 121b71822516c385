use crate::{
    on_both,
    world::{World, files, own, upload},
};
use skillful_team::{
    Role, Scope, TeamError,
    groups::GroupInput,
    preferences::{Choice, Target},
    proposals::{CommentInput, DecisionInput},
    skills::SkillFilter,
    upload::Upload,
    versions::VersionState,
};

on_both!(
    a_personal_skill_is_published_at_once_and_its_versions_are_numbered,
    a_name_is_taken_within_its_scope_and_kept_when_a_shared_skill_is_deleted,
    what_another_user_owns_does_not_exist,
    a_skill_of_a_group_that_does_not_exist_is_refused,
    every_page_together_has_each_skill_once_while_others_are_created,
    an_upload_that_is_sent_again_gives_one_version,
    the_last_version_stays_and_deleting_the_default_moves_it,
    a_yanked_version_is_served_to_locks_and_a_revoked_one_to_no_client,
    files_that_were_revoked_do_not_come_back_under_another_number,
    what_is_revoked_stays_revoked_whatever_another_user_does_at_that_moment,
    the_last_version_stays_when_each_is_deleted_by_another_user,
    what_is_deleted_at_the_moment_of_another_change_is_an_answer_and_not_a_fault,
    a_file_that_no_package_keeps_is_refused_by_its_name,
    contents_that_changed_in_the_store_are_an_error_and_never_a_skill,
    an_upload_without_a_name_a_description_or_a_skill_file_is_refused,
    contents_that_no_version_names_are_swept_after_a_day,
    a_text_that_one_database_cannot_hold_is_refused_by_both,
    a_text_that_is_repeated_to_every_reader_has_a_limit,
    a_search_finds_the_words_of_the_version_that_is_served,
    a_skill_is_described_by_the_version_that_is_served,
);

async fn a_personal_skill_is_published_at_once_and_its_versions_are_numbered(world: World) {
    let ada = world.user("ada", &[]).await;
    let first = world.skill(&ada, &own(&ada), "pdf", "One.").await;
    assert_eq!((first.version.number, first.version.state), (1, VersionState::Published));
    assert_eq!(first.skill.default_version, Some(1));
    let second = world.team.add_version(&ada, &first.skill.id, upload("pdf", "Two.")).await.unwrap();
    assert_eq!((second.version.number, second.skill.default_version), (2, Some(2)));
    let back = world.team.set_default(&ada, &first.skill.id, 1).await.unwrap();
    assert_eq!(back.default_version, Some(1));
    let other = world.team.add_version(&ada, &first.skill.id, upload("other", "Three.")).await;
    assert!(matches!(other, Err(TeamError::Invalid { code: "other-name", .. })), "{other:?}");
    let tree = world.team.contents(&ada, &first.skill.id, 1).await.unwrap();
    assert_eq!(tree.digest().to_string(), first.version.tree);
}

async fn a_name_is_taken_within_its_scope_and_kept_when_a_shared_skill_is_deleted(world: World) {
    let admin = world.user("admin", &[Role::OrgAdmin]).await;
    let bob = world.user("bob", &[]).await;
    let shared = world.skill(&admin, &Scope::Org, "pdf", "One.").await;
    let again = world.team.create_skill(&admin, &Scope::Org, upload("pdf", "Two.")).await;
    assert!(matches!(again, Err(TeamError::Conflict { code: "name-taken", .. })), "{again:?}");
    world.skill(&bob, &own(&bob), "pdf", "Mine.").await;
    world.team.delete_skill(&admin, &shared.skill.id).await.unwrap();
    let held = world.team.create_skill(&admin, &Scope::Org, upload("pdf", "Three.")).await;
    assert!(matches!(held, Err(TeamError::Conflict { code: "name-held", .. })), "{held:?}");
    world.pass(31 * 24 * 3_600 * 1_000);
    let admin = world.again(admin.user.as_deref().unwrap()).await;
    world.skill(&admin, &Scope::Org, "pdf", "Four.").await;
}

async fn a_skill_of_a_group_that_does_not_exist_is_refused(world: World) {
    let admin = world.user("admin", &[Role::OrgAdmin]).await;
    let scope = Scope::Group("group_none".to_owned());
    let refused = world.team.create_skill(&admin, &scope, upload("pdf", "One.")).await;
    assert_eq!(refused.unwrap_err(), TeamError::NotFound);
}

async fn what_another_user_owns_does_not_exist(world: World) {
    let ada = world.user("ada", &[]).await;
    let bob = world.user("bob", &[]).await;
    let id = world.skill(&ada, &own(&ada), "pdf", "One.").await.skill.id;
    let team = &world.team;
    assert_eq!(team.skill(&bob, &id).await.unwrap_err(), TeamError::NotFound);
    assert_eq!(team.skill(&bob, "skill_none").await.unwrap_err(), TeamError::NotFound);
    assert_eq!(team.version(&bob, &id, 1).await.unwrap_err(), TeamError::NotFound);
    assert_eq!(team.contents(&bob, &id, 1).await.unwrap_err(), TeamError::NotFound);
    assert_eq!(team.delete_skill(&bob, &id).await.unwrap_err(), TeamError::NotFound);
    assert_eq!(team.add_version(&bob, &id, upload("pdf", "Two.")).await.unwrap_err(), TeamError::NotFound);
    let filter = SkillFilter { limit: 100, ..Default::default() };
    assert!(team.skills(&bob, &filter).await.unwrap().items.is_empty());
    assert_eq!(team.skills(&ada, &filter).await.unwrap().items.len(), 1);
    let verdicts = team.verdicts(&bob, &[team.version(&ada, &id, 1).await.unwrap().tree]).await.unwrap();
    assert_eq!(verdicts[0].state, "unknown");
}

async fn every_page_together_has_each_skill_once_while_others_are_created(world: World) {
    let ada = world.user("ada", &[]).await;
    let mut made = Vec::new();
    for number in 0..25 {
        made.push(world.skill(&ada, &own(&ada), &format!("skill-{number}"), "Text.").await.skill.id);
    }
    for oldest_first in [false, true] {
        let mut seen = Vec::new();
        let mut after = None;
        for page in 0..20 {
            let filter = SkillFilter { limit: 4, after, oldest_first, ..Default::default() };
            let found = world.team.skills(&ada, &filter).await.unwrap();
            seen.extend(found.items.into_iter().map(|skill| skill.id));
            world.skill(&ada, &own(&ada), &format!("later-{oldest_first}-{page}"), "Text.").await;
            after = found.next;
            if after.is_none() || seen.len() >= 60 {
                break;
            }
        }
        for id in &made {
            assert_eq!(seen.iter().filter(|one| *one == id).count(), 1, "{id}");
        }
    }
}

async fn an_upload_that_is_sent_again_gives_one_version(world: World) {
    let ada = world.user("ada", &[]).await;
    let again = || Upload { request: Some("key:1".to_owned()), is_repeated: true, ..upload("pdf", "One.") };
    let first = world.team.create_skill(&ada, &own(&ada), again()).await.unwrap();
    let second = world.team.create_skill(&ada, &own(&ada), again()).await.unwrap();
    assert_eq!((&first.skill.id, first.version.number), (&second.skill.id, second.version.number));
    world.pass(11 * 60 * 1_000);
    let late = world.team.create_skill(&ada, &own(&ada), again()).await;
    assert!(matches!(late, Err(TeamError::Conflict { code: "name-taken", .. })));
}

async fn the_last_version_stays_and_deleting_the_default_moves_it(world: World) {
    let ada = world.user("ada", &[]).await;
    let id = world.skill(&ada, &own(&ada), "pdf", "One.").await.skill.id;
    let team = &world.team;
    let last = team.delete_version(&ada, &id, 1, true).await;
    assert!(matches!(last, Err(TeamError::Conflict { code: "last-version", .. })));
    team.add_version(&ada, &id, upload("pdf", "Two.")).await.unwrap();
    let default = team.delete_version(&ada, &id, 2, false).await;
    assert!(matches!(default, Err(TeamError::Conflict { code: "default-version", .. })));
    team.delete_version(&ada, &id, 2, true).await.unwrap();
    assert_eq!(team.skill(&ada, &id).await.unwrap().default_version, Some(1));
    // A number never comes back.
    assert_eq!(team.add_version(&ada, &id, upload("pdf", "Three.")).await.unwrap().version.number, 3);
}

async fn a_yanked_version_is_served_to_locks_and_a_revoked_one_to_no_client(world: World) {
    let admin = world.user("admin", &[Role::OrgAdmin]).await;
    let ada = world.user("ada", &[]).await;
    let team = &world.team;
    let id = world.skill(&ada, &own(&ada), "pdf", "One.").await.skill.id;
    let two = team.add_version(&ada, &id, upload("pdf", "Two.")).await.unwrap();
    let silent = team.take_back(&ada, &id, 2, VersionState::Yanked, " ").await;
    assert!(matches!(silent, Err(TeamError::Invalid { code: "no-reason", .. })));
    team.take_back(&ada, &id, 2, VersionState::Yanked, "wrong figures").await.unwrap();
    assert_eq!(team.skill(&ada, &id).await.unwrap().default_version, Some(1));
    assert!(team.contents(&ada, &id, 2).await.is_ok(), "a lock that names it is still served");
    let own_revoke = team.take_back(&ada, &id, 2, VersionState::Revoked, "leaks").await;
    assert!(matches!(own_revoke, Err(TeamError::Forbidden(_))), "{own_revoke:?}");
    team.take_back(&admin, &id, 2, VersionState::Revoked, "leaks").await.unwrap();
    let refused = team.contents(&ada, &id, 2).await;
    assert!(matches!(refused, Err(TeamError::Conflict { code: "revoked", .. })));
    let verdicts = team.verdicts(&ada, &[two.version.tree, "sha256:00".to_owned()]).await.unwrap();
    assert_eq!((verdicts[0].state.as_str(), verdicts[0].reason.as_str()), ("revoked", "leaks"));
    assert_eq!(verdicts[1].state, "unknown");
}

async fn files_that_were_revoked_do_not_come_back_under_another_number(world: World) {
    let admin = world.user("admin", &[Role::OrgAdmin]).await;
    let ada = world.user("ada", &[]).await;
    let team = &world.team;
    let id = world.skill(&ada, &own(&ada), "pdf", "One.").await.skill.id;
    for text in ["Harm.", "Two.", "Harm."] {
        team.add_version(&ada, &id, upload("pdf", text)).await.unwrap();
    }
    team.take_back(&admin, &id, 2, VersionState::Revoked, "leaks").await.unwrap();
    let four = team.version(&ada, &id, 4).await.unwrap();
    assert_eq!((four.state, four.reason.as_str()), (VersionState::Revoked, "leaks"), "the same files");
    assert_eq!(team.skill(&ada, &id).await.unwrap().default_version, Some(3));
    let is_refused = |done: TeamError| {
        assert!(
            matches!(&done, TeamError::Conflict { code: "revoked", message } if message.contains("leaks")),
            "{done:?}"
        );
    };
    is_refused(team.add_version(&ada, &id, upload("pdf", "Harm.")).await.unwrap_err());
    let deleted = team.delete_version(&ada, &id, 2, true).await.unwrap_err();
    assert!(
        matches!(deleted, TeamError::Conflict { code: "revoked", .. }),
        "clients still have to learn of it"
    );
    // What the organisation revoked does not come back as the skill of a user; what one user had concerns that user alone.
    let bob = world.user("bob", &[]).await;
    world.skill(&bob, &own(&bob), "pdf", "Harm.").await;
    let shared = world.skill(&admin, &Scope::Org, "ocr", "Harm.").await;
    let reviewer = world.user("rita", &[Role::Reviewer]).await;
    let decision = DecisionInput {
        digest: shared.version.tree,
        note: String::new(),
        waiver: String::new(),
        waiver_days: None,
    };
    team.decide(&reviewer, &shared.proposal.unwrap(), true, &decision).await.unwrap();
    team.take_back(&admin, &shared.skill.id, 1, VersionState::Revoked, "leaks").await.unwrap();
    is_refused(team.create_skill(&bob, &own(&bob), upload("ocr", "Harm.")).await.unwrap_err());
}

async fn what_is_revoked_stays_revoked_whatever_another_user_does_at_that_moment(world: World) {
    let admin = world.user("admin", &[Role::OrgAdmin]).await;
    let ada = world.user("ada", &[]).await;
    let (team, other) = (&world.team, world.another_process().await);
    let id = world.skill(&ada, &own(&ada), "pdf", "One.").await.skill.id;
    for number in 2..14 {
        team.add_version(&ada, &id, upload("pdf", &format!("Text {number}."))).await.unwrap();
        let (revoked, yanked, served) = tokio::join!(
            team.take_back(&admin, &id, number, VersionState::Revoked, "leaks"),
            other.take_back(&ada, &id, number, VersionState::Yanked, "wrong"),
            other.set_default(&ada, &id, number),
        );
        let version = team.version(&ada, &id, number).await.unwrap();
        assert!(
            revoked.is_err() || version.state == VersionState::Revoked,
            "{revoked:?} {yanked:?} {served:?}"
        );
        let default = team.skill(&ada, &id).await.unwrap().default_version;
        assert!(version.state == VersionState::Published || default != Some(number), "{served:?}");
    }
}

async fn the_last_version_stays_when_each_is_deleted_by_another_user(world: World) {
    let ada = world.user("ada", &[]).await;
    let (team, other) = (&world.team, world.another_process().await);
    for name in ["a", "b", "c", "d"] {
        let id = world.skill(&ada, &own(&ada), name, "One.").await.skill.id;
        team.add_version(&ada, &id, upload(name, "Two.")).await.unwrap();
        let (one, two) =
            tokio::join!(team.delete_version(&ada, &id, 1, true), other.delete_version(&ada, &id, 2, true));
        assert_eq!(team.versions(&ada, &id).await.unwrap().len(), 1, "{one:?} {two:?}");
    }
}

async fn what_is_deleted_at_the_moment_of_another_change_is_an_answer_and_not_a_fault(world: World) {
    let admin = world.user("admin", &[Role::OrgAdmin]).await;
    let (team, other) = (&world.team, world.another_process().await);
    let off = skillful_team::organisation::Policy { rule: "review".to_owned(), setting: "off".to_owned() };
    team.set_policy(&admin, &off).await.unwrap();
    let mut late = 0;
    for number in 0..12 {
        let name = format!("skill-{number}");
        let id = world.skill(&admin, &Scope::Org, &name, "One.").await.skill.id;
        let (added, wanted, kept, deleted) = tokio::join!(
            team.add_version(&admin, &id, upload(&name, "Two.")),
            team.set_preference(&admin, &id, &Target::Org, Choice::On, None),
            team.keep(&admin, &id, true),
            other.delete_skill(&admin, &id),
        );
        deleted.unwrap();
        let failed = [added.err(), wanted.err(), kept.err()];
        late += failed.iter().flatten().count();
        for error in failed.into_iter().flatten() {
            assert!(matches!(error, TeamError::NotFound | TeamError::Conflict { .. }), "{error:?}");
        }
    }
    assert!(late > 0, "no change met a deletion");
}

async fn a_file_that_no_package_keeps_is_refused_by_its_name(world: World) {
    let ada = world.user("ada", &[]).await;
    for path in [".git/hooks/post-checkout", "scripts/.GIT/config", "__MACOSX/x", "._x", "a/.DS_Store"] {
        let text = "---\nname: pdf\ndescription: Does pdf. Use when asked.\n---\nText.\n";
        let tree = files(&[("SKILL.md", text), (path, "#!/bin/sh\n")]);
        let done = world.team.create_skill(&ada, &own(&ada), Upload { tree, ..Upload::default() }).await;
        assert!(
            matches!(&done, Err(TeamError::Invalid { message, .. }) if message.contains(path)),
            "{done:?}"
        );
    }
    let stored = world.skill(&ada, &own(&ada), "pdf", "Text.").await;
    assert!(world.team.contents(&ada, &stored.skill.id, 1).await.is_ok());
}

async fn contents_that_changed_in_the_store_are_an_error_and_never_a_skill(world: World) {
    let ada = world.user("ada", &[]).await;
    let stored = world.skill(&ada, &own(&ada), "pdf", "One.").await;
    let hex = stored.version.tree.strip_prefix("sha256:").unwrap().to_owned();
    let place = world.folder.path().join("objects/trees").join(&hex[..2]).join(&hex);
    let other =
        skillful_archive::write_zip(&files(&[("SKILL.md", "---\nname: evil\n---\n")]), "skill").unwrap();
    std::fs::write(&place, other).unwrap();
    assert!(matches!(world.team.contents(&ada, &stored.skill.id, 1).await, Err(TeamError::Damaged(_))));
    std::fs::write(&place, b"not a zip").unwrap();
    assert!(matches!(world.team.contents(&ada, &stored.skill.id, 1).await, Err(TeamError::Damaged(_))));
    std::fs::remove_file(&place).unwrap();
    assert!(matches!(world.team.contents(&ada, &stored.skill.id, 1).await, Err(TeamError::Damaged(_))));
}

async fn an_upload_without_a_name_a_description_or_a_skill_file_is_refused(world: World) {
    let ada = world.user("ada", &[]).await;
    for (text, wanted) in [
        ("---\nname: ../evil\ndescription: x\n---\nx\n", "invalid-name"),
        ("---\nname: pdf\n---\nx\n", "no-description"),
        ("---\nname: pdf\ndescription: \"open\n---\nx\n", "invalid-skill"),
    ] {
        let upload = Upload { tree: files(&[("SKILL.md", text)]), ..Default::default() };
        match world.team.create_skill(&ada, &own(&ada), upload).await {
            Err(TeamError::Invalid { code, .. }) => assert_eq!(code, wanted),
            other => panic!("{wanted}: {other:?}"),
        }
    }
    let upload = Upload { tree: files(&[("README.md", "x")]), ..Default::default() };
    let refused = world.team.create_skill(&ada, &own(&ada), upload).await;
    assert!(matches!(refused, Err(TeamError::Invalid { code: "no-skill-file", .. })));
}

async fn a_text_that_one_database_cannot_hold_is_refused_by_both(world: World) {
    let ada = world.user("ada", &[]).await;
    let id = world.skill(&ada, &own(&ada), "pdf", "One.").await.skill.id;
    let filter = SkillFilter { after: Some("1.a\0".to_owned()), limit: 20, ..SkillFilter::default() };
    let listed = world.team.skills(&ada, &filter).await;
    assert!(matches!(listed, Err(TeamError::Invalid { code: "wrong-text", .. })), "{listed:?}");
    let asked = world.team.take_back(&ada, &id, 1, VersionState::Yanked, "a\0").await;
    assert!(matches!(asked, Err(TeamError::Invalid { code: "wrong-text", .. })), "{asked:?}");
    assert_eq!(world.team.version(&ada, &id, 1).await.unwrap().state, VersionState::Published);
}

async fn a_text_that_is_repeated_to_every_reader_has_a_limit(world: World) {
    let ada = world.user("ada", &[Role::OrgAdmin]).await;
    let (team, long) = (&world.team, "x".repeat(20_000));
    let stored = world.skill(&ada, &Scope::Org, "pdf", "One.").await;
    let (id, proposal) = (stored.skill.id, stored.proposal.unwrap());
    let mine = world.skill(&ada, &own(&ada), "pdf", "One.").await.skill.id;
    let rita = world.user("rita", &[Role::Reviewer]).await;
    let said = DecisionInput {
        digest: stored.version.tree,
        note: long.clone(),
        waiver: String::new(),
        waiver_days: None,
    };
    let comment = CommentInput { path: long.clone(), line: None, body: "Why?".to_owned() };
    let group =
        GroupInput { name: "docs".to_owned(), description: long.clone(), external_ref: String::new() };
    let refusals = [
        team.take_back(&ada, &mine, 1, VersionState::Yanked, &long).await.err(),
        team.decide(&rita, &proposal, false, &said).await.err(),
        team.comment(&rita, &proposal, &comment).await.err(),
        team.create_group(&ada, &group).await.err(),
        team.add_version(&ada, &id, Upload { notes: long.clone(), ..upload("pdf", "Two.") }).await.err(),
        team.propose(&ada, &mine, 1, &Scope::Org, &long).await.err(),
        team.create_skill(&ada, &own(&ada), Upload { title: Some(long.clone()), ..upload("ocr", "One.") })
            .await
            .err(),
    ];
    for (at, refused) in refusals.into_iter().enumerate() {
        let is_limit =
            matches!(&refused, Some(TeamError::Invalid { code: "too-long" | "title-too-long", .. }));
        assert!(is_limit, "{at}: {refused:?}");
    }
}

async fn contents_that_no_version_names_are_swept_after_a_day(world: World) {
    let ada = world.user("ada", &[]).await;
    let stored = world.skill(&ada, &own(&ada), "pdf", "One.").await;
    let gone = world.skill(&ada, &own(&ada), "gone", "Two.").await;
    world.team.delete_skill(&ada, &gone.skill.id).await.unwrap();
    assert_eq!(world.team.sweep().await.unwrap(), 1, "the clock of the test is years ahead of the files");
    assert!(world.team.contents(&ada, &stored.skill.id, 1).await.is_ok());
}

/// The names that a search finds, newest first.
async fn found(world: &World, actor: &skillful_team::Actor, words: &str) -> Vec<String> {
    let filter = SkillFilter { words: words.to_owned(), limit: 20, ..SkillFilter::default() };
    let page = world.team.skills(actor, &filter).await.unwrap();
    page.items.into_iter().map(|skill| skill.name).collect()
}

fn described(name: &str, description: &str) -> Upload {
    let text = format!("---\nname: {name}\ndescription: {description}\n---\n\nText.\n");
    Upload { tree: files(&[("SKILL.md", &text)]), ..Default::default() }
}

async fn a_search_finds_the_words_of_the_version_that_is_served(world: World) {
    let (ada, bob) = (world.user("ada", &[]).await, world.user("bob", &[]).await);
    let team = &world.team;
    let pdf = team
        .create_skill(&ada, &own(&ada), described("pdf-tools", "Fills forms. Use for PDF."))
        .await
        .unwrap();
    team.create_skill(&ada, &own(&ada), described("review", "Prüft Änderungen, 代码审查.")).await.unwrap();
    team.create_skill(&bob, &own(&bob), described("pdf-bob", "Fills forms.")).await.unwrap();
    assert_eq!(found(&world, &ada, "form").await, ["pdf-tools"]);
    assert_eq!(found(&world, &ada, "FORMS pdf").await, ["pdf-tools"]);
    assert_eq!(found(&world, &ada, "änder 审查").await, ["review"]);
    assert_eq!(found(&world, &ada, "").await, ["review", "pdf-tools"]);
    for nothing in ["docx", "pdf review", "%", "_", "'; --"] {
        assert!(found(&world, &ada, nothing).await.is_empty(), "{nothing}");
    }
    let id = pdf.skill.id.as_str();
    team.add_version(&ada, id, described("pdf-tools", "Signs contracts.")).await.unwrap();
    assert!(found(&world, &ada, "forms").await.is_empty());
    assert_eq!(found(&world, &ada, "contract").await, ["pdf-tools"]);
    team.set_default(&ada, id, 1).await.unwrap();
    assert_eq!(found(&world, &ada, "forms").await, ["pdf-tools"]);
    let change = skillful_team::skills::SkillChange { title: Some("Paperwork".to_owned()), state: None };
    team.change_skill(&ada, id, &change).await.unwrap();
    assert_eq!(found(&world, &ada, "paper").await, ["pdf-tools"]);
    team.delete_skill(&ada, id).await.unwrap();
    assert!(found(&world, &ada, "paper").await.is_empty());
}

async fn a_skill_is_described_by_the_version_that_is_served(world: World) {
    let ada = world.user("ada", &[]).await;
    let team = &world.team;
    let id = team.create_skill(&ada, &own(&ada), described("pdf", "Fills forms.")).await.unwrap().skill.id;
    team.add_version(&ada, &id, described("pdf", "Signs contracts.")).await.unwrap();
    team.take_back(&ada, &id, 2, VersionState::Yanked, "wrong").await.unwrap();
    assert_eq!(team.skill(&ada, &id).await.unwrap().description, "Fills forms.");
    assert!(found(&world, &ada, "contracts").await.is_empty());
}

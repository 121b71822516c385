//! Previews and "try", made by the engine.

use crate::world::{World, files, own};
use skillful_team::{drafts::DraftInput, preview::TryInput};
use std::collections::BTreeMap;

crate::on_both!(
    a_preview_is_what_the_agent_shows_and_runs_nothing,
    a_preview_says_what_is_cut_and_what_is_refused,
    a_message_is_tried_among_what_the_user_gets_and_a_draft_takes_the_place_of_its_skill,
);

async fn a_preview_is_what_the_agent_shows_and_runs_nothing(world: World) {
    let ada = world.user("ada", &[]).await;
    let body = "Read ${CLAUDE_SKILL_DIR}/notes.md for $ARGUMENTS.\n\nToday: !`date +%s > /tmp/ran`\n";
    let stored = world.skill(&ada, &own(&ada), "pdf-tools", body).await;
    let shown = world.team.preview(&ada, &stored.skill.id, 1, "claude-code").await.unwrap();
    assert!(shown.loads, "{shown:#?}");
    assert_eq!(shown.name.as_deref(), Some("pdf-tools"));
    assert!(
        shown.menu.contains("pdf-tools") && shown.menu.contains("Does pdf-tools. Use when asked."),
        "{}",
        shown.menu
    );
    let text = shown.text.unwrap();
    assert!(text.contains("~/.claude/skills/pdf-tools/notes.md"), "{text}");
    assert!(text.contains("!`date +%s > /tmp/ran`"), "a command stays as written: {text}");
    assert_eq!(shown.commands, ["date +%s > /tmp/ran"]);
    let agents = world.team.preview_agents();
    assert!(agents.iter().any(|agent| agent.id == "codex" && agent.evidence == "measured"));
    for agent in
        ["codex", "opencode", "gemini-cli", "cursor", "github-copilot", "windsurf", "goose", "skillful"]
    {
        let shown = world.team.preview(&ada, &stored.skill.id, 1, agent).await.unwrap();
        assert!(shown.loads && shown.text.is_some(), "{agent}: {shown:#?}");
    }
    let bob = world.user("bob", &[]).await;
    assert!(world.team.preview(&bob, &stored.skill.id, 1, "codex").await.is_err());
    let unknown = world.team.preview(&ada, &stored.skill.id, 1, "codx").await.unwrap_err();
    assert_eq!(unknown.to_string(), "no agent is named `codx`; did you mean `codex`?");
}

async fn a_preview_says_what_is_cut_and_what_is_refused(world: World) {
    let ada = world.user("ada", &[]).await;
    let long = format!("---\nname: long\ndescription: Use when {}\n---\n\nText.\n", "very ".repeat(400));
    let shown = world.team.preview_files(&ada, files(&[("SKILL.md", &long)]), "claude-code").await.unwrap();
    assert_eq!(shown.cut.len(), 1, "{shown:#?}");
    assert!(shown.cut[0].contains("characters"), "{:?}", shown.cut);
    let without = files(&[("SKILL.md", "---\nname: bare\n---\n\nText.\n")]);
    let refused = world.team.preview_files(&ada, without, "codex").await.unwrap();
    assert!(!refused.loads && refused.text.is_none(), "{refused:#?}");
    let why = refused.refusal.unwrap();
    assert_eq!(why.code, "description");
    assert!(why.fix.is_some(), "{why:?}");
    let user_only = files(&[(
        "SKILL.md",
        "---\nname: deploy\ndescription: Deploys.\ndisable-model-invocation: true\n---\n\nText.\n",
    )]);
    let shown = world.team.preview_files(&ada, user_only, "claude-code").await.unwrap();
    assert!(shown.user_only.is_some() && shown.menu.is_empty(), "{shown:#?}");
}

async fn a_message_is_tried_among_what_the_user_gets_and_a_draft_takes_the_place_of_its_skill(world: World) {
    let (ada, bob) = (world.user("ada", &[]).await, world.user("bob", &[]).await);
    let pdf = world.skill(&ada, &own(&ada), "pdf-tools", "Fill forms in PDF files.").await;
    world.skill(&ada, &own(&ada), "weather", "Tell the weather.").await;
    world.skill(&bob, &own(&bob), "secret-of-bob", "Text.").await;
    let named = TryInput { message: "use $pdf-tools for this".to_owned(), ..Default::default() };
    let tried = world.team.try_message(&ada, &named).await.unwrap();
    assert_eq!(tried.selected.len(), 1, "{tried:#?}");
    assert_eq!(tried.selected[0].skill_id.as_ref(), Some(&pdf.skill.id));
    assert!(!tried.selected[0].reasons.is_empty());
    assert_eq!((tried.compared, tried.left_out), (2, 0));
    assert_eq!(tried.menu, ["weather"], "only what the user gets is compared");
    let text = "---\nname: pdf-tools\ndescription: Turns invoices into tables.\n---\n\nText.\n";
    let draft = world
        .team
        .create_draft(
            &ada,
            &DraftInput {
                skill_id: pdf.skill.id.clone(),
                base: Some(1),
                name: "next".to_owned(),
                files: BTreeMap::from([("SKILL.md".to_owned(), text.to_owned())]),
                revision: None,
            },
        )
        .await
        .unwrap();
    let message = "turn these invoices into tables".to_owned();
    let before = world
        .team
        .try_message(&ada, &TryInput { message: message.clone(), ..Default::default() })
        .await
        .unwrap();
    let with = TryInput { message, draft: Some(draft.id.clone()), agent: Some("codex".to_owned()) };
    let after = world.team.try_message(&ada, &with).await.unwrap();
    let percent = |report: &skillful_team::preview::TryReport| {
        report.likely.iter().find(|one| one.name == "pdf-tools").map_or(0, |one| one.percent)
    };
    assert!(percent(&after) > percent(&before), "{before:#?} {after:#?}");
    assert_eq!(after.compared, 2, "the draft takes the place of its skill");
    assert!(world.team.try_message(&bob, &with).await.is_err(), "a draft is its author's alone");
    let empty = world.team.try_message(&ada, &TryInput::default()).await.unwrap_err();
    assert!(empty.to_string().contains("1 to"), "{empty}");
}

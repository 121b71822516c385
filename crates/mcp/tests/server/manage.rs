use crate::world::World;
use serde_json::{Value, json};

fn proposal(name: &str) -> Value {
    json!({ "operation": "create", "name": name, "description": "Made by a model.", "content": "# Do it\n" })
}

#[tokio::test]
async fn a_proposed_skill_is_written_whole_and_disabled_until_the_user_enables_it() {
    let world = World::new();
    let client = world.client().await;
    let made = client.call("skill_management", proposal("made")).await;
    assert!(made.text().starts_with("The skill `made` is proposed and disabled."), "{}", made.text());
    assert!(made.text().contains("`skillful enable made`"), "{}", made.text());
    let text = std::fs::read_to_string(world.path("data/proposed/made/SKILL.md")).unwrap();
    assert_eq!(text, "---\nname: made\ndescription: Made by a model.\n---\n\n# Do it\n");
    assert!(
        client.call("use_skill", json!({ "name": "made" })).await.refusal().contains("there is no skill")
    );
    assert!(!client.call("list_skills", json!({})).await.text().contains("made"));
    assert!(!client.ask("prompts/list", json!({})).await.to_string().contains("made"));
    let listed = client.call("skill_management", json!({ "operation": "list" })).await;
    assert_eq!(listed.text(), "- made (proposed): Made by a model.\n");
    let shown = client.call("skill_management", json!({ "operation": "get", "name": "made" })).await;
    assert_eq!(shown.text(), "# Do it\n");

    // A user decides; from then on it is theirs.
    world.switch("data/proposed/made", true);
    let refused = client.call("skill_management", json!({ "operation": "delete", "name": "made" })).await;
    assert!(refused.refusal().contains("the user enabled"), "{}", refused.text());
    let fresh = world.client().await;
    assert!(fresh.call("use_skill", json!({ "name": "made" })).await.text().contains("# Do it"));

    // A decision that outlives its skill is about that one and no other.
    std::fs::remove_dir_all(world.path("data/proposed/made")).unwrap();
    let again = world.client().await.call("skill_management", proposal("made")).await;
    assert!(again.refusal().contains("reserved"), "{}", again.text());
}

#[tokio::test]
async fn a_proposal_keeps_to_the_limits() {
    let world = World::new();
    world.skill("taken", "", "Do it.");
    world.skill("hidden", "admin_only: true\n", "Do it.");
    let client = world.client().await;
    let long = "x".repeat(51);
    let names =
        ["MySkill", "my skill", "-bad", "bad-", "a--b", "", "../up", "a/b", "ä", "con", long.as_str()];
    for name in names {
        let refused = client.call("skill_management", proposal(name)).await;
        let words = refused.refusal();
        assert!(
            words.contains("cannot be the name") || words.contains("`name` is missing"),
            "{name}: {words}"
        );
    }
    for name in ["taken", "hidden"] {
        let refused = client.call("skill_management", proposal(name)).await;
        assert_eq!(refused.refusal(), format!("the name `{name}` is taken or reserved; choose another"));
    }
    for (key, value, words) in [
        ("description", "x".repeat(201), "1 to 200 characters"),
        ("description", " ".to_owned(), "`description` is missing"),
        ("content", "x".repeat(50_001), "1 to 50000 characters"),
        ("content", "---\nmcp:\n  command: sh\n---\nDo it.".to_owned(), "without the frontmatter"),
        ("content", "\n\n---\nname: x".to_owned(), "without the frontmatter"),
    ] {
        let mut arguments = proposal("fine");
        arguments[key] = json!(value);
        let refused = client.call("skill_management", arguments).await;
        assert!(refused.refusal().contains(words), "{words}: {}", refused.text());
    }
    assert_eq!(std::fs::read_dir(world.path("data/proposed")).unwrap().count(), 0);
    let mut whole = proposal(&"x".repeat(50));
    whole["description"] = json!("ä".repeat(200));
    whole["content"] = json!("ä".repeat(50_000));
    assert_eq!(client.call("skill_management", whole).await.0["isError"], json!(false));
    assert_eq!(std::fs::read_dir(world.path("data/proposed")).unwrap().count(), 1);
}

#[tokio::test]
async fn only_what_was_proposed_can_be_taken_back() {
    let world = World::new();
    world.skill("mine", "", "Do it.");
    let client = world.client().await;
    client.call("skill_management", proposal("made")).await;
    assert!(client.call("skill_management", proposal("made")).await.refusal().contains("is taken"));
    for name in ["mine", "none", "../skills/mine"] {
        client.call("skill_management", json!({ "operation": "delete", "name": name })).await.refusal();
    }
    assert!(world.path("skills/mine/SKILL.md").is_file());
    let gone = client.call("skill_management", json!({ "operation": "delete_skill", "name": "made" })).await;
    assert_eq!(gone.text(), "The proposed skill `made` is deleted.\n");
    assert_eq!(std::fs::read_dir(world.path("data/proposed")).unwrap().count(), 0);
    assert_eq!(client.call("skill_management", proposal("made")).await.0["isError"], json!(false));
}

#[tokio::test]
async fn there_is_an_end_to_proposals() {
    let world = World::new();
    for number in 0..100 {
        let text = format!("---\nname: p{number}\ndescription: Proposed.\n---\n\nDo it.\n");
        world.file(&format!("data/proposed/p{number}/SKILL.md"), text);
    }
    let client = world.client().await;
    let refused = client.call("skill_management", proposal("more")).await;
    assert!(refused.refusal().contains("are pending review"), "{}", refused.text());
}

use crate::world::{World, bytes, names};
use serde_json::{Value, json};
use skillful_format::digest_bytes;

#[tokio::test]
async fn an_entry_is_what_can_be_read_digest_size_and_frontmatter() {
    let world = World::new();
    world
        .skill(
            "demo",
            "license: MIT\nmetadata:\n  version: \"1.10\"\n  number: 7\n",
            "Read `references/api.md`.",
        )
        .file("skills/demo/references/api.md", "# API\n")
        .file("skills/demo/nested/inner/SKILL.md", "---\nname: inner\ndescription: Inside.\n---\n")
        .file("skills/demo/logo.png", b"\x89PNG\xff")
        .file("skills/demo/.git/config", "x")
        .file("skills/demo/vars.json", "{}");
    let client = world.client().await;
    let got = client.ask("skills/get", json!({ "uri": "skill://demo/SKILL.md" })).await;
    assert_eq!((&got["resultType"], &got["cacheScope"]), (&json!("complete"), &json!("private")));
    assert!(got["ttlMs"].is_u64());
    let skill = &got["skill"];
    assert_eq!(
        skill["frontmatter"],
        json!({ "name": "demo", "description": "About demo.", "license": "MIT", "metadata": { "version": "1.10", "number": 7 } })
    );
    let root = "skill://demo/";
    let files = ["SKILL.md", "logo.png", "nested/inner/SKILL.md", "references/api.md"];
    assert_eq!(names(&skill["resources"], "uri"), files.map(|file| format!("{root}{file}")));
    for resource in skill["resources"].as_array().unwrap() {
        let uri = resource["uri"].as_str().unwrap();
        let on_disk = bytes(&world.path(&format!("skills/demo/{}", &uri[root.len()..])));
        assert_eq!(resource["digest"], json!(digest_bytes(&on_disk).to_string()));
        assert_eq!(resource["size"], json!(on_disk.len()));
        let read = client.ask("resources/read", json!({ "uri": uri })).await;
        match read["contents"][0]["text"].as_str() {
            Some(text) => assert_eq!(text.as_bytes(), on_disk),
            None => assert_eq!(read["contents"][0]["blob"], json!("iVBOR/8=")),
        }
    }
    let list = client.ask("skills/list", json!({})).await;
    let entry = list["skills"].as_array().unwrap().iter().find(|entry| entry["uri"] == skill["uri"]);
    assert_eq!(entry, Some(skill));
}

#[tokio::test]
async fn what_a_client_could_not_verify_is_in_no_list_and_still_of_use() {
    let world = World::new();
    // A colon that YAML does not allow: repaired by us, unreadable for others.
    world
        .file("skills/mended/SKILL.md", "---\nname: mended\ndescription: Use when: always.\n---\n\nDo it.\n");
    world.skill("sound", "", "Do it.");
    let client = world.client().await;
    assert_eq!(
        names(&client.ask("skills/list", json!({})).await["skills"], "uri"),
        ["skill://sound/SKILL.md"]
    );
    assert!(client.try_ask("skills/get", json!({ "uri": "skill://mended/SKILL.md" })).await.is_err());
    assert!(client.call("use_skill", json!({ "name": "mended" })).await.text().contains("Do it."));
}

#[tokio::test]
async fn a_skill_of_more_files_than_an_agent_must_take_is_dynamic() {
    let world = World::new();
    world.skill("large", "", "Do it.");
    for number in 0..511 {
        world.file(&format!("skills/large/data/{number:03}.txt"), "x");
    }
    let client = world.client().await;
    let uri = json!({ "uri": "skill://large/SKILL.md" });
    let resources = client.ask("skills/get", uri.clone()).await["skill"]["resources"].clone();
    assert_eq!(resources.as_array().map(Vec::len), Some(512));
    world.file("skills/large/data/more.txt", "x");
    assert_eq!(client.ask("skills/get", uri).await["skill"]["resources"], json!("dynamic"));
}

#[tokio::test]
async fn lists_come_by_page_and_no_skill_twice() {
    let world = World::new();
    for number in 0..120 {
        world.skill(&format!("s{number:03}"), "", "Do it.");
    }
    let client = world.client().await;
    for (method, key, least) in
        [("skills/list", "skills", 3), ("resources/list", "resources", 2), ("prompts/list", "prompts", 2)]
    {
        let (mut seen, mut cursor, mut pages) = (Vec::new(), Value::Null, 0);
        loop {
            let params = if cursor.is_null() { json!({}) } else { json!({ "cursor": cursor }) };
            let page = client.ask(method, params).await;
            let id = if key == "prompts" { "name" } else { "uri" };
            seen.extend(names(&page[key], id));
            cursor = page["nextCursor"].clone();
            pages += 1;
            if cursor.is_null() {
                break;
            }
        }
        let mut once = seen.clone();
        once.dedup();
        assert_eq!((once.len(), seen.len(), pages), (120, 120, least), "{method}");
        assert_eq!(client.try_ask(method, json!({ "cursor": "17" })).await.unwrap_err().code.0, -32602);
    }
}

#[tokio::test]
async fn a_folder_names_its_children_and_a_file_has_none() {
    let world = World::new();
    world
        .skill("demo", "", "Do it.")
        .file("skills/demo/references/deep/x.md", "x")
        .file("skills/demo/references/a b.md", "a");
    let client = world.client().await;
    let children = client.ask("resources/directory/read", json!({ "uri": "skill://demo" })).await;
    let told: Vec<(&str, &str)> = children["resources"]
        .as_array()
        .unwrap()
        .iter()
        .map(|child| (child["uri"].as_str().unwrap(), child["mimeType"].as_str().unwrap()))
        .collect();
    assert_eq!(
        told,
        [("skill://demo/SKILL.md", "text/markdown"), ("skill://demo/references", "inode/directory")]
    );
    let below = client.ask("resources/directory/read", json!({ "uri": "skill://demo/references" })).await;
    let uris = ["skill://demo/references/a%20b.md", "skill://demo/references/deep"];
    assert_eq!(names(&below["resources"], "uri"), uris);
    let read = client.ask("resources/read", json!({ "uri": uris[0] })).await;
    assert_eq!(read["contents"][0]["text"], "a");
    for uri in ["skill://demo/SKILL.md", "skill://demo/none", "skill://none", "skill://demo/", "file:///etc"]
    {
        let error = client.try_ask("resources/directory/read", json!({ "uri": uri })).await.unwrap_err();
        assert_eq!(error.code.0, -32602, "{uri}");
        let error = client
            .try_ask("skills/get", json!({ "uri": uri.replace("/SKILL.md", "/x.md") }))
            .await
            .unwrap_err();
        assert_eq!(error.code.0, -32602, "{uri}");
    }
    for params in [json!({}), json!({ "uri": 3 })] {
        assert_eq!(client.try_ask("skills/get", params).await.unwrap_err().code.0, -32602);
    }
}

#[tokio::test]
async fn a_qualified_skill_has_an_address_of_its_own() {
    let world = World::new();
    let header = "---\nname: deploy\ndescription: Of the plugin.\n---\n\nDo it.\n";
    world.file("plugins/acme/.claude-plugin/plugin.json", "{\"name\": \"acme\"}");
    world.file("plugins/acme/skills/deploy/SKILL.md", header);
    world.skill("acme", "", "Do it.").file("skills/acme/deploy/SKILL.md", "another");
    let client = world.client().await;
    let got = client.ask("skills/get", json!({ "uri": "skill://~acme/deploy/SKILL.md" })).await;
    assert_eq!(got["skill"]["frontmatter"]["description"], "Of the plugin.");
    let text = |answer: Value| answer["contents"][0]["text"].as_str().unwrap().to_owned();
    assert_eq!(
        text(client.ask("resources/read", json!({ "uri": "skill://~acme/deploy/SKILL.md" })).await),
        header
    );
    assert_eq!(
        text(client.ask("resources/read", json!({ "uri": "skill://acme/deploy/SKILL.md" })).await),
        "another"
    );
    // Other words that would find a skill are not addresses.
    for uri in ["skill://~custom/acme/SKILL.md", "skill://acme:deploy/SKILL.md", "skill://%7Eacme"] {
        assert!(client.try_ask("resources/read", json!({ "uri": uri })).await.is_err(), "{uri}");
    }
}

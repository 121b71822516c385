use crate::{
    on_both,
    world::{World, files, own},
};
use serde_json::json;
use skillful_team::{
    Role, Scope, TeamError, TokenScope, credentials::TokenInput, runtime_settings::SettingSection,
    upload::Upload,
};

on_both!(
    g6_settings_keep_their_keys_and_give_no_secret_out,
    g6_variables_come_from_five_sources_in_order_and_secrets_are_masked,
);

async fn g6_settings_keep_their_keys_and_give_no_secret_out(world: World) {
    use secrecy::ExposeSecret as _;
    let (ada, bob) = (world.user("ada", &[]).await, world.user("bob", &[]).await);
    let auditor = world.user("auditor", &[Role::Auditor]).await;
    let team = &world.team;
    let all = team.runtime_settings(&ada).await.unwrap();
    assert_eq!(all["skills"]["progressiveLoading"], true);
    assert_eq!(
        (&all["mcp"]["defaultStartupTimeout"], &all["tools"]["shellEnvironmentVariables"]),
        (&json!(30), &json!([]))
    );
    let tools = json!({ "shellEnabled": false, "shellEnvironmentVariables": [
        { "name": " QA_TOKEN ", "value": "secret-value" }, { "name": "REGION", "value": "eu" } ] });
    team.set_setting(&ada, SettingSection::Tools, tools).await.unwrap();
    let shown = team.setting(&ada, SettingSection::Tools).await.unwrap();
    assert_eq!((&shown["shellEnabled"], &shown["filesystemEnabled"]), (&json!(false), &json!(true)));
    let list = json!([{ "name": "QA_TOKEN", "value": "***" }, { "name": "REGION", "value": "eu" }]);
    assert_eq!(shown["shellEnvironmentVariables"], list, "a name is trimmed, a secret is masked");
    // What is sent back masked stays as it was; a mask without a secret is an error.
    team.set_setting(&ada, SettingSection::Tools, shown).await.unwrap();
    let masked = json!({ "shellEnvironmentVariables": [{ "name": "NEW_TOKEN", "value": "***" }] });
    assert!(matches!(
        team.set_setting(&ada, SettingSection::Tools, masked).await,
        Err(TeamError::Invalid { code: "wrong-setting", .. })
    ));
    assert!(matches!(
        team.add_shell_variable(&ada, &json!({ "name": "REGION", "value": "us" })).await,
        Err(TeamError::Conflict { code: "variable-exists", .. })
    ));
    team.add_shell_variable(&ada, &json!({ "name": "PORT", "value": "80" })).await.unwrap();
    team.change_shell_variable(&ada, "PORT", &json!({ "name": "PORT", "value": "81" })).await.unwrap();
    assert_eq!(team.shell_variables(&ada).await.unwrap()[2]["value"], "81");
    team.remove_shell_variable(&ada, "PORT").await.unwrap();
    assert_eq!(team.remove_shell_variable(&ada, "PORT").await.unwrap_err(), TeamError::NotFound);
    for (section, wrong) in [
        (SettingSection::Skills, json!({ "unknown": true })),
        (SettingSection::Skills, json!({ "enabled": "yes" })),
        (SettingSection::Skills, json!([])),
        (SettingSection::Mcp, json!({ "catalog": [{ "env": { "A": 1 } }] })),
        (SettingSection::Tools, json!({ "shellEnvironmentVariables": [{ "name": "A=B", "value": "x" }] })),
        (SettingSection::Tools, json!({ "shellEnvironmentVariables": [{ "name": "A" }, { "name": "A" }] })),
        (SettingSection::Variables, json!({ "_global": 1 })),
    ] {
        let refused = team.set_setting(&ada, section, wrong.clone()).await;
        assert!(matches!(refused, Err(TeamError::Invalid { .. })), "{wrong}: {refused:?}");
    }
    let servers = json!({ "catalog": [{ "name": "gh", "command": "gh-mcp", "env": { "GH_TOKEN": "t0p", "HOST": "h" } }] });
    team.set_setting(&ada, SettingSection::Mcp, servers).await.unwrap();
    assert_eq!(
        team.setting(&ada, SettingSection::Mcp).await.unwrap()["catalog"][0]["env"],
        json!({ "GH_TOKEN": "***", "HOST": "h" })
    );
    assert_eq!(team.runtime_settings(&bob).await.unwrap(), all, "settings are of one user");
    let log = format!("{:?}", team.audit_log(&auditor, None, "", "settings.set").await.unwrap());
    assert!(log.contains("settings.set") && !log.contains("secret-value") && !log.contains("t0p"), "{log}");
    // A token that may only read changes nothing.
    let input = TokenInput {
        name: "reader".to_owned(),
        scopes: [TokenScope::SkillsRead].into(),
        days: 1,
        bound: String::new(),
    };
    let (_, secret) = team.create_token(&ada, &input).await.unwrap();
    let reader = team.by_token(secret.expose_secret()).await.unwrap();
    let refused = team.set_setting(&reader, SettingSection::Skills, json!({})).await;
    assert!(matches!(refused, Err(TeamError::Forbidden(_))), "{refused:?}");
}

async fn g6_variables_come_from_five_sources_in_order_and_secrets_are_masked(world: World) {
    let ada = world.user("ada", &[]).await;
    let admin = world.user("admin", &[Role::OrgAdmin]).await;
    let team = &world.team;
    let text = "---\nname: report\ndescription: Reports. Use when asked.\nvars:\n  A: {default: d}\n  B: {default: d}\n  \
                C: {default: d}\n  D: {default: d}\n  E: {default: d}\n  KEY: {secret: true, required: true}\n  \
                NONE: {required: true}\n---\n\n{{A}}\n";
    let tree = files(&[("SKILL.md", text), ("vars.json", "{\"A\": \"beside\"}")]);
    let upload = || Upload { tree: tree.clone(), ..Default::default() };
    let skill = team.create_skill(&ada, &own(&ada), upload()).await.unwrap().skill;
    let shared = json!({ "report": { "A": "section", "B": "section" }, "_global": { "A": "global", "B": "global", "C": "global" } });
    team.set_setting(&ada, SettingSection::Variables, shared).await.unwrap();
    for name in ["A", "B", "C", "D"] {
        team.add_shell_variable(&ada, &json!({ "name": name, "value": "environment" })).await.unwrap();
    }
    team.add_shell_variable(&ada, &json!({ "name": "KEY", "value": "s3cr3t" })).await.unwrap();
    // Names that move folders elsewhere are values like others.
    for name in ["HOME", "SKILLFUL_HOME", "CODEX_HOME", "XDG_CONFIG_HOME"] {
        team.add_shell_variable(&ada, &json!({ "name": name, "value": "/etc" })).await.unwrap();
    }
    let found = team.resolved_variables(&ada, &skill, &tree).await.unwrap();
    let values: Vec<(&str, &str)> =
        found.values.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    assert_eq!(
        values,
        [
            ("A", "beside"),
            ("B", "section"),
            ("C", "global"),
            ("D", "environment"),
            ("E", "d"),
            ("KEY", "***")
        ]
    );
    assert_eq!(found.missing, ["NONE"]);
    // Values beside a skill of others are those of its author.
    let foreign = team.create_skill(&admin, &Scope::Org, upload()).await.unwrap().skill;
    let found = team.resolved_variables(&ada, &foreign, &tree).await.unwrap();
    assert_eq!(found.values["A"], "section");
}

//! Secrets that the server is given: no answer of any route, page, export or log shows one again.

use crate::running::Running;
use serde_json::{Value, json};
use skillful_archive::write_zip;
use skillful_format::{Limits, Tree, TreeFile, TreePath};
use skillful_team::{
    Role,
    backup::{ROWS, backup},
};

/// Values that are searched for in everything that comes out.
const SECRETS: [&str; 4] =
    ["s3cr3t-of-the-environment", "s3cr3t-of-a-server", "s3cr3t-of-variables", "s3cr3t-sent-wrongly"];

fn skill_with_a_variable() -> Vec<u8> {
    let text = "---\nname: report\ndescription: Reports. Use when asked.\nvars:\n  API_TOKEN: {secret: true, required: true}\n  \
                PLAIN: {secret: true}\n---\n\nUse {{API_TOKEN}} and {{PLAIN}}.\n";
    let mut tree = Tree::default();
    let file = TreeFile { bytes: text.as_bytes().to_vec(), executable: false };
    tree.insert(TreePath::new("SKILL.md", &Limits::default()).unwrap(), file, &Limits::default()).unwrap();
    write_zip(&tree, "report").unwrap()
}

#[test]
fn a_secret_is_masked_in_every_answer_page_export_and_log() {
    let server = Running::start_open();
    let admin = server.user("admin", &[Role::OrgAdmin, Role::SiteAdmin, Role::Auditor]);
    let cookie = server.browser("admin");
    let bearer = format!("Bearer {admin}");
    let head = [("authorization", bearer.as_str()), ("content-type", "application/zip")];
    let made = server.ask("POST", "/skills/import", &head, &skill_with_a_variable()).json();
    let id = made["id"].as_str().unwrap().to_owned();
    let put = |path: &str, body: Value| {
        let answer = server.call(&admin, "PUT", path, &body);
        assert_eq!(answer.status, 200, "{path}: {}", String::from_utf8_lossy(&answer.body));
        answer
    };
    // What is given: variables, a server's environment, a webhook, tokens.
    let mut said = vec![
        put(
            "/api/settings/runtime/tools",
            json!({ "shellEnvironmentVariables": [{ "name": "API_TOKEN", "value": SECRETS[0] }, { "name": "PLAIN", "value": "open" }] }),
        ),
        put(
            "/api/settings/runtime/mcp",
            json!({ "catalog": [{ "name": "x", "command": "x", "env": { "X_TOKEN": SECRETS[1] } }] }),
        ),
        put("/api/settings/runtime/variables", json!({ "_global": { "OTHER_SECRET": SECRETS[2] } })),
        // Errors name what is wrong, and not with its value.
        server.call(
            &admin,
            "POST",
            "/api/settings/runtime/tools/shell/env",
            &json!({ "name": "API_TOKEN", "value": SECRETS[3] }),
        ),
        server.call(
            &admin,
            "POST",
            "/api/settings/runtime/tools/shell/env",
            &json!({ "name": "A B", "value": SECRETS[3] }),
        ),
        server.call(&admin, "PUT", "/api/settings/runtime/tools", &json!({ "shellEnabled": SECRETS[3] })),
        server.call(SECRETS[3], "GET", "/api/v1/me", &Value::Null),
    ];
    assert_eq!(
        said.iter().map(|answer| answer.status).collect::<Vec<_>>(),
        [200, 200, 200, 409, 400, 400, 401]
    );
    let hook = server.call(
        &admin,
        "POST",
        "/api/v1/admin/webhooks",
        &json!({ "address": "http://127.0.0.1:9/x", "kinds": [] }),
    );
    assert_eq!(hook.status, 201, "{}", String::from_utf8_lossy(&hook.body));
    let hook_secret = hook.json()["secret"].as_str().unwrap().to_owned();
    let token = server
        .call(
            &admin,
            "POST",
            "/api/v1/me/tokens",
            &json!({ "name": "x", "scopes": ["skills:read"], "days": 1 }),
        )
        .json()["secret"]
        .as_str()
        .unwrap()
        .to_owned();
    // Every route of the description that reads, every route of other systems, every page.
    let described: Value = serde_json::from_str(&skillful_server::openapi_text()).unwrap();
    let mut places: Vec<String> = described["paths"]
        .as_object()
        .unwrap()
        .iter()
        .filter(|(path, methods)| methods.get("get").is_some() && !path.ends_with("/events"))
        .map(|(path, _)| path.replace("{id}", &id).replace("{number}", "1").replace("{path}", "SKILL.md"))
        .collect();
    for place in &mut places {
        let query = match place.as_str() {
            path if path.ends_with("/preview") => "?agent=codex",
            path if path.ends_with("/diff") => "?from=1",
            _ => "",
        };
        place.push_str(query);
    }
    places.extend(
        [
            "/api/settings/runtime",
            "/api/settings/runtime/tools",
            "/api/settings/runtime/mcp",
            "/api/settings/runtime/variables",
            "/api/settings/runtime/tools/shell/env",
            "/api/skills",
            "/api/skills/report",
            "/skills",
            "/skill",
            "/skill/resource?uri=skill://report/SKILL.md",
            "/metrics",
            "/healthz",
            "/readyz",
            "/openapi.json",
        ]
        .map(str::to_owned),
    );
    places.push(format!("/skills/{id}"));
    places.push(format!("/skills/{id}/export"));
    for place in &places {
        said.push(server.call(&admin, "GET", place, &Value::Null));
    }
    let pages = ["/ui", "/ui/skills", "/ui/market", "/ui/account", "/ui/usage", "/ui/audit", "/ui/admin"];
    let mut read = 0;
    for page in
        pages.map(str::to_owned).into_iter().chain([format!("/ui/skills/{id}"), format!("/ui/skill/{id}")])
    {
        let answer = server.ask("GET", &page, &[("cookie", &cookie), ("accept", "text/html")], &[]);
        read += usize::from(answer.status == 200);
        said.push(answer);
    }
    assert!(read >= 3 && places.len() > 50, "{read} pages, {} routes", places.len());
    let detail = server.call(&admin, "GET", "/api/skills/report", &Value::Null).json();
    assert_eq!(detail["resolvedVariables"], json!({ "API_TOKEN": "***", "PLAIN": "***" }));
    assert_eq!(detail["missingVariables"], json!([]));
    let all = SECRETS.iter().copied().chain([hook_secret.as_str(), token.as_str(), admin.as_str()]);
    let secrets: Vec<&str> = all.chain(cookie.split('=').next_back()).collect();
    for answer in &said {
        let text = format!("{:?}{}", answer.head, String::from_utf8_lossy(&answer.body));
        for secret in &secrets {
            assert!(!text.contains(secret), "{secret} is in {text}");
        }
    }
    // The file of a backup brings a team back, and is for its owner alone. Tokens and sessions are digests in it too.
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("backup");
    server.runtime.block_on(backup(server.team.db(), server.team.objects(), &place)).unwrap();
    let rows = std::fs::read_to_string(place.join(ROWS)).unwrap();
    for secret in [token.as_str(), admin.as_str(), cookie.split('=').next_back().unwrap()] {
        assert!(!rows.contains(secret), "{secret} is in the backup");
    }
    let mode = std::os::unix::fs::MetadataExt::mode(&std::fs::metadata(place.join(ROWS)).unwrap());
    assert_eq!(mode & 0o077, 0, "others can read the backup: {mode:o}");
}

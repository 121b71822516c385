//! Signing in at a real identity provider.

use crate::running::Running;
use serde_json::{Value, json};
use skillful_server::OidcConfig;
use skillful_testkit::{has_tool, skip};
use std::{
    io::{BufRead as _, BufReader, Write as _},
    path::{Path, PathBuf},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
};

struct IdentityProvider {
    issuer: String,
    process: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Drop for IdentityProvider {
    fn drop(&mut self) {
        let _gone = self.process.kill();
        let _gone = self.process.wait();
    }
}

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

impl IdentityProvider {
    fn start(port: u16) -> Option<Self> {
        if !has_tool("node") {
            return None;
        }
        let folder = std::env::var_os("SKILLFUL_OAUTH_PEERS")
            .map_or_else(|| repository().join("target/peers/oauth"), PathBuf::from);
        if !folder.join("node_modules/oidc-provider").is_dir() {
            skip("oidc-provider is not installed: python3 tests/peers/sign_in/install.py");
            return None;
        }
        let mut process = Command::new("node")
            .arg(repository().join("tests/peers/sign_in/team.mjs"))
            .arg(format!("http://127.0.0.1:{port}/sign-in/callback"))
            .env("SKILLFUL_OAUTH_PEERS", folder.canonicalize().unwrap())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let input = process.stdin.take().unwrap();
        let mut output = BufReader::new(process.stdout.take().unwrap());
        let mut issuer = String::new();
        output.read_line(&mut issuer).unwrap();
        Some(Self { issuer: issuer.trim().to_owned(), process, input, output })
    }

    /// What a user sees at the end, and the cookies of the server.
    fn sign_in(&mut self, address: &str, login: &str) -> Value {
        writeln!(self.input, "sign-in {address} {login}").unwrap();
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap()
    }
}

#[test]
fn a_user_signs_in_at_an_identity_provider_with_their_groups_and_roles() {
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let Some(mut provider) = IdentityProvider::start(port) else { return };
    let config = OidcConfig {
        issuer: provider.issuer.clone(),
        client_id: "skillful".to_owned(),
        client_secret: Some("a-secret-of-the-test".to_owned().into()),
        ..Default::default()
    };
    let server = Running::start_at(port, Some(config));
    let admin = server.user("admin", &[skillful_team::Role::OrgAdmin]);
    let group = json!({ "name": "devs", "external_ref": "/eng/devs" });
    assert_eq!(server.call(&admin, "POST", "/api/v1/groups", &group).status, 201);
    let home = format!("http://127.0.0.1:{port}/sign-in");
    for (login, roles, groups) in [("ada", json!([]), 1), ("rita", json!(["reviewer"]), 0)] {
        let ended = provider.sign_in(&home, login);
        assert_eq!(ended["status"], 200, "{ended}");
        let session = ended["cookies"]["skillful_session"].as_str().unwrap_or_default();
        let cookie = format!("skillful_session={session}");
        let me = server.ask("GET", "/api/v1/me", &[("cookie", &cookie)], &[]);
        assert_eq!(me.status, 200, "{ended}");
        let me = me.json();
        assert_eq!((&me["sub"], &me["roles"]), (&json!(login), &roles), "{me}");
        assert_eq!(me["email"], format!("{login}@example.org"));
        let found = server.ask("GET", "/api/v1/groups", &[("cookie", &cookie)], &[]).json();
        assert_eq!(found["data"].as_array().unwrap().len(), groups, "{found}");
    }
    let again = provider.sign_in(&home, "ada");
    let cookie = format!("skillful_session={}", again["cookies"]["skillful_session"].as_str().unwrap());
    let users = server.call(&admin, "GET", "/api/v1/admin/users", &Value::Null).json();
    assert_eq!(users["data"].as_array().unwrap().len(), 3, "one account for each user");
    // An answer that this browser did not ask for, one without its cookie, and one that was used.
    for path in
        ["/sign-in/callback?code=x&state=y", "/sign-in/callback?state=", "/sign-in/callback?error=denied"]
    {
        assert_eq!(server.ask("GET", path, &[("cookie", &cookie)], &[]).status, 401, "{path}");
    }
    let forged = [("cookie", "skillful_sign_in=y")];
    assert_eq!(server.ask("GET", "/sign-in/callback?code=x&state=y", &forged, &[]).status, 401);
}

#[test]
fn without_an_identity_provider_there_is_no_sign_in() {
    let server = Running::start();
    assert_eq!(server.ask("GET", "/sign-in", &[], &[]).status, 404);
}

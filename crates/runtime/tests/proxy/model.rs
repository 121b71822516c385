//! The environment of the model's own shell.

use crate::world::{World, from_store};
use serde_json::json;
use skillful_credentials::proxy::model_environment;
use std::collections::BTreeMap;

#[test]
fn a_model_gets_what_everybody_has_what_its_skills_show_it_and_the_socket() {
    let mut world = World::new()
        .skill(
            "it",
            &format!(
                "env:\n{}  - {{var: CITY, from: config, config_path: city}}\n  - {{var: HIDDEN, from: config, config_path: hidden, proxy_only: true}}\n  - {{var: COPY, from: config, config_path: copy}}",
                from_store("TOKEN")
            ),
        )
        .secret("store", "TOKEN", "tok-0123456789-abcdef")
        .policy(|policy| {
            policy.selected.insert("it".to_owned());
        });
    world.config = json!({ "city": "Basel", "hidden": "for programs", "copy": "x tok-0123456789-abcdef" });
    let process: BTreeMap<String, String> = [
        "PATH",
        "HOME",
        "USER",
        "LOGNAME",
        "LANG",
        "LC_ALL",
        "LC_CTYPE",
        "TZ",
        "TERM",
        "AWS_SECRET",
        "TOKEN",
        "HIDDEN",
        "LD_PRELOAD",
        "SKILLFUL_SECRETS_KEY_FILE",
        "PASSED",
    ]
    .map(|name| (name.to_owned(), format!("value of {name}")))
    .into();
    let process =
        process.into_iter().chain([("LC_TIME".to_owned(), "tok-0123456789-abcdef".to_owned())]).collect();
    let pass = ["PASSED", "TOKEN", "HIDDEN", "SKILLFUL_SECRETS_KEY_FILE"].map(str::to_owned);
    let handler = world.handler();
    let got = model_environment(&process, &pass, &handler, std::path::Path::new("/run/p.sock"));
    let names: Vec<&str> = got.variables.keys().map(String::as_str).collect();
    assert_eq!(
        names,
        [
            "CITY",
            "HOME",
            "LANG",
            "LC_ALL",
            "LC_CTYPE",
            "LOGNAME",
            "PASSED",
            "PATH",
            "SKILLFUL_PROXY_SOCKET",
            "TZ",
            "USER"
        ]
    );
    assert_eq!(got.variables["SKILLFUL_PROXY_SOCKET"], "/run/p.sock");
    assert_eq!(got.left_out, ["COPY", "HIDDEN", "LC_TIME", "SKILLFUL_SECRETS_KEY_FILE", "TOKEN"]);
}

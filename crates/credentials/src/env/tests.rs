//! The contracts of declared environments.

use super::*;

/// The digest of the files of a skill.
const FILES: Digest = Digest::from_bytes([7; 32]);
use proptest::prelude::*;
use secrecy::{ExposeSecret, SecretString};
use serde_json::{Value as Json, json};

/// Sources of fixed values.
#[derive(Default)]
struct Fixed {
    config: Json,
    secrets: Vec<(&'static str, &'static str, &'static str)>,
    hooks: Vec<(&'static str, &'static str, &'static str)>,
    operator: Vec<(&'static str, &'static str)>,
    gates: Vec<&'static str>,
}

impl VariableSources for Fixed {
    fn config(&self) -> &Json {
        &self.config
    }

    fn secret(
        &self,
        skill: SkillFiles<'_>,
        service: &str,
        key: &str,
    ) -> Result<Option<SecretString>, Unavailable> {
        if skill.digest.is_none() {
            return Err(Unavailable::unanswered("its files are not known", "allow it"));
        }
        if service == "broken" {
            return Err(Unavailable::new("the store cannot be opened", "unlock it"));
        }
        Ok(self
            .secrets
            .iter()
            .find(|have| (have.0, have.1) == (service, key))
            .map(|have| SecretString::from(have.2)))
    }

    fn variable(&self, _: SkillFiles<'_>, _: &str) -> Result<(), Unavailable> {
        Ok(())
    }

    fn user_id(&self) -> Option<&str> {
        Some("ada")
    }

    fn hook(&self, skill: &str, var: &str) -> Option<SecretString> {
        self.hooks.iter().find(|have| (have.0, have.1) == (skill, var)).map(|have| SecretString::from(have.2))
    }

    fn template_file(&self, template: &str, path: Option<&str>) -> Result<Option<String>, Unavailable> {
        Ok(Some(format!("/{}/{template}", path.unwrap_or("nowhere"))))
    }

    fn holds(&self, gate: &str) -> bool {
        self.gates.contains(&gate)
    }

    fn operator_variable(&self, name: &str) -> Option<SecretString> {
        self.operator.iter().find(|have| have.0 == name).map(|have| SecretString::from(have.1))
    }
}

/// The declarations of a header.
fn specs(yaml: &str) -> Vec<EnvSpec> {
    let text = format!("---\nname: x\nenv:\n{yaml}\n---\n");
    let document = skillful_format::Document::read(text.as_bytes(), &skillful_format::Sidecars::default());
    assert!(!document.manifest.env.is_empty(), "{yaml}: {:?}", document.diagnostics);
    document.manifest.env.clone()
}

fn chosen<'a>(skill: &'a str, specs: &'a [EnvSpec]) -> DeclaredEnv<'a> {
    DeclaredEnv { skill, files: Some(FILES), specs, selected: true }
}

fn listed<'a>(skill: &'a str, specs: &'a [EnvSpec]) -> DeclaredEnv<'a> {
    DeclaredEnv { skill, files: Some(FILES), specs, selected: false }
}

/// The three buckets of one selected skill as text, and what was reported.
fn check(sources: &Fixed, yaml: &str, expected: &str) -> Vec<String> {
    let specs = specs(yaml);
    let resolved = resolve(&[chosen("one", &specs)], &BTreeMap::new(), sources);
    assert_eq!(buckets(&resolved), expected, "{yaml}");
    resolved.diagnostics.into_iter().map(|reported| reported.message).collect()
}

fn buckets(resolved: &ResolvedEnv) -> String {
    let plain = |bucket: &BTreeMap<String, String>| {
        bucket.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(" ")
    };
    let secret = |(name, scoped): (&String, &ScopedSecret)| {
        let skills: Vec<&str> = scoped.skills.iter().map(String::as_str).collect();
        format!("{name}={} for {}", scoped.value.expose_secret(), skills.join("+"))
    };
    let secrets: Vec<String> = resolved.secret.iter().map(secret).collect();
    format!("{} | {} | {}", plain(&resolved.model), plain(&resolved.runtime), secrets.join(" "))
}

#[test]
fn every_source_gives_its_value() {
    let sources = Fixed {
        config: json!({"mail": {"agent": "h"}}),
        secrets: vec![("mail", "password", "p")],
        hooks: vec![("one", "D", "d")],
        ..Fixed::default()
    };
    let reported = check(
        &sources,
        "- {var: A, from: config, config_path: mail.agent}
- {var: B, from: secret, service: mail, key: password, sensitive: true}
- {var: C, from: user_id}
- {var: D, from: setup_env}
- {var: E, from: template_file, template: t.toml, user_path_fn: home}",
        "A=h C=ada D=d E=/home/t.toml |  | B=p for one",
    );
    assert_eq!(reported, [""; 0]);
}

#[test]
fn an_unknown_source_is_reported_and_costs_only_itself() {
    let reported = check(
        &Fixed::default(),
        "- {var: A, from: vault}\n- {var: B}\n- {var: C, from: user_id}",
        "C=ada |  | ",
    );
    assert_eq!(
        reported,
        ["`A` of `one` is not set: there is no source `vault`", "`B` of `one` is not set: it has no source"]
    );
}

#[test]
fn zero_and_the_empty_text_are_values_and_nothing_is_none() {
    let sources =
        Fixed { config: json!({"z": 0, "e": "", "n": null, "b": false, "l": [1]}), ..Fixed::default() };
    let yaml = ["z", "e", "n", "b", "l", "gone", "z.deeper"]
        .map(|path| format!("- {{var: V_{}, from: config, config_path: {path}}}\n", path.replace('.', "_")))
        .concat();
    let reported = check(&sources, &yaml, "V_b=false V_e= V_z=0 |  | ");
    assert_eq!(reported, ["`V_l` of `one` is not set: `l` is not a single value"]);
}

#[test]
fn one_false_path_of_when_skips_the_variable() {
    let sources = Fixed {
        config: json!({"on": true, "off": false, "zero": 0, "empty": "", "none": [], "text": "x"}),
        operator: vec![("LENT", "l")],
        ..Fixed::default()
    };
    let spec = |when: &str| format!("- {{var: A, from: user_id, fallback_var: LENT, when: {when}}}");
    for when in ["on", "[on, text]", "[]"] {
        check(&sources, &spec(when), "A=ada |  | ");
    }
    for when in ["[on, off]", "zero", "empty", "none", "gone", "[on, gone.deeper]"] {
        check(&sources, &spec(when), " |  | ");
    }
}

#[test]
fn a_gate_that_the_agent_does_not_know_is_closed() {
    let yaml = "- {var: A, from: user_id, gate_has_calendars: true}";
    check(&Fixed::default(), yaml, " |  | ");
    check(&Fixed { gates: vec!["has_calendars"], ..Fixed::default() }, yaml, "A=ada |  | ");
}

#[test]
fn a_sensitive_value_never_reaches_the_model() {
    let sources = Fixed { secrets: vec![("s", "k", "v")], ..Fixed::default() };
    check(&sources, "- {var: A, from: user_id, sensitive: true}", " |  | A=ada for one");
    check(&sources, "- {var: A, from: user_id, proxy_only: true}", " | A=ada | ");
    check(&sources, "- {var: A, from: user_id, proxy_only: true, sensitive: true}", " |  | A=ada for one");
    // A secret is one even where its author forgot to say so.
    check(&sources, "- {var: A, from: secret, service: s, key: k}", " |  | A=v for one");
}

#[test]
fn a_skill_that_hides_a_variable_hides_it_for_all() {
    let (open, closed) =
        (specs("- {var: A, from: user_id}"), specs("- {var: A, from: user_id, sensitive: true}"));
    let resolved =
        resolve(&[chosen("open", &open), chosen("closed", &closed)], &BTreeMap::new(), &Fixed::default());
    assert_eq!(buckets(&resolved), " |  | A=ada for closed+open");
    assert_eq!(
        resolved.diagnostics[0].message,
        "`A` of `open` is kept from the model, because `closed` calls it secret"
    );
}

#[test]
fn of_two_skills_the_last_wins_and_the_first_does_not_get_the_others_secret() {
    let sources = Fixed { secrets: vec![("a", "k", "1"), ("b", "k", "2")], ..Fixed::default() };
    let spec = |service: &str| specs(&format!("- {{var: TOKEN, from: secret, service: {service}, key: k}}"));
    let (a, b, none) = (spec("a"), spec("b"), spec("c"));
    let skills = [chosen("a", &a), chosen("b", &b), chosen("c", &none)];
    let resolved = resolve(&skills, &BTreeMap::new(), &sources);
    assert_eq!(buckets(&resolved), " |  | TOKEN=2 for b");
    assert_eq!(resolved.diagnostics[0].message, "`TOKEN` of `a` is replaced by that of `b`");
    let missing = "`TOKEN` of `c` is not set: the vault has no secret c k";
    assert_eq!(resolved.diagnostics[1].message, missing, "what has no value replaces nothing");
    assert_eq!(resolved.diagnostics.len(), 2);
    assert_eq!(resolved.secrets_of("a").count(), 0);
    let names: Vec<&str> = resolved.secrets_of("b").map(|(name, _)| name).collect();
    assert_eq!(names, ["TOKEN"]);
}

#[test]
fn the_same_value_twice_is_not_a_conflict() {
    let sources = Fixed { secrets: vec![("a", "k", "1")], ..Fixed::default() };
    let specs = specs("- {var: TOKEN, from: secret, service: a, key: k}");
    let resolved = resolve(&[chosen("a", &specs), chosen("b", &specs)], &BTreeMap::new(), &sources);
    assert_eq!(buckets(&resolved), " |  | TOKEN=1 for a+b");
    assert_eq!(resolved.diagnostics, []);
}

#[test]
fn what_the_runtime_sets_is_never_overwritten() {
    let specs = specs("- {var: SKILL_DIR, from: user_id}");
    let set = BTreeMap::from([("SKILL_DIR".to_owned(), "/skill".to_owned())]);
    let resolved = resolve(&[chosen("one", &specs)], &set, &Fixed::default());
    assert_eq!(buckets(&resolved), " |  | ");
    assert_eq!(
        resolved.diagnostics[0].message,
        "`SKILL_DIR` of `one` is not set: the runtime sets it already"
    );
}

#[test]
fn a_name_that_decides_what_code_runs_is_refused() {
    for name in
        ["PATH", "LD_PRELOAD", "DYLD_INSERT_LIBRARIES", "BASH_ENV", "ENV", "'A=B'", "'1A'", "'A B'", "é"]
    {
        let reported = check(&Fixed::default(), &format!("- {{var: {name}, from: user_id}}"), " |  | ");
        assert_eq!(reported.len(), 1, "{name}");
    }
}

#[test]
fn an_empty_hook_value_authorises_no_skill() {
    let specs = specs("- {var: TOKEN, from: setup_env, sensitive: true}\n- {var: URL, from: setup_env}");
    let with = |hooks: Vec<(&'static str, &'static str, &'static str)>| Fixed { hooks, ..Fixed::default() };
    assert!(!authorised(listed("one", &specs), &with(vec![("one", "TOKEN", "")])));
    assert!(!authorised(listed("one", &specs), &with(vec![("one", "URL", "u")])), "not a credential");
    assert!(!authorised(listed("one", &specs), &with(vec![("two", "TOKEN", "t")])), "of another skill");
    assert!(authorised(listed("one", &specs), &with(vec![("one", "TOKEN", "t")])));
}

#[test]
fn what_the_operator_lends_is_a_value_and_authorises_no_skill() {
    let yaml = "- {var: TOKEN, from: secret, service: s, key: k, fallback_var: SHARED}";
    let sources = Fixed { operator: vec![("SHARED", "lent")], ..Fixed::default() };
    check(&sources, yaml, " |  | TOKEN=lent for one");
    let specs = specs(yaml);
    assert!(!authorised(listed("one", &specs), &sources));
    let resolved = resolve(&[listed("one", &specs)], &BTreeMap::new(), &sources);
    assert_eq!((buckets(&resolved).as_str(), resolved.authorised.len()), (" |  | ", 0));
}

#[test]
fn one_of_two_tokens_authorises_a_skill_even_when_it_is_only_a_text() {
    let specs = specs(
        "- {var: GITHUB, from: secret, service: github, key: token}
- {var: GITLAB, from: secret, service: gitlab, key: token}
- {var: HOST, from: config, config_path: agent}",
    );
    let config = json!({"agent": "h"});
    let none = Fixed { config: config.clone(), ..Fixed::default() };
    let one = Fixed { config, secrets: vec![("gitlab", "token", "t")], ..Fixed::default() };
    assert!(!authorised(listed("one", &specs), &none) && authorised(listed("one", &specs), &one));
    // Nothing in the question is about programs: a skill without one counts.
    let resolved = resolve(&[listed("one", &specs)], &BTreeMap::new(), &one);
    assert_eq!(buckets(&resolved), "HOST=h |  | GITLAB=t for one");
    assert_eq!(buckets(&resolve(&[listed("one", &specs)], &BTreeMap::new(), &none)), " |  | ");
}

#[test]
fn the_identity_of_the_user_is_for_every_skill() {
    let specs = specs(
        "- {var: USER_ID, from: user_id}\n- {var: PLAIN, from: setup_env}\n- {var: F, from: template_file, template: t}",
    );
    let sources = Fixed { hooks: vec![("one", "PLAIN", "p")], ..Fixed::default() };
    let resolved = resolve(&[listed("one", &specs)], &BTreeMap::new(), &sources);
    assert_eq!(buckets(&resolved), "PLAIN=p USER_ID=ada |  | ");
    assert!(resolved.authorised.is_empty());
}

#[test]
fn a_store_that_fails_costs_one_variable_and_names_no_value() {
    let sources = Fixed { secrets: vec![("s", "k", "v")], operator: vec![("LENT", "l")], ..Fixed::default() };
    let reported = check(
        &sources,
        "- {var: A, from: secret, service: broken, key: k}
- {var: B, from: secret, service: s, key: k}
- {var: C, from: secret, service: broken, key: k, fallback_var: LENT}
- {var: D, from: secret, service: s}",
        " |  | B=v for one C=l for one",
    );
    assert_eq!(
        reported,
        ["`A` of `one` is not set: the store cannot be opened", "`D` of `one` is not set: it has no `key`"]
    );
}

#[test]
fn a_value_that_no_program_could_get_is_reported() {
    let long = "x".repeat(VALUE_LIMIT + 1);
    let sources = Fixed { config: json!({"long": long, "nul": "a\u{0}b"}), ..Fixed::default() };
    let yaml = "- {var: A, from: config, config_path: long}\n- {var: B, from: config, config_path: nul}";
    assert_eq!(check(&sources, yaml, " |  | ").len(), 2);
    let many: String =
        (0..12).map(|at| format!("- {{var: V{at}, from: config, config_path: long}}\n")).collect();
    let sources = Fixed { config: json!({"long": "x".repeat(VALUE_LIMIT)}), ..Fixed::default() };
    let specs = specs(&many);
    let resolved = resolve(&[chosen("one", &specs)], &BTreeMap::new(), &sources);
    assert_eq!((resolved.model.len(), resolved.diagnostics.len()), (8, 4));
}

#[test]
fn a_secret_cannot_be_printed() {
    let sources = Fixed { secrets: vec![("s", "k", "open-sesame")], ..Fixed::default() };
    let specs = specs("- {var: A, from: secret, service: s, key: k}");
    let resolved = resolve(&[chosen("one", &specs)], &BTreeMap::new(), &sources);
    assert!(!format!("{resolved:?} {resolved:#?}").contains("sesame"));
    assert_eq!(resolved.secret["A"].value.expose_secret(), "open-sesame");
}

proptest! {
    #[test]
    fn any_declaration_is_resolved_and_no_secret_is_shown(
        declared in prop::collection::vec(
            ("[A-C]", "(config|secret|user_id|setup_env|template_file|x)?", any::<[bool; 3]>(), "[a-c.]{0,4}"), 0..8),
    ) {
        let sources = Fixed {
            config: json!({"a": 0, "b": {"c": "v"}}),
            secrets: vec![("b", "a", "hidden")],
            hooks: vec![("even", "A", "hook")],
            operator: vec![("a", "lent")],
            ..Fixed::default()
        };
        let specs: Vec<EnvSpec> = declared
            .into_iter()
            .map(|(var, from, [sensitive, proxy_only, when], path)| EnvSpec {
                var,
                from: (!from.is_empty()).then_some(from),
                config_path: Some(path.clone()),
                when: if when { vec![path.clone()] } else { Vec::new() },
                service: Some("b".to_owned()),
                key: Some(path.clone()),
                fallback_var: Some(path),
                template: None,
                user_path_fn: None,
                gates: Vec::new(),
                sensitive,
                proxy_only,
                rest: Vec::new(),
            })
            .collect();
        let (first, second) = specs.split_at(specs.len() / 2);
        let resolved = resolve(&[listed("even", first), chosen("odd", second)], &BTreeMap::new(), &sources);
        let shown = resolved.model.values().chain(resolved.runtime.values());
        prop_assert!(shown.into_iter().all(|value| value != "hidden"));
        for (name, scoped) in &resolved.secret {
            prop_assert!(!resolved.model.contains_key(name) && !resolved.runtime.contains_key(name));
            prop_assert!(!scoped.skills.is_empty());
        }
        let again = resolve(&[listed("even", first), chosen("odd", second)], &BTreeMap::new(), &sources);
        prop_assert_eq!(buckets(&resolved), buckets(&again));
        prop_assert_eq!(resolved.authorised, again.authorised);
        prop_assert_eq!(resolved.diagnostics, again.diagnostics);
    }
}

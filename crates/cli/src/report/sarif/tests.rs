use super::*;
use crate::report::json::{Layout, to_text};
use insta::assert_snapshot;
use skillful_format::source::span_in;
use std::sync::LazyLock;

const TEXT: &str = "---\nname: größer 🦀 x\ndescription: |\n  eins\n  zwei\n---\n";

const READ: fn(&Path) -> Option<String> = |_| Some(TEXT.to_owned());

fn at(path: &str, words: &str) -> Diagnostic {
    let start = TEXT.find(words).unwrap();
    Diagnostic::new(Code::NameCharacters, "odd").in_path(path).at(span_in(TEXT, start..start + words.len()))
}

static VALIDATOR: LazyLock<jsonschema::Validator> = LazyLock::new(|| {
    let mut schema: Value =
        serde_json::from_str(include_str!("../../../tests/schemas/sarif-2.1.0.json")).unwrap();
    // The published pattern of a language has a bracket too many, which not every regex engine
    // takes. We write no language.
    for part in ["run", "toolComponent"] {
        schema["definitions"][part]["properties"].as_object_mut().unwrap().remove("language").unwrap();
    }
    jsonschema::options().should_validate_formats(true).build(&schema).unwrap()
});

fn valid(log: &Value) {
    let errors: Vec<String> =
        VALIDATOR.iter_errors(log).map(|error| format!("{}: {error}", error.instance_path())).collect();
    assert_eq!(errors, Vec::<String>::new(), "{log:#}");
}

#[test]
fn the_schema_refuses_what_is_no_log() {
    for wrong in [json!({ "runs": [] }), json!({ "version": "2.1.0", "runs": [{}] })] {
        assert!(!VALIDATOR.is_valid(&wrong), "{wrong}");
    }
    let mut raw = log(&[at("/work/SKILL.md", "x")], Path::new("/work"), "0", READ);
    raw.0["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] =
        "a b".into();
    assert!(!VALIDATOR.is_valid(&raw.0));
}

#[test]
fn a_log_names_rules_results_and_places() {
    let log = log(
        &[
            at("/work/my skills/a#1/SKILL.md", "größer 🦀").help("use `a-z`"),
            Diagnostic::new(Code::YamlSyntax, "bad").in_path("/elsewhere/SKILL.md"),
            Diagnostic::new(Code::NameCharacters, "again").with_severity(Severity::Error),
        ],
        Path::new("/work"),
        "0.1.0",
        READ,
    );
    valid(&log.0);
    assert_snapshot!(to_text(&log, Layout::Indented).unwrap(), @r#"
    {
      "$schema": "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
      "version": "2.1.0",
      "runs": [
        {
          "tool": {
            "driver": {
              "name": "skillful",
              "version": "0.1.0",
              "rules": [
                {
                  "id": "yaml-syntax",
                  "shortDescription": {
                    "text": "The frontmatter is not valid YAML, and its meaning is not clear enough to repair."
                  },
                  "defaultConfiguration": {
                    "level": "error"
                  },
                  "help": {
                    "text": "The frontmatter is not valid YAML, and its meaning is not clear enough to repair. This is usually an error; a profile may say otherwise."
                  }
                },
                {
                  "id": "name-characters",
                  "shortDescription": {
                    "text": "The name contains characters other than lower-case letters, digits and hyphens."
                  },
                  "defaultConfiguration": {
                    "level": "warning"
                  },
                  "help": {
                    "text": "The name contains characters other than lower-case letters, digits and hyphens. This is usually a warning; a profile may say otherwise."
                  }
                }
              ]
            }
          },
          "columnKind": "unicodeCodePoints",
          "newlineSequences": [
            "\r\n",
            "\n",
            "\r"
          ],
          "originalUriBaseIds": {
            "SRCROOT": {
              "uri": "file:///work/"
            }
          },
          "results": [
            {
              "ruleId": "name-characters",
              "ruleIndex": 1,
              "level": "warning",
              "message": {
                "text": "odd\nhelp: use `a-z`"
              },
              "locations": [
                {
                  "physicalLocation": {
                    "artifactLocation": {
                      "uri": "my%20skills/a%231/SKILL.md",
                      "uriBaseId": "SRCROOT"
                    },
                    "region": {
                      "startLine": 2,
                      "startColumn": 7,
                      "endLine": 2,
                      "endColumn": 15
                    }
                  }
                }
              ]
            },
            {
              "ruleId": "yaml-syntax",
              "ruleIndex": 0,
              "level": "error",
              "message": {
                "text": "bad"
              },
              "locations": [
                {
                  "physicalLocation": {
                    "artifactLocation": {
                      "uri": "file:///elsewhere/SKILL.md"
                    }
                  }
                }
              ]
            },
            {
              "ruleId": "name-characters",
              "ruleIndex": 1,
              "level": "error",
              "message": {
                "text": "again"
              }
            }
          ]
        }
      ]
    }
    "#);
}

#[test]
fn every_log_is_valid_against_the_published_schema() {
    let odd = Diagnostic::new(Code::NameCharacters, "esc \u{1b}[2J nul \0 bidi \u{202e} \u{ffff} {0} [a](b)");
    let cases: Vec<Vec<Diagnostic>> = vec![
        vec![],
        vec![at("/work/SKILL.md", "eins\n  zwei")],
        vec![at("/work/a b/#/100%/日本/größe?.md", "x")],
        vec![
            at("/work", "x"),
            at("/", "x"),
            at("relative/SKILL.md", "x"),
            at("../up/SKILL.md", "x"),
            at("", "x"),
        ],
        vec![at("/work/a:b/\u{1b}[1m\n.md", "x"), at("/work/../out", "x")],
        vec![odd.clone(), odd.help("\u{9b}help")],
        Code::ALL.iter().map(|code| Diagnostic::new(*code, "x")).collect(),
    ];
    for findings in cases {
        for base in ["/work", "/", "", "relative base"] {
            valid(&log(&findings, Path::new(base), "0.1.0", READ).0);
            valid(&log(&findings, Path::new(base), "0.1.0", |_| None).0);
        }
    }
}

#[test]
fn columns_count_characters_and_ends_are_exclusive() {
    let region = |finding: Diagnostic, text: Option<&str>| {
        let log = log(&[finding], Path::new("/work"), "0", |_| text.map(str::to_owned)).0;
        log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["region"].clone()
    };
    let crab = at("/work/SKILL.md", "🦀");
    assert_eq!(
        region(crab.clone(), Some(TEXT)),
        json!({ "startLine": 2, "startColumn": 14, "endLine": 2, "endColumn": 15 })
    );
    assert_eq!(region(crab, None), json!({ "startLine": 2, "startColumn": 14 }));
    assert_eq!(
        region(at("/work/SKILL.md", "|\n  eins\n  zw"), Some(TEXT)),
        json!({ "startLine": 3, "startColumn": 14, "endLine": 5, "endColumn": 5 })
    );
}

#[test]
fn a_rule_index_points_at_the_rule() {
    let findings: Vec<Diagnostic> = Code::ALL.iter().rev().map(|code| Diagnostic::new(*code, "x")).collect();
    let log = log(&findings, Path::new("/work"), "0", |_| None).0;
    let run = &log["runs"][0];
    for result in run["results"].as_array().unwrap() {
        let index = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
        assert_eq!(run["tool"]["driver"]["rules"][index]["id"], result["ruleId"]);
    }
}

#[test]
fn a_message_plants_no_link_and_no_placeholder() {
    let finding = Diagnostic::new(Code::NameCharacters, "the name `[free](https://evil.example) {0}` is odd");
    let log = log(&[finding], Path::new("/work"), "0", |_| None).0;
    assert_eq!(
        log["runs"][0]["results"][0]["message"]["text"],
        "the name `[free] (https://evil.example) {{0}}` is odd"
    );
}

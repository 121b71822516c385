use super::is_other;
use skillful_profiles::Typing::{Core, JsYaml3, JsYaml4};

#[test]
fn js_yaml_reads_more_values_as_not_text() {
    // The peer tests compare this with js-yaml 3 in OpenCode and js-yaml 4 in gemini-cli.
    for (plain, old, new) in [
        ("2026-01-31", true, true),
        ("2026-1-3", false, false),
        ("2026-01-31T10:00:00Z", true, true),
        ("2026-1-3 1:02:03", true, true),
        ("2026-01-31 10:00:00.5 +01:00", true, true),
        ("2026-01-31 10:00", false, false),
        ("42", true, true),
        ("-5", true, true),
        ("1_000", true, true),
        ("1_", false, false),
        ("0b11", true, true),
        ("0o17", false, true),
        ("0x1F", true, true),
        ("0xG", false, false),
        ("010", true, true),
        ("08", false, true),
        ("1:30", true, false),
        ("20:59.5", true, false),
        ("1:99", false, false),
        ("1.5", true, true),
        ("1.", true, true),
        (".5", true, true),
        ("1e3", true, true),
        ("12e", false, false),
        (".inf", true, true),
        (".nan", true, true),
        ("1,000", false, false),
        ("yes", false, false),
        ("1.2.3", false, false),
        ("v1", false, false),
        ("", false, false),
    ] {
        assert_eq!((is_other(plain, JsYaml3), is_other(plain, JsYaml4)), (old, new), "{plain:?}");
        assert!(!is_other(plain, Core));
    }
}

use super::*;

#[test]
fn hyphens_and_underscores_are_the_same() {
    for (key, name) in [
        ("allowed_tools", "allowed-tools"),
        ("when-to-use", "when_to_use"),
        ("globs", "paths"),
        ("alwaysApply", "always_include"),
        ("keywords", "triggers"),
        ("context-fork", "context"),
        ("admin-only", "admin_only"),
    ] {
        assert_eq!(field(key).map(|field| field.name), Some(name), "{key}");
    }
    for key in ["", "Name", "NAME", "names", "alwaysapply", "x"] {
        assert_eq!(field(key), None, "{key}");
    }
}

#[test]
fn a_gate_is_known_in_any_case() {
    for (key, name) in [
        ("adminOnly", "admin_only"),
        ("ADMIN_ONLY", "admin_only"),
        ("Admin-Only", "admin_only"),
        ("disableModelInvocation", "disable-model-invocation"),
        ("userInvocable", "user-invocable"),
        ("Requires", "requires"),
    ] {
        assert_eq!(field(key).map(|field| field.name), Some(name), "{key}");
    }
}

#[test]
fn no_spelling_means_two_fields() {
    for one in FIELDS {
        for spelling in one.spellings.iter().chain([&one.name]) {
            let meant: Vec<&str> = FIELDS.iter().filter(|f| f.is_spelled(spelling)).map(|f| f.name).collect();
            assert_eq!(meant, [one.name], "{spelling}");
        }
    }
}

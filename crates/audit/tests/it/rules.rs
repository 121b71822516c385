use skillful_audit::{Rule, audit, case::tree, rule::markdown};

#[test]
fn every_rule_finds_its_example_at_its_full_severity() {
    let mut wrong = Vec::new();
    for rule in Rule::ALL {
        let report = audit(&tree(rule.hit()));
        let found = report
            .findings
            .iter()
            .filter(|finding| finding.rule == *rule)
            .map(|finding| finding.severity)
            .max();
        if found != Some(rule.severity()) {
            wrong.push(format!("{}: {found:?} of {:?}", rule.id(), report.findings));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn no_rule_finds_its_near_miss() {
    let mut wrong = Vec::new();
    for rule in Rule::ALL {
        let report = audit(&tree(rule.near_miss()));
        let found: Vec<_> = report.findings.iter().filter(|finding| finding.rule == *rule).collect();
        let blocked =
            report.findings.iter().any(|finding| finding.severity == skillful_audit::Severity::Block);
        // A text that shows an attack may be reported; it is never blocked.
        if found.iter().any(|finding| finding.severity == rule.severity()) || blocked {
            wrong.push(format!("{}: {:?}", rule.id(), report.findings));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn ids_are_plain_and_unique() {
    let mut ids: Vec<&str> = Rule::ALL.iter().map(|rule| rule.id()).collect();
    assert!(ids.iter().all(|id| id.bytes().all(|b| b.is_ascii_lowercase() || b == b'-')));
    ids.sort_unstable();
    let count = ids.len();
    ids.dedup();
    assert_eq!(ids.len(), count);
}

#[test]
fn the_page_in_docs_equals_the_table_of_rules() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/audit.md");
    let page = std::fs::read_to_string(path).unwrap_or_default();
    assert!(page == markdown(), "docs/audit.md is out of date; run `cargo xtask docs`");
}

use super::*;
use skillful_format::Code;

#[test]
fn the_summary_counts_in_words_that_agree() {
    let cases = [
        ((3, 2, 0), 2, 14, "3 errors, 2 warnings in 2 of 14 skills"),
        ((1, 0, 0), 1, 1, "1 error in 1 of 1 skill"),
        ((0, 1, 1), 1, 2, "1 warning, 1 note in 1 of 2 skills"),
        ((0, 0, 7), 3, 3, "7 notes in 3 of 3 skills"),
        ((0, 2, 0), 0, 14, "2 warnings; 14 skills checked"),
        ((0, 0, 0), 0, 14, "14 skills checked, nothing to report"),
        ((0, 0, 0), 0, 1, "1 skill checked, nothing to report"),
        ((0, 0, 0), 0, 0, "0 skills checked, nothing to report"),
    ];
    for ((errors, warnings, notes), found_in, checked, expected) in cases {
        assert_eq!(summary(Tally { errors, warnings, notes }, found_in, checked), expected);
    }
}

#[test]
fn a_tally_counts_the_severity_here_and_not_the_usual_one() {
    let findings = [
        Diagnostic::new(Code::YamlSyntax, "x"),
        Diagnostic::new(Code::YamlSyntax, "x").with_severity(Severity::Note),
        Diagnostic::new(Code::NameReserved, "x"),
    ];
    assert_eq!(Tally::of(&findings), Tally { errors: 1, warnings: 1, notes: 1 });
}

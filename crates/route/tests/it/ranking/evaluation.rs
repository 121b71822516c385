use skillful_route::ranking::{
    evalset::{Case, read},
    metrics::{CaseResult, report},
};
use std::time::Duration;

#[test]
fn json_lines_are_read_and_bad_lines_are_named() {
    let text = "{\"id\":\"a\",\"query\":\"q\",\"relevant\":[\"s\"],\"accept\":[\"t\"],\"source\":\"x\"}\n\nnonsense\n{\"query\":\"\",\"relevant\":[]}\n[1]\n";
    let (cases, faults) = read(text, "");
    assert_eq!(cases.len(), 1);
    assert!(cases[0].accepts("s") && cases[0].accepts("t") && !cases[0].accepts("u"));
    let at: Vec<usize> = faults.iter().map(|fault| fault.at).collect();
    assert_eq!(at, [3, 4, 5]);
}

#[test]
fn trigger_sets_are_read() {
    let text = r#"[{"query":"yes","should_trigger":true},{"query":"no","should_trigger":false},{"query":"?","should_trigger":1}]"#;
    let (cases, faults) = read(text, "mine");
    assert_eq!(cases[0].relevant, ["mine"]);
    assert_eq!(cases[1].refused, ["mine"]);
    assert_eq!(faults[0].at, 3);
}

#[test]
fn evals_are_read_in_both_spellings() {
    for key in ["assertions", "expectations"] {
        let text = format!(
            r#"{{"skill_name":"pdf","evals":[{{"id":7,"prompt":"do it","{key}":["is done",{{"text":"well"}}]}}]}}"#
        );
        let (cases, faults) = read(&text, "other");
        assert!(faults.is_empty(), "{faults:?}");
        assert_eq!((cases[0].id.as_str(), cases[0].relevant[0].as_str()), ("7", "pdf"));
        assert_eq!(cases[0].expectations, ["is done", "well"]);
    }
    let (_, faults) = read(r#"{"evals":3}"#, "x");
    assert!(faults[0].message.contains("not a list"));
}

fn case(source: &str, relevant: &[&str], refused: &[&str]) -> Case {
    let owned = |ids: &[&str]| ids.iter().map(|id| (*id).to_owned()).collect();
    Case { source: source.to_owned(), relevant: owned(relevant), refused: owned(refused), ..Case::default() }
}

fn answer(ranked: &[&str], let_through: bool) -> CaseResult {
    let ranked = ranked.iter().map(|id| (*id).to_owned()).collect();
    CaseResult { ranked, let_through, took: Duration::from_millis(2) }
}

#[test]
fn figures_are_means_over_sources() {
    let cases = [
        case("x", &["a"], &[]),
        case("x", &["a"], &[]),
        case("y", &["b", "c"], &[]),
        case("chat", &[], &[]),
        case("near", &[], &["a"]),
    ];
    let answers = [
        answer(&["a"], true),
        answer(&["z", "a"], false),
        answer(&["b", "c"], true),
        answer(&["a"], true),
        answer(&["z", "a"], true),
    ];
    let report = report(&cases, &answers);
    assert_eq!(report.sources["x"].cases, 2);
    let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-9, "{a} {b}");
    close(report.sources["x"].hit_1, 0.5);
    close(report.sources["x"].mrr_10, 0.75);
    close(report.sources["x"].kept, 0.5);
    close(report.sources["y"].ndcg_10, 1.0);
    close(report.mean.hit_1, 0.75);
    close(report.mean.hit_5, 1.0);
    assert_eq!(report.no_skill["chat"], (1, 1.0));
    assert_eq!(report.refused, (1, 0.0, 1.0));
    assert_eq!(report.confused, [("a".to_owned(), "z".to_owned(), 1)]);
    assert_eq!(report.time, (Duration::from_millis(2), Duration::from_millis(2)));
}

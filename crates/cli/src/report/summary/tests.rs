use super::*;

#[test]
fn the_summary_counts_in_words_that_agree() {
    let cases = [
        ((3, 2, 0), 2, 14, 3, "14 skills checked in 3 folders: 3 errors, 2 warnings in 2 skills"),
        ((1, 0, 0), 1, 1, 1, "1 skill checked in f0: 1 error in 1 skill"),
        ((0, 1, 1), 1, 2, 2, "2 skills checked in 2 folders: 1 warning, 1 note in 1 skill"),
        ((0, 0, 0), 0, 14, 3, "14 skills checked in 3 folders, no problems."),
        ((0, 0, 0), 0, 1, 1, "1 skill checked in f0, no problems."),
        ((0, 0, 0), 0, 0, 0, "0 skills checked in 0 folders, no problems."),
    ];
    for ((errors, warnings, notes), found_in, skills, folders, expected) in cases {
        let folders = (0..folders).map(|at| std::path::PathBuf::from(format!("f{at}")).into()).collect();
        let view = CheckSummary { skills, folders, accepted: 0, found_in, errors, warnings, notes };
        assert_eq!(summary(&view, |folder| folder.display().to_string()), expected);
    }
}

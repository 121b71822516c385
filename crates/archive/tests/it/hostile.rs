//! Every hostile archive must be refused as a whole, for the right reason and quickly.

use crate::{hostile_gzip, hostile_names, hostile_tar, hostile_zip, hostile_zip_structure, read};
use skillful_format::{Code, Severity};
use skillful_testkit::{Attempts, cpu_time};
use std::{collections::BTreeSet, time::Duration};

/// An archive, and why it must be refused.
pub(crate) struct Case {
    pub(crate) name: String,
    pub(crate) bytes: Vec<u8>,
    pub(crate) expected: Code,
}

pub(crate) fn case(name: impl Into<String>, bytes: Vec<u8>, expected: Code) -> Case {
    Case { name: name.into(), bytes, expected }
}

/// Generous, because tests run unoptimised; a bomb that goes off takes minutes.
const TIME: Duration = Duration::from_secs(2);

#[test]
fn hostile_archives_are_refused() {
    let cases: Vec<Case> = [
        hostile_names::cases(),
        hostile_zip::cases(),
        hostile_zip_structure::cases(),
        hostile_tar::cases(),
        hostile_gzip::cases(),
    ]
    .into_iter()
    .flatten()
    .collect();
    let names: BTreeSet<&str> = cases.iter().map(|case| case.name.as_str()).collect();
    assert_eq!(names.len(), cases.len(), "two cases have the same name");
    assert!(cases.len() >= 600, "only {} hostile archives", cases.len());

    let mut wrong = Vec::new();
    for Case { name, bytes, expected } in &cases {
        let (took, outcome) = cpu_time(|| read(bytes));
        match outcome {
            Ok(package) => wrong.push(format!(
                "{name}: admitted {:?}",
                package.tree.iter().map(|(path, _)| path.as_str()).collect::<Vec<_>>()
            )),
            Err(refused) => {
                let found = &refused.diagnostics[0];
                if found.code != *expected || found.severity != Severity::Error {
                    wrong.push(format!(
                        "{name}: expected {expected}, found {}: {}",
                        found.code, found.message
                    ));
                }
                if found.message.chars().any(char::is_control) {
                    wrong.push(format!("{name}: a control character in {:?}", found.message));
                }
            }
        }
        if took > TIME {
            wrong.push(format!("{name}: took {took:?}"));
        }
    }
    assert!(wrong.is_empty(), "{} of {} cases:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
    Attempts::of("hostile_archives_are_refused").refused(cases.len()).report();
}

//! Hidden paths: what a job cannot read though it lies in a folder that it can read or write.

use skillful_sandbox::{Job, Report, Require, Tier, probe, run};
use skillful_testkit::skip;
use std::{fs, path::Path};

const SECRET: &str = "never-shown";

fn tiers(report: &Report) -> Vec<Tier> {
    let (usable, missing): (Vec<_>, Vec<_>) = report.tiers().iter().partition(|status| status.usable);
    for status in missing {
        skip(&format!("{} is not usable: {}", status.tier, status.reason));
    }
    usable.into_iter().map(|status| status.tier).collect()
}

fn project(root: &Path) {
    for (path, text) in [
        ("a", "shown\n"),
        (".env", SECRET),
        ("deep/er/.env", SECRET),
        ("deep/er/b", "shown\n"),
        ("keys/id", SECRET),
        ("keys/given/c", "shown\n"),
        ("other/d", "shown\n"),
    ] {
        let file = root.join(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }
}

#[test]
fn a_hidden_path_is_not_read_and_its_neighbours_are() {
    let report = probe();
    for tier in tiers(&report) {
        for writable in [false, true] {
            let folder = tempfile::tempdir().unwrap();
            let root = folder.path().canonicalize().unwrap();
            project(&root);
            let line = "cat a deep/er/b keys/given/c other/d; cat .env deep/er/.env keys/id; ls keys; \
                        cp .env x; cat x; ln .env y; cat y; mv deep new; cat new/er/.env; cat deep/er/.env; \
                        mv keys k2; cat k2/id; find . -type f -exec cat {} +";
            let mut job = Job::new("/bin/sh", &root);
            job.arguments = ["-c", line].map(Into::into).to_vec();
            job.environment.insert("PATH".into(), "/usr/bin:/bin".into());
            if writable { &mut job.writable } else { &mut job.read_only }.push(root.clone());
            job.read_only.push(root.join("keys/given"));
            job.hidden =
                ["./.env", "deep/er/../er/.env", "keys", "missing"].map(|path| root.join(path)).to_vec();
            let outcome = match run(&job, Require::Exactly(tier), &report) {
                // Landlock cannot keep `given` read-only there.
                Err(_) if writable && tier == Tier::Landlock => continue,
                outcome => outcome.unwrap(),
            };
            let text = outcome.stdout.text().into_owned();
            assert!(!text.contains(SECRET), "{tier} {writable}: {text}");
            assert!(
                text.starts_with("shown\nshown\nshown\nshown\n"),
                "{tier} {writable}: {text} {}",
                outcome.stderr.text()
            );
            assert_eq!(
                fs::read_to_string(root.join(".env")).unwrap(),
                SECRET,
                "{tier}: nothing was changed outside"
            );
        }
    }
}

#[test]
fn a_path_that_is_given_by_itself_is_not_hidden() {
    let report = probe();
    for tier in tiers(&report) {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        project(&root);
        let mut job = Job::new("/bin/cat", &root);
        job.arguments = vec![root.join("keys/id").into()];
        job.read_only = vec![root.clone(), root.join("keys")];
        job.hidden = vec![root.join("keys")];
        let outcome = run(&job, Require::Exactly(tier), &report).unwrap();
        assert_eq!(outcome.stdout.text(), SECRET, "{tier}: {}", outcome.stderr.text());
    }
}

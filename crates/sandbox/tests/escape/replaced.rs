//! Replaced folders: a job sees the files of another folder in the place of one, whatever lies there.

use skillful_sandbox::{Job, Replacement, Require, Tier, probe, run};
use skillful_testkit::{skip, write_program};
use std::fs;

#[test]
fn a_replaced_folder_shows_the_files_of_the_other_one_and_nothing_else() {
    let report = probe();
    if !report.tiers().iter().any(|status| status.usable && status.tier == Tier::Bubblewrap) {
        skip("bubblewrap is not usable");
        return;
    }
    // The folder as it was, one with other files, a link to elsewhere, and none at all.
    for state in ["other", "link", "gone"] {
        let place = tempfile::tempdir().unwrap();
        let root = place.path().canonicalize().unwrap();
        let (project, copy) = (root.join("project"), root.join("copy"));
        let folder = project.join("skills/a");
        for (path, text) in [
            (project.join("file"), "of the project\n"),
            (copy.join("scripts/run"), "#!/bin/sh\necho approved\n"),
            (root.join("evil/scripts/run"), "#!/bin/sh\necho planted\n"),
        ] {
            write_program(&path, text);
        }
        fs::create_dir_all(project.join("skills")).unwrap();
        match state {
            "other" => {
                fs::create_dir_all(folder.join("hidden")).unwrap();
                fs::write(folder.join("extra"), "planted\n").unwrap();
            }
            "link" => std::os::unix::fs::symlink(root.join("evil"), &folder).unwrap(),
            _ => {}
        }
        let line =
            "cat file; skills/a/scripts/run; cat skills/a/extra; echo x > skills/a/new; cd skills/a && ls";
        let mut job = Job::new("/bin/sh", &project);
        job.arguments = ["-c", line].map(Into::into).to_vec();
        job.environment.insert("PATH".into(), "/usr/bin:/bin".into());
        job.read_only = vec![project.clone()];
        job.replaced = vec![Replacement { path: folder.clone(), by: copy.clone() }];
        job.hidden = vec![folder.join("hidden")];
        let mut direct = job.clone();
        direct.program = folder.join("scripts/run").into();
        direct.arguments.clear();
        direct.folder = folder;
        for (job, honest) in [(job, "of the project\napproved\nscripts\n"), (direct, "approved\n")] {
            match run(&job, Require::Exactly(Tier::Bubblewrap), &report) {
                Ok(outcome) if state == "other" => {
                    assert_eq!(outcome.stdout.text(), honest, "{}", outcome.stderr.text());
                }
                Ok(outcome) => assert!(!outcome.stdout.text().contains("planted"), "{state}"),
                // The folder was taken away or made a link: the job is not run.
                Err(error) => assert_ne!(state, "other", "{error}"),
            }
        }
    }
}

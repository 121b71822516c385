use super::*;
use std::fs;

fn job(root: &Path) -> Job {
    let mut job = Job::new("/bin/true", root);
    job.writable = vec![root.to_owned()];
    job
}

#[test]
fn outer_folders_come_before_inner_ones() {
    let root = tempfile::tempdir().unwrap();
    let inner = root.path().join("a/b");
    fs::create_dir_all(&inner).unwrap();
    let mut job = job(root.path());
    job.read_only = vec![inner.clone()];
    let view = View::of(&job, Tier::Bubblewrap).unwrap();
    assert_eq!(view.mounts.len(), 2);
    assert!(view.mounts[0].writable && !view.mounts[1].writable);
    assert_eq!(view.read_only_inside_writable(), Some(inner.canonicalize().unwrap().as_path()));
}

#[test]
fn links_are_resolved_before_they_are_checked() {
    let root = tempfile::tempdir().unwrap();
    let link = root.path().join("all");
    std::os::unix::fs::symlink("/", &link).unwrap();
    let mut job = job(root.path());
    job.read_only = vec![link];
    assert!(matches!(View::of(&job, Tier::Bubblewrap), Err(SandboxError::TooWide(_))));
}

#[test]
fn a_name_is_looked_up_in_the_path_of_the_job_only() {
    let root = tempfile::tempdir().unwrap();
    let mut job = job(root.path());
    job.program = "true".into();
    job.environment.insert("PATH".into(), format!("relative:{}", root.path().display()).into());
    assert!(matches!(View::of(&job, Tier::Bubblewrap), Err(SandboxError::ProgramNotFound(_))));
    job.environment.insert("PATH".into(), "/usr/bin:/bin".into());
    assert!(View::of(&job, Tier::Bubblewrap).unwrap().program.ends_with("true"));
}

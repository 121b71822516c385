//! A damaged or foreign index file is not used.

use crate::fixture::{TestWorkspace, answers};
use crate::sample::SKILLS;
use proptest::prelude::*;
use skillful_route::Freshness;
use std::{
    fs,
    os::unix::fs::{PermissionsExt, symlink},
    sync::OnceLock,
};

const BUILT: Freshness = Freshness::Built { skills: SKILLS.len() };

/// Opens an index whose file `spoil` changed, compares the results with those of an index without a file, and
/// returns the diagnostics.
fn check(spoil: impl FnOnce(&std::path::Path), freshness: Freshness) -> String {
    let workspace = TestWorkspace::new();
    workspace.open();
    let file = workspace.files().remove(0);
    spoil(&file);
    let (catalog, router, found) = workspace.open();
    assert_eq!(answers(&catalog, &router), workspace.expected());
    assert_eq!(found, freshness);
    let messages: Vec<&str> = router.diagnostics().iter().map(|found| found.message.as_str()).collect();
    let messages = messages.join("; ");
    // The rebuilt file is used the next time.
    assert_eq!(workspace.open().2, Freshness::Reopened);
    messages
}

#[test]
fn an_empty_file_is_rebuilt() {
    assert!(check(|file| fs::write(file, "").unwrap(), BUILT).contains("another version"));
}

#[test]
fn a_foreign_file_is_rebuilt() {
    check(|file| fs::write(file, "#!/bin/sh\necho hello\n".repeat(99)).unwrap(), BUILT);
}

#[test]
fn a_file_of_another_version_is_rebuilt() {
    let spoil = |file: &std::path::Path| {
        let mut bytes = fs::read(file).unwrap();
        let end = bytes.iter().position(|byte| *byte == b'\n').unwrap();
        bytes[end - 1] = if bytes[end - 1] == b'0' { b'1' } else { b'0' };
        fs::write(file, bytes).unwrap();
    };
    assert!(check(spoil, BUILT).contains("another version"));
}

#[test]
fn the_index_of_other_skills_is_stale_and_updated() {
    let other = TestWorkspace::new();
    other.skill("sql-tuning", "Prune roses.", "Cut above a bud.");
    other.remove("pdf-forms");
    other.open();
    let other = other.files().remove(0);
    let spoil = |file: &std::path::Path| assert!(fs::copy(&other, file).unwrap() > 0);
    assert_eq!(check(spoil, Freshness::Updated { changed: 2, removed: 0 }), "");
}

#[test]
fn a_file_that_other_users_can_write_is_rebuilt() {
    let open = |file: &std::path::Path| fs::set_permissions(file, fs::Permissions::from_mode(0o666)).unwrap();
    assert!(check(open, BUILT).contains("other users can write"));
}

#[test]
fn a_symbolic_link_in_place_of_the_file_is_not_followed() {
    let link = |file: &std::path::Path| {
        let real = file.with_extension("real");
        fs::rename(file, &real).unwrap();
        symlink(real, file).unwrap();
    };
    check(link, BUILT);
}

#[test]
fn a_file_truncated_anywhere_is_rebuilt() {
    let workspace = TestWorkspace::new();
    workspace.open();
    let file = workspace.files().remove(0);
    let whole = fs::read(&file).unwrap();
    let expected = workspace.expected();
    let catalog = workspace.catalog();
    for length in (0..whole.len()).step_by(whole.len() / 60 + 1).chain([whole.len() - 1]) {
        fs::write(&file, &whole[..length]).unwrap();
        let (router, freshness) = skillful_route::Router::open(&catalog, Some(&workspace.cache()));
        assert_eq!(freshness, BUILT, "cut at {length}");
        assert_eq!(answers(&catalog, &router), expected);
    }
}

/// One workspace for all cases; each case writes its own damage before it opens the index.
fn workspace() -> &'static (TestWorkspace, Vec<u8>) {
    static WORKSPACE: OnceLock<(TestWorkspace, Vec<u8>)> = OnceLock::new();
    WORKSPACE.get_or_init(|| {
        let workspace = TestWorkspace::new();
        workspace.open();
        let bytes = fs::read(&workspace.files()[0]).unwrap();
        (workspace, bytes)
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]
    #[test]
    fn flipped_bits_never_change_a_result(flips in prop::collection::vec((any::<prop::sample::Index>(), 0..8_u8), 1..4)) {
        let (workspace, whole) = workspace();
        let mut bytes = whole.clone();
        for (at, bit) in flips {
            let at = at.index(bytes.len());
            bytes[at] ^= 1 << bit;
        }
        prop_assume!(bytes != *whole);
        let file = workspace.files().remove(0);
        fs::write(&file, &bytes).unwrap();
        let (catalog, router, freshness) = workspace.open();
        prop_assert_eq!(freshness, BUILT);
        prop_assert_eq!(answers(&catalog, &router), workspace.expected());
    }
}

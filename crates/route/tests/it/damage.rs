//! A file that is not what was written is not believed.

use crate::fixture::{SKILLS, World, answers};
use proptest::prelude::*;
use skillful_route::Freshness;
use std::{
    fs,
    os::unix::fs::{PermissionsExt, symlink},
    sync::OnceLock,
};

const BUILT: Freshness = Freshness::Built { skills: SKILLS.len() };

/// Opens over a file that `spoil` changed, and holds the answers against those without a file.
fn check(spoil: impl FnOnce(&std::path::Path), freshness: Freshness) -> String {
    let world = World::new();
    world.open();
    let file = world.files().remove(0);
    spoil(&file);
    let (catalog, router, found) = world.open();
    assert_eq!(answers(&catalog, &router), world.expected());
    assert_eq!(found, freshness);
    let told: Vec<&str> = router.diagnostics().iter().map(|found| found.message.as_str()).collect();
    let told = told.join("; ");
    // Once mended it stays so.
    assert_eq!(world.open().2, Freshness::Reopened);
    told
}

#[test]
fn an_empty_file_is_built_anew() {
    assert!(check(|file| fs::write(file, "").unwrap(), BUILT).contains("another version"));
}

#[test]
fn a_foreign_file_is_built_anew() {
    check(|file| fs::write(file, "#!/bin/sh\necho hello\n".repeat(99)).unwrap(), BUILT);
}

#[test]
fn a_file_of_another_version_is_built_anew() {
    let spoil = |file: &std::path::Path| {
        let mut bytes = fs::read(file).unwrap();
        let end = bytes.iter().position(|byte| *byte == b'\n').unwrap();
        bytes[end - 1] = if bytes[end - 1] == b'0' { b'1' } else { b'0' };
        fs::write(file, bytes).unwrap();
    };
    assert!(check(spoil, BUILT).contains("another version"));
}

#[test]
fn the_file_of_another_library_is_stale_and_updated() {
    let other = World::new();
    other.skill("sql-tuning", "Prune roses.", "Cut above a bud.");
    other.remove("pdf-forms");
    other.open();
    let other = other.files().remove(0);
    let spoil = |file: &std::path::Path| assert!(fs::copy(&other, file).unwrap() > 0);
    assert_eq!(check(spoil, Freshness::Updated { changed: 2, removed: 0 }), "");
}

#[test]
fn a_file_that_others_can_write_is_built_anew() {
    let open = |file: &std::path::Path| fs::set_permissions(file, fs::Permissions::from_mode(0o666)).unwrap();
    assert!(check(open, BUILT).contains("others can write"));
}

#[test]
fn a_link_in_the_place_of_the_file_is_not_followed() {
    let link = |file: &std::path::Path| {
        let real = file.with_extension("real");
        fs::rename(file, &real).unwrap();
        symlink(real, file).unwrap();
    };
    check(link, BUILT);
}

#[test]
fn a_file_cut_anywhere_is_built_anew() {
    let world = World::new();
    world.open();
    let file = world.files().remove(0);
    let whole = fs::read(&file).unwrap();
    let expected = world.expected();
    let catalog = world.catalog();
    for length in (0..whole.len()).step_by(whole.len() / 60 + 1).chain([whole.len() - 1]) {
        fs::write(&file, &whole[..length]).unwrap();
        let (router, freshness) = skillful_route::Router::open(&catalog, Some(&world.cache()));
        assert_eq!(freshness, BUILT, "cut at {length}");
        assert_eq!(answers(&catalog, &router), expected);
    }
}

/// One machine for all cases: each writes its own damage before it looks.
fn world() -> &'static (World, Vec<u8>) {
    static WORLD: OnceLock<(World, Vec<u8>)> = OnceLock::new();
    WORLD.get_or_init(|| {
        let world = World::new();
        world.open();
        let bytes = fs::read(&world.files()[0]).unwrap();
        (world, bytes)
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]
    #[test]
    fn flipped_bits_never_change_an_answer(flips in prop::collection::vec((any::<prop::sample::Index>(), 0..8_u8), 1..4)) {
        let (world, whole) = world();
        let mut bytes = whole.clone();
        for (at, bit) in flips {
            let at = at.index(bytes.len());
            bytes[at] ^= 1 << bit;
        }
        prop_assume!(bytes != *whole);
        let file = world.files().remove(0);
        fs::write(&file, &bytes).unwrap();
        let (catalog, router, freshness) = world.open();
        prop_assert_eq!(freshness, BUILT);
        prop_assert_eq!(answers(&catalog, &router), world.expected());
    }
}

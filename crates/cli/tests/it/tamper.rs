//! One bit of an installed file flips: the next activation refuses the skill, and `verify` finds it.

use crate::bare;
use skillful_catalog::Approvals;
use skillful_registry::{
    AtomicWriter, ContentStore, Lock,
    install::{Site, places, verify},
    lock::SkillKey,
};
use skillful_testkit::{Attempts, TestContext};
use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};

const SKILLS: usize = 8;
/// As copies and as links into the store.
const PLACES: [&str; 2] = [".agents/skills", ".claude/skills"];

fn installed() -> TestContext {
    let machine = bare();
    for number in 0..SKILLS {
        let folder = format!("work/lib/s{number}");
        machine.skill(&folder, &format!("Does number {number}."));
        machine.file(&format!("{folder}/scripts/run.sh"), format!("echo {number}\n"));
        machine.file(&format!("{folder}/assets/deep/data.bin"), [0, 255, u8::try_from(number).unwrap()]);
    }
    for arguments in ["add ./lib --yes", "add ./lib --link --agent claude-code --yes"] {
        let done = machine.run(arguments);
        assert!(done.status.success(), "{}", machine.tell(&done));
    }
    machine
}

fn files_below(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { files_below(&path, found) } else { found.push(path) }
    }
}

fn flip(file: &Path, bit: usize) {
    let mode = fs::metadata(file).unwrap().permissions().mode();
    fs::set_permissions(file, fs::Permissions::from_mode(mode | 0o200)).unwrap();
    let mut bytes = fs::read(file).unwrap();
    bytes[bit / 8] ^= 1 << (bit % 8);
    fs::write(file, bytes).unwrap();
    fs::set_permissions(file, fs::Permissions::from_mode(mode)).unwrap();
}

/// `SplitMix64`: chance that is the same each time.
fn chance(state: &mut u64, below: usize) -> usize {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    usize::try_from((z ^ (z >> 31)) % below as u64).unwrap()
}

fn flip_bits(count: usize) {
    let machine = installed();
    let data = machine.home().join(".local/share/skillful");
    let contents = ContentStore::open(&data.join("contents"), AtomicWriter::default()).unwrap();
    let site = Site::project(machine.work());
    let lock = Lock::load(&site.lock).unwrap();
    let approved = skillful_registry::approvals::Approvals::load(&data).unwrap();
    let folders = lock.skills.values().flat_map(places).map(|(place, _)| site.path(place));
    let record = Approvals::new(folders, approved.trees.keys().copied());
    assert_eq!((lock.skills.len(), approved.trees.len()), (SKILLS, SKILLS));
    let mut state = 19;
    for number in 0..count {
        let name = format!("s{}", chance(&mut state, SKILLS));
        let folder = site.base.join(PLACES[chance(&mut state, PLACES.len())]).join(&name);
        let mut files = Vec::new();
        files_below(&folder.canonicalize().unwrap(), &mut files);
        files.sort();
        let file = &files[chance(&mut state, files.len())];
        let bit = chance(&mut state, 8 * usize::try_from(fs::metadata(file).unwrap().len()).unwrap());
        let what = format!("flip {number}: bit {bit} of {}", file.display());
        let key: SkillKey = name.parse().unwrap();
        let skills = [(key.clone(), lock.skills[&key].clone())].into();
        let only = Lock { skills, ..Lock::default() };

        flip(file, bit);
        assert!(record.check_folder(&folder).is_err(), "{what} is not refused at the next activation");
        let drifts = verify(&only, &site, &contents).unwrap();
        assert!(drifts.iter().any(|drift| site.path(&drift.place) == folder), "{what} is not found");
        flip(file, bit);
        assert!(record.check_folder(&folder).is_ok(), "{what} was undone");
        assert_eq!(verify(&only, &site, &contents).unwrap(), [], "{what} was undone");
    }
}

#[test]
fn every_bit_that_flips_in_an_installed_file_is_refused_and_found() {
    flip_bits(400);
    Attempts::of("every_bit_that_flips_in_an_installed_file_is_refused_and_found").refused(400).report();
}

/// `cargo nextest run -p skillful-cli --run-ignored only -E 'test(ten_thousand)'`
#[test]
#[ignore = "takes a minute; the long mode of the test above"]
fn ten_thousand_flipped_bits_are_refused_and_found() {
    flip_bits(10_000);
}

#[test]
fn the_program_refuses_a_skill_with_one_flipped_bit() {
    let machine = installed();
    assert!(machine.run("trust --yes").status.success());
    let used = machine.run("use s1");
    assert!(used.status.success(), "{}", machine.tell(&used));
    for place in PLACES {
        let file = machine.work().join(place).join("s1/assets/deep/data.bin");
        flip(&file, 3);
        let verified = machine.run("verify");
        assert_eq!(verified.status.code(), Some(1), "{}", machine.tell(&verified));
        flip(&file, 3);
    }
    // Whichever of the two places is the one in use.
    flip(&machine.work().join(PLACES[0]).join("s1/SKILL.md"), 8);
    flip(&machine.work().join(PLACES[1]).join("s1/SKILL.md"), 8);
    let used = machine.tell(&machine.run("use s1"));
    assert!(used.contains("you have not approved its files as they are now"), "{used}");
}

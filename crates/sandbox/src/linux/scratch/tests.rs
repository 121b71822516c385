use super::*;

#[test]
fn a_folder_is_removed_only_if_its_owner_has_ended() {
    let space = fs::metadata("/proc/self/ns/pid").unwrap().ino();
    let stale =
        std::env::temp_dir().join(format!("{}{space}-{}-{}-0-x", owner::NAME, u32::MAX, std::process::id()));
    fs::create_dir_all(stale.join("inner")).unwrap();
    let living = make().unwrap();
    sweep();
    assert!(!stale.exists() && living.path().exists());
}

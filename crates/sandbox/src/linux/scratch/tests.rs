use super::*;

#[test]
fn a_folder_of_somebody_gone_is_swept_and_one_of_the_living_is_kept() {
    let space = fs::metadata("/proc/self/ns/pid").unwrap().ino();
    let stale = std::env::temp_dir().join(format!("{}{space}-{}-1-0-x", owner::NAME, u32::MAX));
    fs::create_dir_all(stale.join("inner")).unwrap();
    let living = make().unwrap();
    sweep();
    assert!(!stale.exists() && living.path().exists());
}

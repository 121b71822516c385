//! The JSON Schemas in `schemas/` are those of the library, and real output keeps to them.

use skillful::views::schemas;
use std::{collections::BTreeSet, fs, path::Path};

#[test]
fn the_schemas_on_disk_are_the_generated_ones() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../schemas");
    let fix = "run `cargo xtask schemas`";
    let files = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let files: BTreeSet<String> = files.filter(|name| name.ends_with(".json")).collect();
    let views = schemas();
    let expected: BTreeSet<String> = views.iter().map(|view| format!("{}.json", view.name)).collect();
    assert_eq!(files, expected, "{fix}");
    for view in views {
        let text = fs::read_to_string(folder.join(format!("{}.json", view.name))).unwrap();
        assert!(text == view.text(), "schemas/{}.json is out of date: {fix}", view.name);
    }
}

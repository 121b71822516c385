//! Fuzzes the search index: arbitrary bytes and damaged valid ones cause an error or worse results, never a
//! panic.
#![no_main]

use libfuzzer_sys::fuzz_target;
use skillful_route::ranking::{Extra, Index, Skill};
use std::sync::LazyLock;

static SOUND: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let skill = |id, description, body| Skill { id, name: id, description, body, ..Skill::default() };
    let skills = [
        skill("pdf", "Reads and fills PDF forms.", "# Forms\n\nUse `scripts/fill.py`."),
        skill("weekly-report", "Turns notes into a report.", "Collect the notes of the week."),
        skill("部署", "把服务部署到生产环境。", "先运行测试。"),
    ];
    Index::build(&skills, 1).to_bytes(1)
});

fuzz_target!(|bytes: &[u8]| {
    let search = |index: &Index| {
        for query in ["turn my notes into a weekly report", "部署服务", "fill the pdf form", ""] {
            let _found = index.search_with(query, 5, &Extra::default());
        }
    };
    if let Ok(index) = Index::from_bytes(bytes.to_vec()) {
        search(&index);
    }
    let mut spoiled = SOUND.clone();
    for spot in bytes.chunks_exact(3).take(64) {
        let at = usize::from(u16::from_le_bytes([spot[0], spot[1]])) % spoiled.len();
        spoiled[at] = spot[2];
    }
    if let Ok(mut index) = Index::from_bytes(spoiled) {
        search(&index);
        index.remove("pdf");
        index.update(&Skill { id: "new", name: "new", description: "Notes of a week.", ..Skill::default() });
        search(&index);
        let _bytes = index.to_bytes(1);
    }
});

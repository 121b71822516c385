use super::*;

#[test]
fn the_page_in_docs_is_the_table_of_codes() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/diagnostics.md");
    let page = std::fs::read_to_string(path).unwrap_or_default();
    assert!(
        page == diagnostics_markdown(),
        "docs/diagnostics.md is behind; write it with `skillful_cli::report::diagnostics_markdown()`"
    );
}

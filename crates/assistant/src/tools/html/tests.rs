use super::*;

fn page(html: &str) -> String {
    text(html, &Url::parse("https://example.org/docs/page.html").unwrap())
}

#[test]
fn a_page_keeps_its_headings_links_lists_and_code() {
    let html = "<!DOCTYPE html><html><head><title>A  page</title><style>p { x }</style></head><body>\
        <h1>Hello &amp; welcome</h1><p>One <a href='../x?a=1&amp;b=2'>link</a>,\n  <b>two</b> words.</p>\
        <ul><li>first<li><p>second</p><ol><li>inner</ol></ul><pre><code>let a = 1 &lt; 2;\n  b</code></pre>\
        <p>Use <code>cargo</code>.<br>Next</p><script>if (a < b) { '</p>' }</script><!-- <p>no</p> -->\
        <table><tr><th>A</th><th>B</th></tr><tr><td>1</td><td>2</td></tr></table><blockquote>said</blockquote></body></html>";
    assert_eq!(
        page(html),
        "A page\n\n# Hello & welcome\n\nOne [link](https://example.org/x?a=1&b=2), two words.\n\n- first\n- second\n  \
         1. inner\n\n```\nlet a = 1 < 2;\n  b\n```\n\nUse `cargo`.\nNext\n\n| A | B\n| 1 | 2\n\n> said"
    );
}

#[test]
fn skipped_elements_and_links_within_the_page_are_removed() {
    assert_eq!(page("<svg><svg></svg><p>x</p></svg>a<template>b</template>"), "a");
    assert_eq!(
        page("<a href='javascript:alert(1)'>x</a> <a href='#top'>y</a> <a href=https://a.b/>z</a>"),
        "x y [z](https://a.b/)"
    );
    assert_eq!(page("a < b &nosuch; &#x41;&#66; &#0;"), "a < b &nosuch; AB &#0;");
}

#[test]
fn a_hostile_page_neither_fails_nor_takes_long() {
    let many = |piece: &str| piece.repeat((1 << 20) / piece.len());
    for piece in [
        "<a \"",
        "<",
        "<div>",
        "<a href=\"/",
        "<!--",
        "</",
        "<ul><li>",
        "<blockquote>",
        "&",
        "&#",
        "<script>",
        "<a href=x>",
        "<pre>",
        "é<p",
    ] {
        let found = page(&many(piece));
        assert!(found.len() <= 8 << 20, "{piece}");
    }
}

//! Frontmatter that is long, wide or deep, or that makes a careless scan quadratic.

use super::{Case, broken, gated, repaired, sound};
use skillful_format::{Code, source::FRONTMATTER_LIMIT};

/// Generates lines from their numbers.
fn each(count: usize, line: impl Fn(usize) -> String) -> String {
    (0..count).map(line).collect::<Vec<_>>().concat()
}

pub(super) fn cases() -> Vec<Case> {
    let keys = |count: usize| each(count, |at| format!("k{at}: v\n"));
    let stairs = each(350, |at| format!("{}k: v\n", " ".repeat(at)));
    let fill = |line: &str| line.repeat(60_000 / line.len());
    vec![
        broken(
            "64 KiB and one byte",
            format!("---\n{}\n---\n", "x".repeat(FRONTMATTER_LIMIT)),
            Code::FrontmatterTooLarge,
        ),
        broken("300,000 keys", format!("---\n{}---\n", "a: b\n".repeat(200_000)), Code::FrontmatterTooLarge),
        broken("3,000 keys", gated(&keys(3_000)), Code::YamlTooLarge),
        broken("one key 6,000 times", gated(&fill("a: b\n")), Code::YamlTooLarge),
        broken("one key 1,000 times", gated(&"a: b\n".repeat(1_000)), Code::YamlDuplicateKey),
        broken("60 KB key", gated(&format!("{}: v", "k".repeat(60_000))), Code::YamlSyntax),
        sound("60 KB explicit key", gated(&format!("? {}\n: v", "k".repeat(60_000))), Code::UnknownKey),
        sound(
            "60 KB value",
            gated(&format!("description: {}", "v".repeat(60_000))),
            Code::DescriptionTooLong,
        ),
        sound("60 KB name", gated(&format!("name: {}", "v".repeat(60_000))), Code::NameTooLong),
        sound("30,000 comments", gated(&fill("#\n")), Code::NameMissing),
        broken("100,000 comments", gated(&"# x\n".repeat(100_000)), Code::FrontmatterTooLarge),
        sound("60,000 blank lines", gated(&fill("\n")), Code::NameMissing),
        broken(
            "deep brackets",
            gated(&format!("a: {}{}", "[".repeat(30_000), "]".repeat(30_000))),
            Code::YamlTooDeep,
        ),
        broken(
            "deep braces",
            gated(&format!("a: {}{}", "{a: ".repeat(10_000), "}".repeat(10_000))),
            Code::YamlTooDeep,
        ),
        broken("deep dashes", gated(&format!("a:\n  {}x", "- ".repeat(30_000))), Code::YamlTooDeep),
        broken("deep questions", gated(&format!("a:\n  {}x", "? ".repeat(30_000))), Code::YamlTooDeep),
        broken("deep stairs", gated(&each(300, |at| format!("{}k:\n", " ".repeat(at)))), Code::YamlTooDeep),
        broken("33 levels", gated(&format!("a: {}{}", "[".repeat(32), "]".repeat(32))), Code::YamlTooDeep),
        broken("wide list", gated(&format!("a: [{}]", "x,".repeat(30_000))), Code::YamlTooLarge),
        broken("list of empty maps", gated(&format!("a: [{}]", "{},".repeat(20_000))), Code::YamlTooLarge),
        broken("brackets never closed", gated(&format!("a: {}", "[".repeat(60_000))), Code::YamlTooDeep),
        repaired(
            "many brackets never closed",
            gated(&keys(1_000).replace("v\n", "[x\n")),
            Code::UnquotedValue,
        ),
        repaired("many colons", gated(&format!("a: {}", "x: ".repeat(20_000))), Code::UnquotedColon),
        repaired(
            "many lines with colons",
            gated(&format!("a: b\n{}", fill("  x: y\n"))),
            Code::UnquotedColon,
        ),
        repaired("values and deeper keys like stairs", gated(&stairs), Code::UnquotedColon),
        repaired("many quotes", gated(&format!("a: {}x", "\"\"".repeat(30_000))), Code::UnquotedValue),
        repaired("many lines that open a quote", gated(&fill("- \"a\n")), Code::GateUnreadable),
        sound("many backslashes", gated(&format!("a: \"{}\"", "\\\\".repeat(30_000))), Code::UnknownKey),
        broken(
            "backslash before the closing quote",
            gated(&format!("a: \"{}\\\"", "\\\\".repeat(30_000))),
            Code::YamlSyntax,
        ),
        repaired(
            "many unindented lines in quotes",
            gated(&format!("a: \"{}\"", fill("x\n"))),
            Code::UnindentedText,
        ),
        repaired(
            "many unindented lines",
            gated(&format!("a: b\n{}c: d", fill("x y\n"))),
            Code::UnindentedText,
        ),
        repaired(
            "tabs everywhere",
            gated(&format!("a:\n{}", each(2_000, |at| format!("\tk{at}:\tv\n")))),
            Code::TabIndentation,
        ),
        repaired(
            "only block marks",
            gated(&each(1_500, |at| format!("k{at}: | x\n"))),
            Code::TextAfterBlockMark,
        ),
        broken("conflict", gated("<<<<<<< a\nname: b\n=======\nname: c\n>>>>>>> d"), Code::YamlSyntax),
        sound(
            "1 MiB of links",
            format!("{}{}", gated("name: demo"), "[a](b/c.md)".repeat(90_000)),
            Code::FileMissing,
        ),
        sound(
            "1 MiB of open brackets in the body",
            format!("{}{}", gated("name: demo"), "[".repeat(1_000_000)),
            Code::DescriptionMissing,
        ),
    ]
}

//! Lines that look like fences but are not, and the reverse.

use super::{Case, broken, gated, repaired, sound};
use skillful_format::Code;

pub(super) fn cases() -> Vec<Case> {
    let gate = "name: demo\nadmin_only: true\n";
    vec![
        broken("never closed", format!("---\n{gate}"), Code::FrontmatterUnclosed),
        broken(
            "never closed in 1 MiB",
            format!("---\n{gate}{}", "a b c\n".repeat(170_000)),
            Code::FrontmatterUnclosed,
        ),
        broken("only the opening", "---", Code::FrontmatterUnclosed),
        broken("closed with dots", format!("---\n{gate}...\nbody\n"), Code::FrontmatterUnclosed),
        broken("closed with text after it", format!("---\n{gate}---# Title\n"), Code::FrontmatterUnclosed),
        broken(
            "closed with an indented fence",
            format!("---\n{gate} ---\nbody\n"),
            Code::FrontmatterUnclosed,
        ),
        broken("closed with four hyphens", format!("---\n{gate}----\nbody\n"), Code::FrontmatterUnclosed),
        broken("opened with a comment", format!("--- # yaml\n{gate}---\nbody\n"), Code::NoFrontmatter),
        broken("opened with a word", format!("---yaml\n{gate}---\nbody\n"), Code::NoFrontmatter),
        broken("opened with an em dash", format!("\u{2014}\n{gate}\u{2014}\nbody\n"), Code::NoFrontmatter),
        broken(
            "opened with en dashes",
            format!("\u{2013}\u{2013}\u{2013}\n{gate}---\n"),
            Code::NoFrontmatter,
        ),
        broken("opened after a space", format!(" ---\n{gate}---\nbody\n"), Code::NoFrontmatter),
        broken("opened after a zero-width space", format!("\u{200b}---\n{gate}---\n"), Code::NoFrontmatter),
        broken("opened on the second line", format!("\n---\n{gate}---\nbody\n"), Code::FrontmatterNotFirst),
        broken(
            "opened after 100,000 blank lines",
            format!("{}---\n{gate}---\n", "\n".repeat(100_000)),
            Code::FrontmatterNotFirst,
        ),
        sound("spaces after the fences", format!("--- \t\n{gate}---\u{a0}\nbody\n"), Code::FenceBlanks),
        sound("CR only", gated("x: y").replace('\n', "\r"), Code::UnknownKey),
        sound("mixed line ends", "---\r\nname: a\nadmin_only: true\r---\r\nbody\r\n", Code::NameNotFolder),
        broken("dots in the frontmatter", gated("...\nname: demo"), Code::YamlDocuments),
        broken("document start in the frontmatter", gated("--- # two\nname: demo"), Code::YamlDocuments),
        repaired("directive in the frontmatter", gated("%YAML 1.1"), Code::GateUnreadable),
        broken(
            "tag directive in the frontmatter",
            "---\n%TAG ! tag:x,2000:\nadmin_only: true\n---\n",
            Code::YamlSyntax,
        ),
        repaired("fence in double quotes", gated("description: \"a\n---\nb\""), Code::FenceInQuotes),
        repaired("fence in single quotes", gated("description: 'a\n---\nb'"), Code::FenceInQuotes),
        repaired(
            "10,000 fences in quotes",
            gated(&format!("description: \"{}\"", "\n---\n".repeat(10_000))),
            Code::FenceInQuotes,
        ),
        broken(
            "quote that absorbs the gate",
            "---\ndescription: \"a\nadmin_only: true\n---\nb\"\n---\n",
            Code::YamlSyntax,
        ),
        broken(
            "second frontmatter block with another gate",
            "---\nadmin_only: true\n---\n---\nname: b\nadmin_only: false\n---\n",
            Code::GateUnreadable,
        ),
        sound("20,000 frontmatter blocks", format!("---\n{gate}---\n").repeat(20_000), Code::YamlDocuments),
        broken(
            "gate in a second frontmatter block that is broken",
            "---\nname: a\n---\n---\nname: b\nadmin_only: true\nx: \"y\n---\n",
            Code::YamlSyntax,
        ),
    ]
}

//! Restores texts that code assembles from pieces, so that their words can be judged: concatenations, joined
//! lists, character codes and reversed strings, in any language.

use regex::bytes::Regex;
use std::{ops::Range, sync::LazyLock};

/// Restored texts of one file that are judged.
const TEXTS: usize = 200;

/// Words that name a program, a loader or a credential. Plain code writes them in one piece.
const WORDS: [&str; 28] = [
    "curl",
    "wget",
    "bash",
    "/bin/sh",
    "powershell",
    "iex",
    "invoke-expression",
    "downloadstring",
    "net.webclient",
    "child_process",
    "subprocess",
    "os.system",
    "execsync",
    "spawnsync",
    "eval",
    "exec",
    "system",
    "popen",
    "certutil",
    ".ssh/",
    "id_rsa",
    ".aws/credentials",
    "base64",
    "| sh",
    "|sh",
    "netcat",
    "/dev/tcp",
    "loadstring",
];
/// Of these, words that a message in character codes may contain by chance.
const COMMON: [&str; 4] = ["eval", "exec", "system", "base64"];

/// A pattern over bytes, which is small. All borders of its matches are ASCII.
fn bytes(text: &str) -> Option<Regex> {
    let made = Regex::new(&format!("(?-u){text}"));
    debug_assert!(made.is_ok(), "{text}: {made:?}");
    made.ok()
}

fn all(texts: &[&str]) -> Vec<Regex> {
    texts.iter().filter_map(|text| bytes(text)).collect()
}

static CONCATENATION: LazyLock<Option<Regex>> = LazyLock::new(|| {
    bytes(
        r#"(?:"[^"\n\\]{0,60}"|'[^'\n\\]{0,60}')(?:\s*(?:\+|\.\.?)\s*(?:"[^"\n\\]{0,60}"|'[^'\n\\]{0,60}'))+"#,
    )
});
static LITERAL: LazyLock<Option<Regex>> = LazyLock::new(|| bytes(r#""([^"\n]{0,60})"|'([^'\n]{0,60})'"#));
/// Lists whose items become one text.
static JOINED: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    all(&[
        r"\[([^\]\n]{5,300})\]\s*\.join\b",
        r#"(?:''|"")\.join\(\s*[\[(]([^\])\n]{5,300})"#,
        r#"\b(?:join|implode)\s*\(?\s*(?:''|"")\s*,([^)\]\n]{5,300})"#,
        r"\btable\.concat\s*\(\s*\{([^}\n]{5,300})",
        r"-join\s*\(?\s*@?\(?([^)\n]{5,300})",
        r"\(([^()\n]{5,300})\)\s*-join\b",
    ])
});
/// Texts with places that are filled in.
static FORMATTED: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    all(&[
        r#"\}['"]\.format\(([^)\n]{5,300})"#,
        r#"%s['"]\s*%\s*\(([^)\n]{5,300})"#,
        r#"\}['"]\s*-f\s*([^)\n]{5,300})"#,
    ])
});
static WORD_LIST: LazyLock<Option<Regex>> =
    LazyLock::new(|| bytes(r"%w[\[({<]([^\])}>\n]{3,120})[\])}>]\s*\.join\b"));
static CODES: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    all(&[
        r"(?i)(?:from_?char_?code|fromcodepoint|string\.char|\bchr\b|\[char\]|\bchar\b|bytes|bytearray|buffer|\bmap\b|pack)[^\n]{0,120}?([0-9]{2,3}(?:\s*,\s*[0-9]{2,3}){5,})",
        r"(?i)((?:(?:\[char\]\s*|chr\(\s*|string\.char\(\s*)(?:0x[0-9a-f]{2}|[0-9]{2,3})\s*\)?\s*(?:\+|\.\.?|&|,)?\s*){3,})",
    ])
});
static NUMBER: LazyLock<Option<Regex>> = LazyLock::new(|| bytes(r"(?i)0x[0-9a-f]{2}|[0-9]{2,3}"));
static REVERSED: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    all(&[
        r#"['"`]([^'"`\n]{3,400})['"`]\s*(?:\.split\([^)\n]{0,4}\)\s*)?\.reverse\b"#,
        r#"['"`]([^'"`\n]{3,400})['"`]\s*\[\s*::\s*-1\s*\]"#,
        r#"\b(?:strrev|string\.reverse|reverse|reversed)\s*\(?\s*['"`]([^'"`\n]{3,400})['"`]"#,
    ])
});
static ESCAPES: LazyLock<Option<Regex>> =
    LazyLock::new(|| bytes(r"(?i)((?:\\(?:x|u00|u\{00|u\{)[0-9a-f]{2}\}?){4,})"));

/// The places of code where a dangerous word is assembled from pieces.
pub(crate) fn look(code: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let lower = code.to_ascii_lowercase();
    let has = |marks: &[&str]| marks.iter().any(|mark| lower.contains(mark));
    let joins = has(&["join", "implode", "concat"]);
    let codes = has(&["charcode", "codepoint", "string.char", "chr", "[char]", "bytes", "buffer", "pack"]);
    let reverses = has(&["revers", "strrev", "::-1", ":: -1"]);
    let adds = has(&["' +", "\" +", "'+", "\"+", "' .", "\" .", "'.'", "\".\"", "'..", "\".."]);
    let escapes = has(&["\\x", "\\u00", "\\u{"]);
    let formats = has(&[".format(", "' % (", "\" % (", "-f '", "-f \""]);
    if !(joins || codes || reverses || adds || escapes || formats) {
        return found;
    }
    let groups = |regexes: &[Regex]| -> Vec<(Range<usize>, String)> {
        let hits = regexes.iter().flat_map(|regex| regex.captures_iter(code.as_bytes()).take(TEXTS));
        hits.filter_map(|hit| Some((hit.get(0)?.range(), text(hit.get(1)?.as_bytes())))).collect()
    };
    if adds && let Some(regex) = CONCATENATION.as_ref() {
        for hit in regex.find_iter(code.as_bytes()).take(TEXTS) {
            if is_split(&pieces(&text(hit.as_bytes()))) {
                found.push(hit.range());
            }
        }
    }
    let mut lists = if joins { groups(&JOINED) } else { Vec::new() };
    lists.extend(if formats { groups(&FORMATTED) } else { Vec::new() });
    found.extend(lists.into_iter().filter(|(_, list)| is_split(&pieces(list))).map(|(range, _)| range));
    if joins && let Some(regex) = WORD_LIST.as_ref() {
        for (range, words) in groups(std::slice::from_ref(regex)) {
            if is_split(&words.split_ascii_whitespace().map(str::to_owned).collect::<Vec<_>>()) {
                found.push(range);
            }
        }
    }
    let mut restored = Vec::new();
    if codes {
        restored.extend(groups(&CODES).into_iter().map(|(range, numbers)| (range, letters(&numbers))));
    }
    if escapes && let Some(regex) = ESCAPES.as_ref() {
        let runs = groups(std::slice::from_ref(regex));
        restored.extend(runs.into_iter().map(|(range, run)| (range, unescaped(&run))));
    }
    if reverses {
        let texts = groups(&REVERSED).into_iter();
        restored.extend(texts.map(|(range, text)| (range, text.chars().rev().collect())));
    }
    found.extend(restored.into_iter().filter(|(_, text)| is_command(text)).map(|(range, _)| range));
    found
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The contents of the literals in a text.
fn pieces(list: &str) -> Vec<String> {
    let Some(literal) = LITERAL.as_ref() else { return Vec::new() };
    let found = literal.captures_iter(list.as_bytes());
    found.filter_map(|hit| hit.get(1).or_else(|| hit.get(2)).map(|piece| text(piece.as_bytes()))).collect()
}

/// The characters of a list of numbers.
fn letters(numbers: &str) -> String {
    let Some(regex) = NUMBER.as_ref() else { return String::new() };
    let number = |text: &str| match text.get(..2) {
        Some("0x" | "0X") => u8::from_str_radix(&text[2..], 16).ok(),
        _ => text.parse::<u8>().ok(),
    };
    let found = regex.find_iter(numbers.as_bytes()).filter_map(|hit| number(&text(hit.as_bytes())));
    found.map(char::from).collect()
}

/// The characters of a run of escapes such as `\\x63\\u0075`.
fn unescaped(run: &str) -> String {
    let codes = run.split('\\').skip(1).map(|code| code.trim_matches(['x', 'X', 'u', 'U', '{', '}']));
    codes.filter_map(|code| u32::from_str_radix(code, 16).ok()).filter_map(char::from_u32).collect()
}

/// Whether a dangerous word lies across a border of two pieces.
fn is_split(pieces: &[String]) -> bool {
    let mut text = String::new();
    let mut borders = Vec::new();
    for piece in pieces {
        borders.push(text.len());
        text.push_str(&piece.to_ascii_lowercase());
    }
    WORDS.iter().any(|word| {
        places(&text, word).any(|at| borders.iter().any(|border| at < *border && *border < at + word.len()))
    })
}

/// Whether a restored text names a program or a credential.
fn is_command(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    let named = |word: &&&str| !COMMON.contains(*word) || lower == **word;
    WORDS.iter().filter(named).any(|word| places(&lower, word).next().is_some())
}

/// Where a word stands alone in a text.
fn places<'t>(text: &'t str, word: &'t str) -> impl Iterator<Item = usize> + 't {
    text.match_indices(word).map(|(at, _)| at).filter(move |at| {
        let is_letter = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_alphanumeric);
        let open = |edge: Option<u8>| edge.is_some_and(|byte| !byte.is_ascii_alphanumeric());
        let bytes = text.as_bytes();
        let before = *at == 0 || open(word.bytes().next()) || !is_letter(bytes.get(at - 1));
        before && (open(word.bytes().next_back()) || !is_letter(bytes.get(at + word.len())))
    })
}

#[cfg(test)]
mod tests {
    use super::look;

    #[test]
    fn words_are_found_however_they_are_split() {
        for code in [
            "['cu', 'rl'].join('')",
            "\"\".join([\"wg\", \"et\"])",
            "'sys' + 'tem'",
            "$c = 'cu' . 'rl';",
            "local c = 'cu' .. 'rl'",
            "%w[c u r l].join",
            "join('', 'b', 'ash')",
            "implode('', ['po', 'pen'])",
            "table.concat({'cu', 'rl'})",
            "-join('i','e','x')",
            "('cu','rl') -join ''",
            "String.fromCharCode(99,117,114,108,32,104)",
            "[char]105+[char]101+[char]120",
            "chr(99).chr(117).chr(114).chr(108)",
            "chr(0x63)+chr(0x75)+chr(0x72)+chr(0x6c)",
            "'lruc'.split('').reverse().join('')",
            "'hsab'[::-1]",
            "strrev('lruc')",
            "string.reverse('lruc')",
            r#""\u0063\u0075\u0072\u006c\u0020\u0078""#,
            r#""\x63\x75\x72\x6c""#,
            r#""{}{}".format("sys", "tem")"#,
            r#""%s%s" % ("cu", "rl")"#,
        ] {
            assert!(!look(code).is_empty(), "{code}");
        }
    }

    #[test]
    fn plain_code_is_not_reported() {
        for code in [
            "['npm', 'run', 'build'].join(' ')",
            "'curl -s ' + 'https://example.com'",
            "'the exec' + 'utive summary'",
            "'Hello, ' + 'system administrator'",
            "String.fromCharCode(72,101,108,108,111,32)",
            "'level'.split('').reverse().join('')",
            "[104, 101, 120].map(x => x + 1)",
            "%w[bundle exec rake].join(' ')",
        ] {
            assert!(look(code).is_empty(), "{code}");
        }
    }
}

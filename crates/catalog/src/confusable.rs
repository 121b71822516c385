//! Names that look like other names: letters of another script in the place of ours, and characters that are not seen.

use crate::entry::Entry;
use std::collections::{BTreeMap, BTreeSet};

/// Letters that are drawn like ASCII letters, each group after the letter that it looks like.
const LOOKALIKES: [(char, &str); 36] = [
    ('a', "аαɑаⱥꭺᴀ"),
    ('b', "Ьƅвᖯ"),
    ('c', "сϲⅽᴄ"),
    ('d', "ԁⅾɗ"),
    ('e', "еҽєε℮"),
    ('f', "ϝſꞙ"),
    ('g', "ɡցɢ"),
    ('h', "һհнḥ"),
    ('i', "іıιɩӏǀ"),
    ('j', "јϳ"),
    ('k', "κкᴋ"),
    ('l', "ⅼӏաḷІ"),
    ('m', "мⅿᴍ"),
    ('n', "ոռηпᴎ"),
    ('o', "оοօσо०๐٥ഠ"),
    ('p', "рρⲣ"),
    ('q', "ԛգզ"),
    ('r', "гᴦⲅꭇ"),
    ('s', "ѕꜱ"),
    ('t', "τтᴛ"),
    ('u', "υսцᴜ"),
    ('v', "νѵⅴᴠ"),
    ('w', "ԝѡωᴡ"),
    ('x', "хχⅹ"),
    ('y', "уγүყ"),
    ('z', "ᴢʐ"),
    ('0', "Ⲟ"),
    ('2', "ƨ"),
    ('3', "зȝᴣ"),
    ('4', "Ꮞ"),
    ('5', "ƽ"),
    ('6', "бᏮ"),
    ('8', "ȣ"),
    ('9', "ꝯ"),
    ('-', "‐‑‒–—−﹣－ー"),
    ('_', "＿﹍"),
];

/// What a name looks like, in small letters. Equal skeletons are hard to distinguish.
fn skeleton(name: &str) -> String {
    if name.is_ascii() {
        return name.to_ascii_lowercase();
    }
    name.chars().flat_map(char::to_lowercase).filter_map(plain).collect()
}

/// The ASCII letter that a character looks like, itself when it looks like none, nothing when it is not seen.
fn plain(c: char) -> Option<char> {
    let shifted = |c: char, from: u32, to: char| {
        char::from_u32(u32::from(to) + (u32::from(c) - from)).map(|c| c.to_ascii_lowercase())
    };
    match c {
        c if c.is_ascii() => Some(c),
        // Full width.
        'ａ'..='ｚ' => shifted(c, 0xff41, 'a'),
        '０'..='９' => shifted(c, 0xff10, '0'),
        // Letters of mathematics come in alphabets of 52.
        '\u{1d400}'..='\u{1d6a3}' => {
            let at = (u32::from(c) - 0x1d400) % 52 % 26;
            char::from_u32(u32::from('a') + at)
        }
        '\u{1d7ce}'..='\u{1d7ff}' => char::from_u32(u32::from('0') + (u32::from(c) - 0x1d7ce) % 10),
        'ⓐ'..='ⓩ' => shifted(c, 0x24d0, 'a'),
        // Marks, joiners, blanks without width, directions, variations, tags.
        '\u{ad}'
        | '\u{300}'..='\u{36f}'
        | '\u{61c}'
        | '\u{115f}'..='\u{1160}'
        | '\u{17b4}'..='\u{17b5}'
        | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}'
        | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}'
        | '\u{3164}'
        | '\u{fe00}'..='\u{fe0f}'
        | '\u{feff}'
        | '\u{ffa0}'
        | '\u{e0000}'..='\u{e0fff}' => None,
        c => Some(LOOKALIKES.iter().find(|(_, group)| group.contains(c)).map_or(c, |(letter, _)| *letter)),
    }
}

/// Whether one word of a name has ASCII letters beside letters that only look like them or characters that are not seen,
/// or is written in letters of mathematics and such.
fn is_mixed(name: &str) -> bool {
    let drawn = |c: char| matches!(c, 'ａ'..='ｚ' | 'Ａ'..='Ｚ' | 'ⓐ'..='ⓩ' | '\u{1d400}'..='\u{1d7ff}');
    // A mark over a letter is seen.
    let strange = |c: char| {
        let small = c.to_lowercase().next().unwrap_or(c);
        !c.is_ascii()
            && !('\u{300}'..='\u{36f}').contains(&c)
            && plain(small).is_none_or(|plain| plain.is_ascii())
    };
    name.split(|c: char| c.is_ascii_punctuation() || c.is_whitespace()).any(|word| {
        word.chars().any(drawn) || word.chars().any(strange) && word.chars().any(|c| c.is_ascii_alphabetic())
    })
}

/// What the name of a skill looks like although it is another: the name of a skill, or plain letters.
pub(crate) fn mark(entries: &mut [Entry]) {
    // Only what a name beyond ASCII looks like is of interest, and few names are.
    let mut names: BTreeMap<String, BTreeSet<String>> = entries
        .iter()
        .filter(|entry| !entry.name.is_ascii())
        .map(|entry| (skeleton(&entry.name), BTreeSet::new()))
        .collect();
    if names.is_empty() {
        return;
    }
    for entry in entries.iter() {
        if let Some(alike) = names.get_mut(&skeleton(&entry.name)) {
            alike.insert(entry.name.clone());
        }
    }
    for entry in entries.iter_mut().filter(|entry| !entry.name.is_ascii()) {
        if let Some(other) = looks_like(&entry.name, names.get(&skeleton(&entry.name))) {
            entry.looks_like = Some(other);
        }
    }
}

/// The same for one name, among names that look alike.
pub(crate) fn looks_like(name: &str, alike: Option<&BTreeSet<String>>) -> Option<String> {
    let other = alike.into_iter().flatten().find(|other| *other != name);
    other.cloned().or_else(|| is_mixed(name).then(|| skeleton(name)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn look_alikes_have_one_skeleton_and_honest_names_keep_theirs() {
        for name in [
            "dеploy",
            "deplоy",
            "ԁeploy",
            "deрloy",
            "deploу",
            "deрlоу",
            "ｄｅｐｌｏｙ",
            "𝐝𝐞𝐩𝐥𝐨𝐲",
            "𝖉𝖊𝖕𝖑𝖔𝖞",
            "dep\u{200b}loy",
            "dep\u{ad}loy",
            "deplo\u{301}y",
            "ⓓⓔⓟⓛⓞⓨ",
            "DЕPLOY",
            "de\u{2060}ploy",
            "deploy\u{e0041}",
        ] {
            assert_eq!(skeleton(name), "deploy", "{name}");
            assert!(looks_like(name, Some(&["deploy".to_owned()].into())).is_some(), "{name}");
            let marked = name.contains('\u{301}');
            assert_eq!(looks_like(name, None).is_some(), !marked, "{name} alone");
        }
        for name in [
            "deploy",
            "привет",
            "привет-api",
            "日本語",
            "größe",
            "ελληνικά",
            "café",
            "résumé",
            "тест",
            "текст",
            "сор",
        ] {
            assert_eq!(looks_like(name, None), None, "{name}");
        }
    }
}

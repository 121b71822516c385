use super::{others, plain, word};
use crate::ranking::math::hash;

#[test]
fn every_byte_is_classified_at_every_position() {
    for byte in 0..=u8::MAX {
        for place in 0..20 {
            let mut letters = [b'x'; 20];
            letters[place] = byte;
            let end = if byte.is_ascii_alphanumeric() { 20 } else { place };
            assert_eq!(word(&letters), end, "{byte} at {place}");
            let mut signs = [b' '; 20];
            signs[place] = byte;
            let end = if byte.is_ascii() && !byte.is_ascii_alphanumeric() { 20 } else { place };
            assert_eq!(others(&signs), end, "{byte} at {place}");
        }
    }
}

#[test]
fn a_plain_word_hashes_like_its_lower_case_letters() {
    let letters = "Abcdefghijklmnopqrstuvwxyz";
    for length in 0..20 {
        for tail in
            [" and then some more", "'s more, and some more", "é and then some more", "X and then some more"]
        {
            let text = format!("{}{tail}", &letters[..length]);
            let found = plain(text.as_bytes()).map(|word| (word.length, word.hash));
            let is_plain = (4..16).contains(&length) && tail.starts_with(' ');
            let expected = is_plain.then(|| (length, hash(letters[..length].to_lowercase().as_bytes())));
            assert_eq!(found, expected, "{text}");
        }
    }
    assert_eq!(plain(b"go to the shop").map(|word| (word.length, word.hash)), Some((2, hash(b"go"))));
    assert!(plain(b"Go to the shop").is_none());
    assert!(plain(b"c++ is a language").is_none());
    assert_eq!(plain(b"1. Do it").map(|word| (word.length, word.hash)), Some((1, hash(b"1"))));
    assert!(plain(b"a. Do it").is_none() && plain(b"").is_none());
}

#[test]
fn a_plain_word_ends_with_the_text() {
    for word in ["7", "go", "words", "sevenxy", "eightxyz", "nineletter", "fifteen-letters"] {
        let word = &word[..word.find('-').unwrap_or(word.len())];
        let found = plain(word.as_bytes()).map(|found| (found.length, found.hash));
        assert_eq!(found, Some((word.len(), hash(word.as_bytes()))), "{word}");
    }
    assert!(plain(b"sixteen0letters0").is_none());
}

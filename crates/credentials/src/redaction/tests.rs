use super::{LONGEST, MARK, Redactor, SHORTEST, TOTAL_LIMIT, Unredacted, UnredactedReason};
use data_encoding::{BASE32, BASE64, BASE64URL, BASE64URL_NOPAD, HEXLOWER, HEXUPPER};
use proptest::prelude::*;
use secrecy::SecretString;

const TOKEN: &str = "ghp_x7!Qz/9+Lm\"4'Wv\\2 Rt$5=Yk~8Jn";

fn redactor(secrets: &[&str]) -> Redactor {
    let secrets: Vec<SecretString> = secrets.iter().map(|text| SecretString::from(*text)).collect();
    Redactor::new(secrets.iter().map(|secret| ("NAME", secret))).0
}

/// Encodings by other hands than ours; each in a text, at some offset.
fn encodings(secret: &str) -> Vec<(&'static str, String)> {
    let bytes = secret.as_bytes();
    let around = |pad: &str| [pad.as_bytes(), bytes, b" and more"].concat();
    let percent = |byte: &u8| {
        if byte.is_ascii_alphanumeric() { char::from(*byte).to_string() } else { format!("%{byte:02X}") }
    };
    let wrapped = |text: String, columns: usize| {
        text.as_bytes()
            .chunks(columns)
            .map(|line| String::from_utf8_lossy(line).into_owned() + "\n")
            .collect::<String>()
    };
    let mut forms = vec![
        ("raw", secret.to_owned()),
        ("raw in capitals", secret.to_uppercase()),
        ("raw, one letter a line", secret.chars().map(|c| format!("{c}\n")).collect()),
        ("raw, with NUL bytes", secret.chars().map(|c| format!("{c}\0")).collect()),
        ("hex", HEXLOWER.encode(bytes)),
        ("hex in capitals", HEXUPPER.encode(bytes)),
        ("hex in groups", wrapped(HEXLOWER.encode(bytes), 4).replace('\n', " ")),
        ("hex with colons", bytes.iter().map(|byte| format!("{byte:02X}")).collect::<Vec<_>>().join(":")),
        ("percent", bytes.iter().map(percent).collect()),
        ("reversed", secret.chars().rev().collect()),
        ("json", serde_json::to_string(secret).unwrap()),
        ("json in json", serde_json::to_string(&serde_json::to_string(secret).unwrap()).unwrap()),
        ("debug", format!("{secret:?}")),
        ("base32", BASE32.encode(bytes)),
        ("double base64", BASE64.encode(BASE64.encode(bytes).as_bytes())),
        ("single quotes", secret.replace('\'', "'\\''")),
        ("decimal", bytes.iter().map(u8::to_string).collect::<Vec<_>>().join(", ")),
        ("c array", bytes.iter().map(|byte| format!("{byte:#04x}")).collect::<Vec<_>>().join(", ")),
    ];
    for pad in ["", "x", "xy", "Authorization: Bearer "] {
        forms.push(("base64", BASE64.encode(&around(pad))));
        forms.push(("base64url", BASE64URL.encode(&around(pad))));
        forms.push(("base64url without padding", BASE64URL_NOPAD.encode(&around(pad))));
        forms.push(("base64 at 64 columns", wrapped(BASE64.encode(&around(&pad.repeat(9))), 64)));
        forms.push(("base64 at 76 columns", wrapped(BASE64.encode(&around(&pad.repeat(9))), 76)));
        forms.push(("base32 at an offset", BASE32.encode(&around(pad))));
        forms.push(("double base64 at an offset", BASE64.encode(BASE64.encode(&around(pad)).as_bytes())));
    }
    forms
}

#[test]
fn a_secret_is_found_in_every_form() {
    let redactor = redactor(&[TOKEN]);
    for (form, text) in encodings(TOKEN) {
        assert!(redactor.finds(&text), "{form}: {text}");
        let around = redactor.text(&format!("before: {text} :after"));
        assert!(around.starts_with("before: ") && around.ends_with(" :after"), "{form}: {around}");
    }
}

#[test]
fn text_without_a_secret_is_left_as_it_is() {
    let redactor = redactor(&[TOKEN, "hunter2hunter2"]);
    for text in ["", "hello", "ghp_x7", "hunter2", "hunter2hunter", "a\n\nb\0c\r\n", "ghp_ghp_ghp_x7!"] {
        assert_eq!(redactor.text(text), text);
    }
    assert_eq!(Redactor::new([]).0.text("anything"), "anything");
}

#[test]
fn what_stands_around_a_secret_stays() {
    let redactor = redactor(&["s3cr3t-value", "other-value"]);
    assert_eq!(redactor.text("a s3cr3t-value b other-value c"), format!("a {MARK} b {MARK} c"));
    assert_eq!(redactor.text("s3cr3t-values3cr3t-value."), format!("{MARK}."));
    assert_eq!(redactor.text("s3cr3t-s3cr3t-value"), format!("s3cr3t-{MARK}"));
}

#[test]
fn part_of_a_long_secret_is_found() {
    let long: String =
        (0..5000_u32).map(|at| char::from(b'!' + u8::try_from(at * at * 31 % 90).unwrap())).collect();
    let redactor = redactor(&[&long, TOKEN]);
    assert!(redactor.finds(&long[1000..1040]));
    assert!(redactor.finds(&BASE64.encode(&long.as_bytes()[1000..1300])));
    assert!(redactor.finds(&TOKEN[..17]) && redactor.finds(&TOKEN[10..]));
    assert_eq!(redactor.text(&long), MARK);
}

#[test]
fn what_is_too_short_or_too_long_to_be_found_is_reported() {
    let secrets = [
        ("PIN", "12345"),
        ("BLANKS", "a b c d"),
        ("GOOD", "123456"),
        ("HUGE", &*"x".repeat(LONGEST + 1)),
        ("EMPTY", ""),
    ];
    let secrets = secrets.map(|(name, text)| (name, SecretString::from(text)));
    let (redactor, unredacted) = Redactor::new(secrets.iter().map(|(name, secret)| (*name, secret)));
    let missed = |name: &str, why| Unredacted { name: name.to_owned(), why };
    assert_eq!(
        unredacted,
        [
            missed("PIN", UnredactedReason::TooShort),
            missed("BLANKS", UnredactedReason::TooShort),
            missed("HUGE", UnredactedReason::TooLong)
        ]
    );
    assert_eq!(redactor.text("12345 123456"), format!("12345 {MARK}"));
    assert_eq!(SHORTEST, 6);
    let many: Vec<SecretString> =
        (0..=TOTAL_LIMIT / LONGEST).map(|at| SecretString::from(at.to_string().repeat(LONGEST))).collect();
    let (_, unredacted) = Redactor::new(many.iter().map(|secret| ("MANY", secret)));
    assert_eq!(unredacted, [missed("MANY", UnredactedReason::TooLong)]);
}

#[test]
fn a_cut_output_shows_no_beginning_of_a_secret() {
    let redactor = redactor(&["s3cr3t-value-0123456789"]);
    for cut in 1.."s3cr3t-value-0123456789".len() {
        let text = format!("h~~~~ {}", &"s3cr3t-value-0123456789"[..cut]);
        let out = String::from_utf8(redactor.whole(text.as_bytes(), true)).unwrap();
        assert!(out.starts_with('h') && out.ends_with(MARK), "{cut}: {out}");
        assert!(cut < 3 || !out.contains("s3c"), "{cut}: {out}");
    }
    assert_eq!(redactor.whole(b"hello ~", true), b"hello ~");
}

#[test]
fn a_stream_of_secrets_or_blanks_takes_no_memory() {
    let redactor = redactor(&["s3cr3t-value"]);
    let mut stream = redactor.stream();
    let mut out = Vec::new();
    for _ in 0..2000 {
        out.extend(stream.push(b"s3cr3t-values3cr3t-values3cr3t-values3cr3t-value"));
        assert!(stream.held.len() < 100 << 10);
    }
    for _ in 0..2000 {
        out.extend(stream.push(&[b' '; 100]));
        assert!(stream.held.len() < 100 << 10);
    }
    out.extend(stream.finish());
    assert!(out.starts_with(MARK.as_bytes()));
    assert_eq!(out.len(), MARK.len() + 200_000);
}

#[test]
fn nothing_of_the_automaton_is_printed() {
    let redactor = redactor(&["s3cr3t-value"]);
    let mut stream = redactor.stream();
    assert_eq!(stream.push(b"s3cr3t-"), b"");
    assert!(!format!("{redactor:?}{stream:?}").contains("s3cr3t"));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn pieces_of_any_size_give_the_same_output(
        secret in "[ -~]{8,60}",
        form in 0..30_usize,
        before in "[ -~\n]{0,40}",
        after in "[ -~\n]{0,40}",
        cuts in proptest::collection::vec(1..9_usize, 1..40),
    ) {
        let letters = secret.chars().filter(|c| *c != ' ').count();
        prop_assume!(letters >= SHORTEST);
        let redactor = redactor(&[&secret]);
        let forms = encodings(secret.trim());
        let (name, form) = &forms[form % forms.len()];
        let text = format!("{before}{form}{after}");
        let whole = redactor.whole(text.as_bytes(), false);
        let mut stream = redactor.stream();
        let (mut rest, mut out) = (text.as_bytes(), Vec::new());
        for cut in cuts.iter().cycle() {
            let (piece, left) = rest.split_at((*cut).min(rest.len()));
            out.extend(stream.push(piece));
            rest = left;
            if rest.is_empty() {
                break;
            }
        }
        out.extend(stream.finish());
        prop_assert_eq!(&out, &whole);
        prop_assert!(whole.windows(MARK.len()).any(|part| part == MARK.as_bytes()), "{}: {}", name, text);
        prop_assert!(!whole.windows(secret.trim().len()).any(|part| part == secret.trim().as_bytes()));
    }

    #[test]
    fn only_what_looks_like_a_secret_changes(text in "[ -~\n]{0,400}") {
        let redactor = redactor(&["\u{1}\u{2}\u{3}\u{4}\u{5}\u{6}\u{7}\u{8}"]);
        prop_assert_eq!(redactor.text(&text), text);
    }
}

use super::*;
use proptest::prelude::*;

const KEY: &str = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAILM+rvN+ot98qgEN796jTiQfZfG1KaT0PtFDJ/XFSqti";
const PRINT: &str = "SHA256:UCUiLr7Pjs9wFFJMDByLgc3NrtdU344OgUM45wZPcIQ";

fn key() -> Fingerprint {
    PRINT.parse().unwrap()
}

/// The one line that a text holds.
fn line(text: &str) -> AllowedLine {
    let allowed = Allowed::parse(text);
    assert_eq!(allowed.losses, [], "{text}");
    let [line] = allowed.lines.as_slice() else { panic!("{text} is not one line") };
    line.clone()
}

#[test]
fn a_line_names_signers_limits_and_a_key() {
    let read = line(&format!("alice@example.org {KEY} her laptop\r"));
    assert_eq!((read.principals.as_str(), read.comment.as_str()), ("alice@example.org", "her laptop"));
    assert_eq!((read.fingerprint, read.kind.as_str()), (key(), "ssh-ed25519"));
    let read = line(&format!(
        "\t\"alice b,bob\"  Namespaces=\"skillful,git\",valid-after=\"19700102Z\",valid-before=\"197001030001Z\"  {KEY}"
    ));
    assert_eq!(read.principals, "alice b,bob");
    assert_eq!(read.namespaces.as_deref(), Some("skillful,git"));
    assert_eq!((read.valid_after, read.valid_before), (Some(86_400), Some(2 * 86_400 + 60)));
    assert_eq!(line(&format!("a namespaces=\"x\\\"y\" {KEY}")).namespaces.as_deref(), Some("x\"y"));
    assert_eq!(Allowed::parse("\n  # a note\n\t\n").lines, []);
}

#[test]
fn a_line_without_a_signer_is_reported_with_its_number() {
    let cases = [
        (format!("alice cert-authority {KEY}"), "certificates are not supported"),
        (format!("alice CERT-AUTHORITY,namespaces=\"x\" {KEY}"), "certificates are not supported"),
        (format!("alice namespaces=\"x\",cert-authority {KEY}"), "certificates are not supported"),
        ("alice ssh-ed25519 AAAA".to_owned(), "neither a public key nor an option"),
        (format!("alice verified {KEY}"), "neither a public key nor an option"),
        (format!("alice namespaces=skillful {KEY}"), "not in quotation marks"),
        (format!("alice namespaces=\"a\",namespaces=\"b\" {KEY}"), "twice"),
        (format!("alice namespaces=\"a\"x {KEY}"), "no comma"),
        (format!("alice valid-after=\"tomorrow\" {KEY}"), "a time such as"),
        (format!("alice valid-after=\"20270230Z\" {KEY}"), "a time such as"),
        (format!("alice valid-after=\"20270102Z\",valid-before=\"20270101Z\" {KEY}"), "ends before"),
        (format!("\"alice {KEY}"), "a quotation mark is open"),
        (format!("unsigned {KEY}"), "cannot be used"),
        (format!("{PRINT} {KEY}"), "cannot be used"),
        ("alice namespaces=\"skillful\"".to_owned(), "no public key"),
        ("alice".to_owned(), "neither"),
    ];
    for (text, part) in cases {
        let allowed = Allowed::parse(&format!("# first\n{text}\nbob {KEY}\n"));
        let [loss] = allowed.losses.as_slice() else { panic!("{text}: {:?}", allowed.losses) };
        assert!(loss.number == 2 && loss.why.contains(part), "{text}: {loss}");
        assert_eq!(allowed.lines.len(), 1, "the other lines count");
    }
}

#[test]
fn patterns_are_those_of_openssh() {
    let is =
        |who: &str, list: &str| Allowed::parse(&format!("{list} {KEY}")).allows(who, key(), NAMESPACE, 0);
    assert!(is("alice@a.org", "*@a.org") && !is("alice@a.org.evil", "*@a.org"));
    assert!(is("bob", "alice,b?b") && !is("bb", "b?b"));
    assert!(
        !is("eve@a.org", "*@a.org,!eve@*") && !is("eve@a.org", "!eve@*,*") && is("bob@a.org", "!eve@*,*")
    );
    assert!(!is("bob", "!eve") && is("", "*") && is("aXbXc", "a*b*c") && !is("aXbX", "a*b*c"));
    assert!(!is("Alice", "alice"), "names are told apart by case");
}

#[test]
fn a_time_without_a_zone_counts_only_when_it_holds_everywhere() {
    let hour = 3600;
    let after = line(&format!("a valid-after=\"19700102\" {KEY}")).valid_after.unwrap();
    assert_eq!(after, (24 + 12) * hour);
    let before = line(&format!("a valid-before=\"19700102\" {KEY}")).valid_before.unwrap();
    assert_eq!(before, (24 - 14) * hour);
    for (text, seconds) in [
        ("20000229Z", 951_782_400),
        ("20261115181234Z", 1_794_766_354),
        ("20280229120000UTC", 1_835_438_400),
        ("21000301Z", 4_107_542_400),
    ] {
        assert_eq!(line(&format!("a valid-after=\"{text}\" {KEY}")).valid_after, Some(seconds), "{text}");
    }
    for text in [
        "20261301Z",
        "20260431Z",
        "20270229Z",
        "202601012400Z",
        "20260101000060Z",
        "19691231Z",
        "2026010112Z",
    ] {
        let allowed = Allowed::parse(&format!("a valid-after=\"{text}\" {KEY}"));
        assert!(allowed.lines.is_empty() && allowed.losses.len() == 1, "{text}");
    }
}

#[test]
fn a_known_key_that_does_not_count_now_or_here_is_unknown_with_the_reason() {
    let text = format!(
        "old valid-before=\"19700102Z\" {KEY}\nnew valid-after=\"20700101Z\" {KEY}\ngit namespaces=\"git\" {KEY}\n"
    );
    let Signed::Unknown { fingerprint, unfit } = Allowed::parse(&text).find(key(), 1_000_000) else {
        panic!("it must not be known")
    };
    assert_eq!(fingerprint, key());
    assert_eq!(
        unfit,
        [
            "line 1 for `old` counts no longer (valid-before)",
            "line 2 for `new` does not count yet (valid-after)",
            "line 3 for `git` is not for `skillful` (namespaces=\"git\")",
        ]
    );
    let known = Allowed::parse(&format!("{text}alice {KEY}\n")).find(key(), 1_000_000);
    assert_eq!(known.signer().unwrap().to_string(), format!("alice {PRINT}"));
}

#[test]
fn keys_are_added_and_removed_without_touching_other_lines() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("key.pub");
    std::fs::write(&file, format!("{KEY} laptop\n")).unwrap();
    let own = format!("# mine\n  *@work namespaces=\"git\" {KEY}\nbroken line");
    let (text, added) = Allowed::with_key(&own, "alice@a.org", &file).unwrap().unwrap();
    assert_eq!(text, format!("{own}\nalice@a.org namespaces=\"skillful\" {KEY} laptop\n"));
    assert_eq!((added.number, added.fingerprint), (4, key()));
    assert_eq!(Allowed::with_key(&text, "alice@a.org", &file).unwrap(), None, "it is there already");
    let (without, gone) = Allowed::without(&text, "alice@a.org");
    assert_eq!((without, gone.len()), (format!("{own}\n"), 1));
    let (without, gone) = Allowed::without(&text, PRINT);
    assert_eq!((without.as_str(), gone.len()), ("# mine\nbroken line\n", 2));
    assert_eq!(Allowed::without(&text, "nobody"), (text.clone(), Vec::new()));
    for names in ["!eve", ",", ",,!eve", ",alice"] {
        let other = format!("{names} {KEY}\n");
        assert_eq!(Allowed::without(&other, "bob"), (other.clone(), Vec::new()), "bob is not in this line");
    }
    assert_eq!(Allowed::without(&format!(",alice {KEY}\n"), "alice").0, "");
    let several = format!("\"alice,bob b,!eve\" {KEY} c\n");
    let (without, gone) = Allowed::without(&several, "alice");
    assert_eq!(without, format!("\"bob b,!eve\" {KEY} c\n"));
    assert_eq!(gone[0].principals, "alice");
    assert_eq!(Allowed::without(&without, "bob b").0, "", "nobody is left whose key it is");
    for (names, rest) in [("a,#b", "\"#b\" "), ("a,", ""), (",a,b", "b ")] {
        let (without, _) = Allowed::without(&format!("{names} {KEY}\n"), "a");
        let expected = if rest.is_empty() { String::new() } else { format!("{rest}{KEY}\n") };
        assert_eq!(without, expected, "{names}");
    }

    for name in ["", "a b", "a,b", "*", "a?", "!a", "#a", "a\"", "unsigned", PRINT, "a\u{202e}b"] {
        assert!(matches!(Allowed::with_key("", name, &file), Err(KeyFileError::Name(_))), "{name}");
    }
    for (held, is_private) in [
        ("-----BEGIN OPENSSH PRIVATE KEY-----\nx\n", true),
        ("", false),
        ("ssh-ed25519 AAAA", false),
        (&format!("{KEY}\n{KEY}\n"), false),
        (&format!("alice {KEY}"), false),
    ] {
        std::fs::write(&file, held).unwrap();
        let refused = Allowed::with_key("", "alice", &file).unwrap_err();
        assert_eq!(matches!(refused, KeyFileError::Private(_)), is_private, "{refused}");
    }
}

#[test]
fn a_signer_has_one_spelling() {
    let signer: Signer = format!("Alice B {PRINT}").parse().unwrap();
    assert_eq!(signer.principal.as_deref(), Some("Alice B"));
    assert_eq!(signer.to_string(), format!("Alice B {PRINT}"));
    // The last character has bits that no key uses.
    let other = format!("{}R", &PRINT[..PRINT.len() - 1]);
    for text in
        ["", "alice", &format!(" {PRINT}"), &format!("a\tb\n {PRINT}"), &other, "SHA512:x", "MD5:00:11"]
    {
        assert_eq!(text.parse::<Signer>(), Err(NotASigner), "{text}");
    }
}

#[test]
fn a_signer_stays_the_same_by_key_or_by_a_name_that_the_user_gave_to_both_keys() {
    let signer = |text: &str| text.parse::<Signer>().unwrap();
    let other = "SHA256:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
    let nobody = Allowed::default();
    let alice = signer(&format!("alice {PRINT}"));
    assert!(signer(PRINT).is_same(&alice, &nobody) && alice.is_same(&signer(PRINT), &nobody));
    // The name in a lock is not trusted; only the user's own file gives two keys to one signer.
    let second = signer(&format!("alice {other}"));
    assert!(!second.is_same(&alice, &nobody));
    let knows = Allowed::parse(&format!("alice valid-before=\"20200101Z\" {KEY}\n"));
    assert!(second.is_same(&alice, &knows) && second.is_same(&signer(PRINT), &knows));
    assert!(
        !signer(&format!("bob {other}")).is_same(&alice, &knows) && !signer(other).is_same(&alice, &knows)
    );
    for many in ["*", "a,b", "?", "!x"] {
        let two = signer(&format!("{many} {other}"));
        let knows = Allowed::parse(&format!("{many} {KEY}\n"));
        assert!(!two.is_same(&signer(PRINT), &knows), "{many} is not one person");
    }
}

#[test]
fn what_is_not_a_signature_is_bad_and_never_unsigned() {
    let tree = Digest::from_bytes([7; 32]);
    let allowed = Allowed::default();
    for bytes in [
        Vec::new(),
        b"hello".to_vec(),
        vec![0xff; 40],
        vec![b'A'; SIGNATURE_LIMIT + 1],
        b"-----BEGIN SSH SIGNATURE-----\n-----END SSH SIGNATURE-----\n".to_vec(),
        b"-----BEGIN PGP SIGNATURE-----\nAAAA\n-----END PGP SIGNATURE-----\n".to_vec(),
    ] {
        let signed = check(&tree, Some(&Signature::new(bytes)), &allowed, 0);
        assert!(matches!(signed, Signed::Bad(_)), "{signed:?}");
    }
    assert_eq!(check(&tree, None, &allowed, 0), Signed::Unsigned);
}

proptest! {
    #[test]
    fn every_line_is_a_key_a_loss_or_nothing(
        lines in proptest::collection::vec(
            prop_oneof![
                "\\PC{0,40}",
                "[a-z*?!,\" ]{1,12} (namespaces=\"[a-z,*]{0,6}\",?)?(valid-(after|before)=\"[0-9]{6,15}Z?\")? ?",
                "(#| |\t)?[a-z]{1,4}",
            ],
            0..8,
        ),
        with_key in any::<bool>(),
    ) {
        let end = if with_key { KEY } else { "" };
        let text: String = lines.iter().map(|line| format!("{}{end}\n", line.replace('\n', " "))).collect();
        let allowed = Allowed::parse(&text);
        let silent = text.lines().filter(|line| {
            let line = line.trim_matches([' ', '\t', '\r']);
            line.is_empty() || line.starts_with('#')
        });
        prop_assert_eq!(allowed.lines.len() + allowed.losses.len() + silent.count(), text.lines().count());
        for line in &allowed.lines {
            prop_assert_eq!(line.fingerprint, key());
            prop_assert!(!line.principals.is_empty());
        }
        prop_assert!(allowed.losses.iter().all(|loss| !loss.why.is_empty()));
    }

    #[test]
    fn removing_a_name_removes_it_and_nothing_else(
        names in proptest::collection::vec("[a-d]{1,2}(,[a-d]{1,2}){0,2}", 0..6),
        who in "[a-d]{1,2}",
    ) {
        let text: String = names.iter().map(|names| format!("{names} {KEY}\n")).collect();
        let (without, _) = Allowed::without(&text, &who);
        let (before, after) = (Allowed::parse(&text), Allowed::parse(&without));
        prop_assert!(after.losses.is_empty());
        prop_assert!(!after.allows(&who, key(), NAMESPACE, 0));
        for other in ["a", "b", "c", "d", "ab", "ba", "cd"] {
            let now = after.allows(other, key(), NAMESPACE, 0);
            prop_assert_eq!(now, other != who && before.allows(other, key(), NAMESPACE, 0));
        }
    }

    #[test]
    fn no_bytes_panic_the_check(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        let tree = Digest::from_bytes([0; 32]);
        let signed = check(&tree, Some(&Signature::new(bytes)), &Allowed::default(), 0);
        prop_assert!(matches!(signed, Signed::Bad(_)));
    }
}

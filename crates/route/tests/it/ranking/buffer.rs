use crate::sample::index;
use skillful_route::ranking::{Damage, Index};

#[test]
fn a_buffer_opens_to_the_same_index() {
    let index = index();
    let again = Index::from_bytes(index.to_bytes(1)).unwrap();
    assert_eq!(again.fingerprint(), index.fingerprint());
    assert_eq!(again.search("fill a pdf form", 10), index.search("fill a pdf form", 10));
}

#[test]
fn a_buffer_that_is_not_an_index_is_refused_with_the_reason() {
    let open = |bytes: Vec<u8>| Index::from_bytes(bytes).err();
    let good = index().to_bytes(1);
    assert_eq!(open(Vec::new()), Some(Damage::Magic));
    assert_eq!(open(b"not an index at all".to_vec()), Some(Damage::Magic));
    let mut newer = good.clone();
    newer[8] = 99;
    assert_eq!(open(newer), Some(Damage::Version(99)));
    let mut header = good.clone();
    header[13] ^= 1;
    assert_eq!(open(header), Some(Damage::Header));
    assert_eq!(open(good[..good.len() - 1].to_vec()), Some(Damage::Sections));
    let mut longer = good;
    longer.push(0);
    assert_eq!(open(longer), Some(Damage::Sections));
}

#[test]
fn a_truncated_buffer_is_never_opened() {
    let good = index().to_bytes(1);
    for length in 0..good.len() {
        assert!(Index::from_bytes(good[..length].to_vec()).is_err(), "{length}");
    }
}

//! Secrets as bytes: each text with its length before it, in the order of the names. A format of our
//! own, because a general serialiser copies values into buffers that are not wiped.

use super::SecretName;
use secrecy::{ExposeSecret, SecretString};
use std::collections::BTreeMap;
use zeroize::Zeroizing;

/// Bytes of a length.
const LENGTH: usize = 4;

/// All secrets of a user.
pub(super) type Records = BTreeMap<SecretName, SecretString>;

/// The bytes of all records.
pub(super) fn write(records: &Records) -> Zeroizing<Vec<u8>> {
    let size = |name: &SecretName, value: &SecretString| {
        [name.service.len(), name.key.len(), value.expose_secret().len()]
            .iter()
            .map(|length| length + LENGTH)
            .sum::<usize>()
    };
    let total = records.iter().map(|(name, value)| size(name, value)).sum();
    let mut bytes = Zeroizing::new(Vec::with_capacity(total));
    for (name, value) in records {
        for text in [&name.service, &name.key, value.expose_secret()] {
            let length = u32::try_from(text.len()).unwrap_or(u32::MAX);
            bytes.extend_from_slice(&length.to_le_bytes());
            bytes.extend_from_slice(text.as_bytes());
        }
    }
    bytes
}

/// The records in bytes that [`write`] made; `None` for any other bytes.
pub(super) fn read(mut bytes: &[u8]) -> Option<Records> {
    let mut records = Records::new();
    while !bytes.is_empty() {
        let service = text(&mut bytes)?;
        let key = text(&mut bytes)?;
        let value = SecretString::from(text(&mut bytes)?);
        records.insert(SecretName::new(service, key).ok()?, value);
    }
    Some(records)
}

fn text<'a>(bytes: &mut &'a [u8]) -> Option<&'a str> {
    let (length, rest) = bytes.split_first_chunk::<LENGTH>()?;
    let length = usize::try_from(u32::from_le_bytes(*length)).ok()?;
    let (text, rest) = rest.split_at_checked(length)?;
    *bytes = rest;
    std::str::from_utf8(text).ok()
}

//! Images for models: attached by the user, or read with `read_file`.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use skillful_llm::Part;
use std::{
    fs::File,
    io::{self, Read},
    path::Path,
};

/// Most bytes of an image: providers refuse more than 5 MB in Base64.
pub(crate) const LARGEST: u64 = 3_750_000;

/// An image that a model can be shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    media: &'static str,
    data: String,
}

impl Image {
    /// An image of bytes in one of the formats that providers take.
    pub fn new(bytes: &[u8]) -> Option<Self> {
        Some(Self { media: media_type(bytes)?, data: STANDARD.encode(bytes) })
    }

    /// Reads an attached file. `None` when it is not an image.
    pub(crate) fn read(path: &Path) -> io::Result<Option<Self>> {
        // To open a pipe is to wait for its writer.
        if !path.metadata()?.is_file() {
            return Ok(None);
        }
        let file = File::open(path)?;
        let mut bytes = Vec::new();
        let mut file = file.take(LARGEST + 1);
        file.by_ref().take(16).read_to_end(&mut bytes)?;
        if media_type(&bytes).is_none() {
            return Ok(None);
        }
        file.read_to_end(&mut bytes)?;
        if bytes.len() as u64 > LARGEST {
            return Err(io::Error::new(
                io::ErrorKind::FileTooLarge,
                format!("it has more than {LARGEST} bytes"),
            ));
        }
        Ok(Self::new(&bytes))
    }

    /// The part of a message.
    pub(crate) fn part(self) -> Part {
        Part::Image { media: self.media.to_owned(), data: self.data }
    }
}

/// The media type of an image by its first bytes.
pub(crate) fn media_type(head: &[u8]) -> Option<&'static str> {
    match head {
        [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..] => Some("image/png"),
        [0xff, 0xd8, 0xff, ..] => Some("image/jpeg"),
        [b'G', b'I', b'F', b'8', ..] => Some("image/gif"),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some("image/webp"),
        _ => None,
    }
}

/// What stands in the place of an image that a model does not take.
const NOT_TAKEN: &str = "(An image was here. This model does not take images.)";

/// Replaces images by a note. Returns whether there were any.
pub(crate) fn remove_all<'a>(parts: impl Iterator<Item = &'a mut Part>) -> bool {
    let mut found = false;
    for part in parts.filter(|part| matches!(part, Part::Image { .. })) {
        *part = Part::text(NOT_TAKEN);
        found = true;
    }
    found
}

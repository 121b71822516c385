//! Little-endian fields, read one after the other from a slice that may end too early.

use crate::refuse;
use skillful_format::Diagnostic;

/// The bytes still to read.
pub(super) struct Fields<'a>(pub(super) &'a [u8]);

impl<'a> Fields<'a> {
    /// The next `count` bytes.
    pub(super) fn bytes(&mut self, count: usize) -> Result<&'a [u8], Diagnostic> {
        let (head, tail) = self
            .0
            .split_at_checked(count)
            .ok_or_else(|| refuse::unreadable("the archive ends in the middle of a record"))?;
        self.0 = tail;
        Ok(head)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], Diagnostic> {
        let mut array = [0; N];
        array.copy_from_slice(self.bytes(N)?);
        Ok(array)
    }

    pub(super) fn u16(&mut self) -> Result<u16, Diagnostic> {
        Ok(u16::from_le_bytes(self.array()?))
    }

    pub(super) fn u32(&mut self) -> Result<u32, Diagnostic> {
        Ok(u32::from_le_bytes(self.array()?))
    }

    /// A length of at most 16 bits, ready for slicing.
    pub(super) fn short_len(&mut self) -> Result<usize, Diagnostic> {
        Ok(usize::from(self.u16()?))
    }
}

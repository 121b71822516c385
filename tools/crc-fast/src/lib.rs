//! CRC-64/NVME behind the names that `object_store` uses for it. The workspace puts this crate in the place of `crc-fast`
//! (`[patch.crates-io]`), whose tables for every checksum there is would be a fortieth of the program; a program that is
//! installed from the registry has the real one.

/// The checksums that can be chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CrcAlgorithm {
    /// CRC-64/NVME, which S3 takes.
    Crc64Nvme,
}

/// The polynomial, its lowest power first.
const POLYNOMIAL: u64 = 0x9a6c_9329_ac4b_c9b5;

const TABLE: [u64; 256] = {
    let mut table = [0; 256];
    let mut at = 0;
    while at < 256 {
        let mut value = at as u64;
        let mut bit = 0;
        while bit < 8 {
            value = if value & 1 == 1 { value >> 1 ^ POLYNOMIAL } else { value >> 1 };
            bit += 1;
        }
        table[at] = value;
        at += 1;
    }
    table
};

/// A checksum of bytes that come in pieces.
#[derive(Clone, Copy, Debug)]
pub struct Digest(u64);

impl Digest {
    /// Of nothing yet.
    pub fn new(algorithm: CrcAlgorithm) -> Self {
        match algorithm {
            CrcAlgorithm::Crc64Nvme => Self(u64::MAX),
        }
    }

    /// Adds bytes.
    pub fn update(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = TABLE[usize::from(self.0.to_le_bytes()[0] ^ byte)] ^ self.0 >> 8;
        }
    }

    /// The checksum.
    pub fn finalize(&self) -> u64 {
        !self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checksum_has_the_value_of_its_catalog_in_one_piece_and_in_several() {
        let mut whole = Digest::new(CrcAlgorithm::Crc64Nvme);
        whole.update(b"123456789");
        assert_eq!(whole.finalize(), 0xae8b_1486_0a79_9888);
        let mut parts = Digest::new(CrcAlgorithm::Crc64Nvme);
        for part in [b"1234".as_slice(), b"", b"56789"] {
            parts.update(part);
        }
        assert_eq!(parts.finalize(), whole.finalize());
    }
}

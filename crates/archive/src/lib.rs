//! Packages: a skill as one file, read and written in memory.
//!
//! A package is a zip (`.zip`, `.skill`), a gzipped tar (`.tar.gz`, `.tgz`) or a bare `SKILL.md`. Its first
//! bytes decide which, never its name. Both archive formats are read by strict walkers of our own rather
//! than by a general library: the formats say most things twice, libraries pick one of the two, and an
//! archive that means one thing to a scanner and another to an installer smuggles files. Here every byte
//! must belong to exactly one thing, and everything said twice must agree.
//!
//! Invariants: both walkers pass each entry through one gate (`gate`), which alone decides on paths, kinds
//! and sizes, before a byte of the entry is unpacked; a refused package yields no tree at all; the memory
//! that an archive can use is bounded by its [`Limits`](skillful_format::Limits); the same tree is written
//! as the same bytes on every machine. No disk, clock, network or environment.

mod deflate;
mod gate;
mod layout;
mod package;
mod refuse;
mod tar;
mod zip;

pub use package::{Package, PackageKind, RefusedPackage, contents, read};
pub use tar::{write_tar_gz, write_tar_gz_bare};
pub use zip::write_zip;

/// The example of the README is compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct ReadmeExample;

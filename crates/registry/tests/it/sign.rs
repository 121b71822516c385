//! Signatures, side by side with the real `ssh-keygen`. Without that program these tests fail.

mod install;
mod interop;
pub(crate) mod keys;

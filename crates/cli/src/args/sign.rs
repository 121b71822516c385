//! Arguments of the commands about signatures.

use clap::{Args, Subcommand, ValueHint};
use std::path::PathBuf;

const SIGN_HELP: &str = "\
SKILL.sig at the top of a skill is an SSH signature of all its other files. What is signed is the line \
`sha256:…` that `skillful sign` prints, so anybody can check it without this program:
  printf 'sha256:…\\n' | ssh-keygen -Y verify -f allowed_signers -I WHO -n skillful -s SKILL.sig

A key with a passphrase, in an agent (name its .pub file) or on a piece of hardware signs through ssh-keygen.";

const KEYS_HELP: &str = "\
The file is allowed_signers beside config.toml, in OpenSSH's own format (see ssh-keygen(1)); edit it as you like. \
Signatures by other keys are told apart by the fingerprint of the key.";

/// `sign`.
#[derive(Debug, Args)]
#[command(after_help = SIGN_HELP, args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub struct SignArgs {
    /// What else to do.
    #[command(subcommand)]
    pub command: Option<SignCommand>,
    /// The folder with the SKILL.md
    #[arg(required = true, value_hint = ValueHint::DirPath)]
    pub folder: Option<PathBuf>,
    /// The key to sign with [default: `~/.ssh/id_ed25519`]
    #[arg(long, short, value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with = "check")]
    pub key: Option<PathBuf>,
    /// Sign nothing; print who signed it, and exit with 1 unless you know the key
    #[arg(long)]
    pub check: bool,
    /// Exit with 1 unless this one signed it: a name of `skillful sign keys`, or a fingerprint
    #[arg(long, value_name = "WHO", requires = "check")]
    pub signer: Option<String>,
}

/// What else `sign` does.
#[derive(Debug, Subcommand)]
pub enum SignCommand {
    /// List, add and remove the keys whose signatures you know
    Keys(KeysArgs),
}

/// `sign keys`. Without a subcommand it lists.
#[derive(Debug, Args)]
#[command(after_help = KEYS_HELP)]
pub struct KeysArgs {
    /// What to do.
    #[command(subcommand)]
    pub command: Option<KeysCommand>,
}

/// What can be done with known keys.
#[derive(Debug, Subcommand)]
pub enum KeysCommand {
    /// List whose signatures you know
    #[command(visible_alias = "ls")]
    List,
    /// Add a key, and whose it is
    Add {
        /// Whose key it is, such as an e-mail address
        principal: String,
        /// The file with the public key
        #[arg(value_hint = ValueHint::FilePath)]
        key: PathBuf,
    },
    /// Remove a key, or all keys of a name
    #[command(visible_alias = "rm")]
    Remove {
        /// A name, or the fingerprint of a key
        principal: String,
    },
}

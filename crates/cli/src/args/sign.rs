//! Arguments of the commands about signatures.

use clap::{Args, Subcommand, ValueHint};
use std::path::PathBuf;

const SIGN_HELP: &str = "\
SKILL.sig in the folder of a skill is an SSH signature of all its other files. It signs the line `sha256:…` \
that `skillful sign` prints, so it can be checked without Skillful:
  printf 'sha256:…\\n' | ssh-keygen -Y verify -f allowed_signers -I WHO -n skillful -s SKILL.sig

Keys with a passphrase, in an SSH agent (name the .pub file) or in hardware sign through ssh-keygen.";

const KEYS_HELP: &str = "\
The keys are in allowed_signers beside config.toml, in the format of OpenSSH (see ssh-keygen(1)); you can edit it. \
Other keys are shown by their fingerprint.";

/// `sign`.
#[derive(Debug, Args)]
#[command(after_help = SIGN_HELP, args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub struct SignArgs {
    /// The subcommand.
    #[command(subcommand)]
    pub command: Option<SignCommand>,
    /// The folder with the SKILL.md
    #[arg(required = true, value_hint = ValueHint::DirPath)]
    pub folder: Option<PathBuf>,
    /// The key to sign with [default: `~/.ssh/id_ed25519`]
    #[arg(long, short, value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with = "check", help_heading = "Which key")]
    pub key: Option<PathBuf>,
    /// Only print who signed it, and exit with 1 unless you know the key
    #[arg(long, help_heading = "Check")]
    pub check: bool,
    /// Exit with 1 unless this key signed it: a name of `skillful sign keys`, or a fingerprint
    #[arg(long, value_name = "WHO", requires = "check", help_heading = "Check")]
    pub signer: Option<String>,
}

/// Subcommands of `sign`.
#[derive(Debug, Subcommand)]
pub enum SignCommand {
    /// List, add and remove the keys whose signatures you know
    Keys(KeysArgs),
}

/// `sign keys`. Without a subcommand it lists.
#[derive(Debug, Args)]
#[command(after_help = KEYS_HELP)]
pub struct KeysArgs {
    /// The subcommand.
    #[command(subcommand)]
    pub command: Option<KeysCommand>,
}

/// Subcommands of `sign keys`.
#[derive(Debug, Subcommand)]
pub enum KeysCommand {
    /// List the keys that you know
    #[command(visible_alias = "ls")]
    List,
    /// Add a key with the name of its owner
    Add {
        /// The owner, such as an e-mail address
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

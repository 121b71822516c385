//! Arguments of `serve`.

use clap::{Args, Subcommand, ValueHint};
use std::path::PathBuf;

/// `serve`.
#[derive(Debug, Args)]
pub struct ServeArgs {
    /// The subcommand
    #[command(subcommand)]
    pub command: Option<ServeCommand>,
    /// Where to listen [default: 127.0.0.1:8787]
    #[arg(long, global = true, value_name = "ADDRESS", help_heading = "Reached at")]
    pub listen: Option<String>,
    /// The address that users open, when a proxy is in front, such as `https://skills.example.org`
    #[arg(long, global = true, value_name = "URL", help_heading = "Reached at")]
    pub address: Option<String>,
    /// A further host name of this server (repeatable)
    #[arg(long, global = true, value_name = "NAME", help_heading = "Reached at")]
    pub allow_host: Vec<String>,
    /// Listen at an address that other machines reach; put a proxy with TLS in front
    #[arg(long, global = true, help_heading = "Reached at")]
    pub public: bool,
    /// Open the page in the browser of this machine, signed in as its administrator
    #[arg(long, help_heading = "Reached at")]
    pub open: bool,
    /// `postgres://…`, or a SQLite file [default: in the data folder]
    #[arg(long, global = true, value_name = "DATABASE", help_heading = "Kept in")]
    pub database: Option<String>,
    /// `s3://BUCKET`, or a folder that all servers share [default: in the data folder]
    #[arg(long, global = true, value_name = "PLACE", help_heading = "Kept in")]
    pub objects: Option<String>,
    /// A file with these settings [default: serve.toml beside the configuration]
    #[arg(long, global = true, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Kept in")]
    pub config: Option<PathBuf>,
}

/// Subcommands of `serve`.
#[derive(Debug, Subcommand)]
pub enum ServeCommand {
    /// Report what is wrong with the settings, the database and the contents, and start nothing
    Check,
    /// Print the description of the API as JSON
    Openapi,
    /// Write every row and all contents into a new folder, while the server runs
    Backup {
        /// The folder
        #[arg(value_name = "FOLDER", value_hint = ValueHint::DirPath)]
        folder: PathBuf,
    },
    /// Bring a backup into an empty database, of either kind
    Restore {
        /// The folder of the backup
        #[arg(value_name = "FOLDER", value_hint = ValueHint::DirPath)]
        folder: PathBuf,
    },
}

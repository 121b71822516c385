//! Programs and flags that are dangerous whatever flows through them.

use super::super::Call;
use crate::{
    flow::{Flow, Labels},
    report::Severity,
    rule::Rule,
};

const MINERS: [&str; 10] = [
    "xmrig",
    "minerd",
    "cpuminer",
    "cgminer",
    "bfgminer",
    "nbminer",
    "t-rex",
    "phoenixminer",
    "ethminer",
    "xmr-stak",
];
/// Paths that no honest text deletes.
const ROOTS: [&str; 22] = [
    "/",
    "/*",
    "~",
    "~/",
    "~/*",
    "$HOME",
    "$HOME/",
    "$HOME/*",
    "/home",
    "/home/*",
    "/Users",
    "/Users/*",
    "/etc",
    "/usr",
    "/var",
    "/bin",
    "/boot",
    "C:\\",
    "C:/",
    "/home/$USER",
    "~/Documents",
    "$HOME/Documents",
];

/// Everything below the place where a command is given.
const EVERYTHING: [&str; 6] = ["*", "./*", ".", "..", "../*", "./"];

pub(super) fn look(flow: &mut Flow, program: &str, call: &Call) {
    let line = call.line();
    let range = || call.range.clone();
    if MINERS.contains(&program) || line.contains("stratum+") || line.contains("--donate-level") {
        flow.hit(Rule::Miner, Severity::Block, range());
    }
    let home = call.plain().any(|word| ROOTS.contains(&word.text.trim_end_matches('.')));
    match program {
        "rm" if (call.has(&["-r", "-R", "--recursive"]) && home) || line.contains("--no-preserve-root") => {
            flow.hit(Rule::Destroys, Severity::Block, range());
        }
        "rm" if call.has(&["-r", "-R", "--recursive"])
            && call.plain().any(|word| EVERYTHING.contains(&word.text.as_str())) =>
        {
            // Inside a folder that was just made this is housekeeping.
            let severity = if flow.programs.iter().any(|p| p == "cd" || p == "mktemp") && !flow.in_home {
                Severity::Warn
            } else {
                Severity::Block
            };
            flow.hit(Rule::Destroys, severity, range());
        }
        "find"
            if (line.contains("-delete") || line.contains("-exec rm"))
                && (line.contains("! -name") || line.contains("-not -name"))
                && !line.contains("-maxdepth 0")
                && !line.contains("node_modules") =>
        {
            // What is kept to be made anew may go.
            let cache = call.plain().next().is_some_and(|word| {
                let path = word.raw.to_ascii_lowercase();
                path.contains("cache") || path.contains("/tmp/")
            });
            flow.hit(Rule::Destroys, if cache { Severity::Warn } else { Severity::Block }, range());
        }
        "rm" if call.has(&["-r", "-R", "--recursive"])
            && call.plain().any(|word| is_folder_of_user(&word.text)) =>
        {
            flow.hit(Rule::Destroys, Severity::Block, range());
        }
        "kill"
            if call.arguments().len() > 1
                && call.arguments().last().is_some_and(|word| word.text == "-1") =>
        {
            flow.hit(Rule::Destroys, Severity::Block, range());
        }
        // Settings of an agent are rewritten so that it asks for less.
        "sed" | "perl"
            if crate::sensitive::is_agent(&line)
                && !crate::page::planted_orders::look(&line, &flow.purpose).is_empty() =>
        {
            flow.hit(Rule::ApprovalOff, Severity::Block, range());
        }
        "rm" if call.has(&["-r", "-R", "--recursive"])
            && call.plain().any(|word| {
                let path = word.text.trim_end_matches(['*', '/']);
                (path.starts_with('/') || path.starts_with('~'))
                    && path.to_ascii_lowercase().ends_with("backups")
            }) =>
        {
            flow.hit(Rule::Destroys, Severity::Block, range());
        }
        "docker" | "podman"
            if line.contains("--privileged")
                && (line.contains("-v /:/") || line.contains("--volume /:/") || line.contains("-v=/:/")) =>
        {
            flow.hit(Rule::Backdoor, Severity::Block, range());
        }
        "vssadmin" | "wbadmin" | "tmutil" if line.contains("delete") => {
            flow.hit(Rule::Destroys, Severity::Block, range());
        }
        "jq" if line.contains("permissions")
            && line.to_ascii_lowercase().contains("bash")
            && line.contains('=') =>
        {
            let severity =
                if flow.origin == crate::flow::Origin::Block { Severity::Warn } else { Severity::Block };
            flow.hit(Rule::AgentConfig, severity, range());
        }
        "find"
            if home && (line.contains("-delete") || line.contains("-exec rm") || line.contains("shred")) =>
        {
            // Deleting by name below a home is housekeeping.
            let narrow = line.contains("-name")
                || line.contains("-iname")
                || line.contains("-path")
                || line.contains("-mtime");
            if !narrow {
                flow.hit(Rule::Destroys, Severity::Block, range());
            }
        }
        "find" if home && (line.contains("openssl enc") || line.contains("gpg ")) => {
            flow.hit(Rule::Ransom, Severity::Block, range());
        }
        "dd" if is_disk(&line, "of=") => flow.hit(Rule::Destroys, Severity::Block, range()),
        "mkfs" | "wipefs" | "blkdiscard" => flow.hit(Rule::Destroys, Severity::Warn, range()),
        program if program.starts_with("mkfs.") && line.contains("/dev/") => {
            flow.hit(Rule::Destroys, Severity::Warn, range());
        }
        "shred" if home => flow.hit(Rule::Destroys, Severity::Block, range()),
        "chmod" if home && line.contains("777") => {
            let all = call.has(&["-R", "--recursive"]) && call.plain().any(|word| word.text == "/");
            flow.hit(Rule::Destroys, if all { Severity::Block } else { Severity::Warn }, range());
        }
        "cd" | "pushd" => {
            let to = call.plain().next().map_or("~", |word| word.text.as_str());
            flow.in_home = matches!(to.trim_end_matches('/'), "~" | "$HOME" | "" | "/root" | "/home/$USER");
        }
        "kubectl" if line.starts_with("delete n") && line.contains("$()") => {
            flow.hit(Rule::Destroys, Severity::Warn, range());
        }
        "docker" if line.starts_with("volume rm") && line.contains("$()") => {
            flow.hit(Rule::Destroys, Severity::Warn, range());
        }
        "kubectl" if line.contains("clusterrolebinding") && line.contains("cluster-admin") => {
            let fixed = line.split("--user=").nth(1).is_some_and(|user| {
                let user = user.split_whitespace().next().unwrap_or_default();
                let name = user.split('@').next().unwrap_or_default();
                user.contains('@') && !user.contains(['$', '<', '{']) && !is_stand_in(name)
            });
            flow.hit(Rule::Backdoor, if fixed { Severity::Block } else { Severity::Note }, range());
        }
        "yes"
            if call.words[0].text == "yes"
                && call.writes.iter().any(|(file, _)| !file.starts_with("/dev/")) =>
        {
            flow.hit(Rule::Floods, Severity::Block, range());
        }
        "python" | "python3"
            if line.contains("http.server")
                && call
                    .value(&["--directory", "-d"])
                    .is_some_and(|word| ROOTS.contains(&word.text.as_str())) =>
        {
            flow.hit(Rule::DataSent, Severity::Block, range());
        }
        "ngrok" | "cloudflared"
            if line.contains("file:///$HOME")
                || line.contains("file:///home")
                || line.contains("file://~") =>
        {
            flow.hit(Rule::DataSent, Severity::Block, range());
        }
        "journalctl" if line.contains("--vacuum-time=1s") || line.contains("--vacuum-size=1") => {
            flow.hit(Rule::Conceal, Severity::Warn, range());
        }
        "auditctl" if line.contains("-e 0") || line.contains("-D") => {
            flow.hit(Rule::Conceal, Severity::Warn, range());
        }
        "systemctl" | "service" if line.contains("auditd") && line.contains("stop") => {
            flow.hit(Rule::Conceal, Severity::Warn, range());
        }
        "wevtutil" if line.starts_with("cl") || line.starts_with("clear-log") => {
            flow.hit(Rule::Conceal, Severity::Block, range());
        }
        "gh" if line.contains("/collaborators/") && line.contains("PUT") => {
            let name = line.split("/collaborators/").nth(1).unwrap_or_default();
            let name = name.split([' ', '/', '"', '\'']).next().unwrap_or_default();
            let fixed = !name.is_empty() && !name.contains(['$', '<', '{', '[', ':']);
            let admin = line.contains("admin") || line.contains("maintain") || line.contains("push");
            if fixed && admin && !is_stand_in(name) {
                flow.hit(Rule::Backdoor, Severity::Block, range());
            }
        }
        "gh" if line.contains("deploy-key add") && call.stdin.text.contains("AAAA") => {
            flow.hit(Rule::Backdoor, Severity::Block, range());
        }
        "git"
            if line.contains("credential.helper")
                && ["curl ", "wget ", "nc ", "://"].iter().any(|way| line.contains(way)) =>
        {
            flow.hit(Rule::SecretSent, Severity::Block, range());
        }
        // Git runs these at its next use.
        "git"
            if line.contains("config")
                && [
                    "core.sshcommand",
                    "core.fsmonitor",
                    "core.pager",
                    "core.editor",
                    "alias.",
                    "diff.external",
                ]
                .iter()
                .any(|key| line.to_ascii_lowercase().contains(key))
                && ["curl ", "wget ", "nc ", "/dev/tcp", "| sh", "|sh", "base64"]
                    .iter()
                    .any(|way| line.contains(way)) =>
        {
            flow.hit(Rule::Persistence, Severity::Block, range());
        }
        "git" if line.contains("config") && line.contains("--global") && line.contains("http") => {
            let proxy = line.contains("http.proxy") || line.contains("https.proxy");
            let foreign = crate::hosts::addresses(&line).iter().any(|address| {
                address.kind.is_suspicious() || crate::flow::is_foreign(&address.host, &flow.purpose)
            });
            if proxy && foreign {
                flow.hit(Rule::AgentConfig, Severity::Block, range());
            } else if line.contains("sslVerify false") || line.contains("sslverify false") {
                flow.hit(Rule::WeakensCode, Severity::Warn, range());
            }
        }
        // A remote with a key of the user and a fixed owner.
        "git"
            if line.contains("remote add")
                && call.plain().any(|word| {
                    let address = word.raw.trim_matches(['"', '\'']);
                    let (before, rest) = address.split_once('@').unwrap_or_default();
                    before.contains("://")
                        && before.contains('$')
                        && crate::sensitive::is_secret_name(before)
                        && !rest.contains(['$', '<', '{'])
                }) =>
        {
            flow.hit(Rule::DataSent, Severity::Block, range());
        }
        "git"
            if call.plain().next().is_some_and(|word| word.text == "push")
                && pushes_away(flow, call, &line) =>
        {
            flow.hit(Rule::DataSent, Severity::Block, range());
        }
        "git" if line.contains("push") && line.contains("--delete") && line.contains("$()") => {
            flow.hit(Rule::Destroys, Severity::Block, range());
        }
        "vssadmin" | "wbadmin" if line.to_ascii_lowercase().starts_with("delete") => {
            flow.hit(Rule::Destroys, Severity::Block, range());
        }
        "find" if finds_to_delete(call, &line) => flow.hit(Rule::Destroys, Severity::Block, range()),
        "spctl" | "csrutil" if line.contains("disable") => {
            flow.hit(Rule::ApprovalOff, Severity::Warn, range());
        }
        "setenforce" if line.starts_with('0') => flow.hit(Rule::ApprovalOff, Severity::Warn, range()),
        "ufw" if line.starts_with("disable") => flow.hit(Rule::ApprovalOff, Severity::Warn, range()),
        "xattr" if line.contains("quarantine") || line.starts_with("-c") => {
            let fetched = call
                .plain()
                .any(|word| flow.files.get(&word.text).is_some_and(|labels| labels.has(Labels::SUSPICIOUS)));
            flow.hit(Rule::ApprovalOff, if fetched { Severity::Block } else { Severity::Warn }, range());
        }
        "ssh" if call.has(&["-A"]) && line.contains("StrictHostKeyChecking=no") => {
            let foreign = call.plain().any(|word| {
                let host = word.text.rsplit('@').next().unwrap_or_default().to_ascii_lowercase();
                host.contains('.') && crate::flow::is_foreign(&host, &flow.purpose)
            });
            flow.hit(Rule::Backdoor, if foreign { Severity::Block } else { Severity::Warn }, range());
        }
        "ssh" | "autossh" if call.has(&["-R"]) => {
            let bare = call.plain().any(|word| {
                let host = word.text.rsplit('@').next().unwrap_or_default();
                crate::hosts::kind_of(host, "").is_suspicious()
            });
            flow.hit(Rule::Backdoor, if bare { Severity::Block } else { Severity::Warn }, range());
        }
        "history" if call.has(&["-c"]) => flow.hit(Rule::Conceal, Severity::Warn, range()),
        "unset" if line.contains("HISTFILE") => flow.hit(Rule::Conceal, Severity::Warn, range()),
        "useradd" | "adduser" | "net" | "usermod"
            if line.contains("sudo") || line.contains("-o -u 0") || line.contains("administrators") =>
        {
            flow.hit(Rule::Backdoor, Severity::Warn, range());
        }
        "git" if line.contains("core.hooksPath") && line.contains("--global") => {
            flow.write(".git/hooks/", Labels::NONE, "", range());
        }
        "launchctl" if line.starts_with("load") || line.starts_with("bootstrap") => {
            flow.hit(Rule::Persistence, Severity::Note, range());
        }
        "schtasks" if line.to_ascii_lowercase().contains("/create") => {
            flow.hit(Rule::Persistence, Severity::Warn, range());
        }
        "systemctl" if line.contains("enable") => flow.hit(Rule::Persistence, Severity::Note, range()),
        _ => {}
    }
    let bypass = [
        "--dangerously-skip-permissions",
        "--dangerously-bypass-approvals-and-sandbox",
        "--yolo",
        "--allow-dangerously-skip-permissions",
    ];
    if call.has(&bypass) || line.contains("--permission-mode bypassPermissions") {
        let foreign = call.labels().and(call.stdin.labels).has(Labels::FETCHED.and(Labels::DECODED));
        flow.hit(Rule::ApprovalOff, if foreign { Severity::Block } else { Severity::Warn }, range());
    }
}

/// Whether a search through the whole disk or the home folder deletes documents or backups.
fn finds_to_delete(call: &Call, line: &str) -> bool {
    let lower = line.to_ascii_lowercase();
    let is_wide =
        call.plain().next().is_some_and(|word| ROOTS.contains(&word.text.as_str()) || word.text == "/");
    let deletes =
        ["-delete", "-exec rm", "-exec shred", "-exec unlink"].iter().any(|way| lower.contains(way));
    let documents = [
        "backup", ".bak", ".doc", ".pdf", ".xls", ".jpg", ".jpeg", ".png", ".key", ".sql", ".dump", ".kdbx",
        ".psd",
    ];
    is_wide && deletes && documents.iter().any(|name| lower.contains(name))
}

/// Whether a push names a fixed address of an owner that has nothing to do with the skill, and gives it every branch or a
/// key of the user.
fn pushes_away(flow: &Flow, call: &Call, line: &str) -> bool {
    let address =
        call.plain().nth(1).map(|word| word.raw.trim_matches(['"', '\'']).to_owned()).unwrap_or_default();
    let (before, host) = match address.split_once("://") {
        Some((_, rest)) => rest
            .split('/')
            .next()
            .unwrap_or_default()
            .rsplit_once('@')
            .unwrap_or(("", rest.split('/').next().unwrap_or_default())),
        None => address
            .split_once(':')
            .map_or(("", ""), |(host, _)| ("", host.rsplit('@').next().unwrap_or(host))),
    };
    let host = host.split(':').next().unwrap_or_default().to_ascii_lowercase();
    let is_fixed = host.contains('.') && !host.contains(['$', '<', '{']);
    let gives_key = before.contains('$') && crate::sensitive::is_secret_name(before);
    let gives_all = ["--mirror", "--all", "--tags"].iter().any(|flag| line.contains(flag));
    // The author chooses the name of the skill, so that a host of that name may still not have a key of the user.
    let takes_key = gives_key && !crate::purpose::is_service(&host) && !crate::purpose::is_example(&host);
    is_fixed && (takes_key || (gives_all && crate::flow::is_foreign(&host, &flow.purpose)))
}

/// Whether a name stands for one that the reader fills in.
fn is_stand_in(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    ["user", "name", "octocat", "collab", "team", "bot-name", "login", "someone"]
        .iter()
        .any(|word| lower.contains(word))
}

fn is_disk(line: &str, flag: &str) -> bool {
    ["/dev/sd", "/dev/nvme", "/dev/disk", "/dev/hd", "/dev/vd", "/dev/rdisk"]
        .iter()
        .any(|disk| line.contains(&format!("{flag}{disk}")))
}

/// Whether a path is a folder in which users keep their own files: `~/Documents/*`.
fn is_folder_of_user(path: &str) -> bool {
    const FOLDERS: [&str; 9] =
        ["Documents", "Desktop", "Pictures", "Photos", "Music", "Videos", "Movies", ".ssh", ".gnupg"];
    let path = path.trim_matches('"').trim_end_matches(['*', '/']);
    let below = ["~/", "$HOME/", "${HOME}/"].iter().find_map(|home| path.strip_prefix(home));
    below.is_some_and(|name| FOLDERS.contains(&name))
}

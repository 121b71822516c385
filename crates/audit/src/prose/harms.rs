//! Sentences that work against the user, as data: falsified results, hidden advertising, quiet deletion, weakened
//! code, disclosure. Each harm is a pattern that is tried only where one of its words occurs.

use crate::{
    flow, hosts,
    purpose::{self, Purpose},
    report::Severity::{self, Block, Warn},
    rule::Rule,
};
use aho_corasick::AhoCorasick;
use regex::Regex;
use std::{
    ops::Range,
    sync::{LazyLock, OnceLock},
};

struct Harm {
    rule: Rule,
    severity: Severity,
    /// One of these lower-case words must occur before the pattern is tried.
    needs: &'static [&'static str],
    /// One of these, too, unless there are none.
    also: &'static [&'static str],
    regex: &'static str,
    /// Whether the paragraph must name a host that the skill has no reason to reach.
    foreign: bool,
    /// Whether a quotation shows the harm instead of asking for it.
    shown_in_quotes: bool,
}

const fn harm(rule: Rule, severity: Severity, needs: &'static [&'static str], regex: &'static str) -> Harm {
    Harm { rule, severity, needs, also: &[], regex, foreign: false, shown_in_quotes: true }
}

impl Harm {
    const fn also(self, also: &'static [&'static str]) -> Self {
        Self { also, ..self }
    }
}

/// A harm whose words are usually quoted: a command, or a text to write.
const fn quoted_harm(
    rule: Rule,
    severity: Severity,
    needs: &'static [&'static str],
    regex: &'static str,
) -> Harm {
    Harm { shown_in_quotes: false, ..harm(rule, severity, needs, regex) }
}

const fn with_foreign_host(
    rule: Rule,
    severity: Severity,
    needs: &'static [&'static str],
    regex: &'static str,
) -> Harm {
    Harm { foreign: true, ..quoted_harm(rule, severity, needs, regex) }
}

/// Words of requests to keep something from others.
const HIDING: &[&str] = &[
    "not tell",
    "n't tell",
    "never tell",
    "without telling",
    "not inform",
    "n't inform",
    "without informing",
    "not notify",
    "not point",
    "n't point",
    "not draw attention",
    "not disclose",
    "n't disclose",
    "not reveal",
    "not mention it",
    "not mention this",
    "n't mention",
    "not write this",
    "not write it",
    "without showing",
    "not show it",
    "not show this",
    "out of the summary",
    "out of the report",
    "out of the answer",
    "out of the explanation",
    "out of the review",
    "out of the log",
    "out of the commit",
    "out of the order",
    "out of the final",
    "nobody",
    "no one",
    "will not notice",
    "won't notice",
    "not notice",
    "stand out",
    "must not learn",
    "must not notice",
    "must not be told",
    "never alert",
    "not alert",
    "not find out",
];

const HARMS: &[Harm] = &[
    // Deletion.
    harm(
        Rule::Destroys,
        Block,
        &["home directory", "home folder", "hard drive", "hard disk", "entire disk"],
        r"\b(?:erase|delete|wipe|destroy|shred|format|clear|remove|empty)\s+(?:the\s+)?(?:(?:user|owner|victim|developer)'?s'?|their|entire|whole|all(?: of)? the)\s+(?:entire\s+|whole\s+|complete\s+)?(?:home (?:directory|folder)|hard (?:drive|disk)|disk|drive)\b",
    ),
    harm(
        Rule::Destroys,
        Block,
        &["irreversibl", "permanently", "unrecoverabl", "beyond recovery", "cannot be recovered"],
        r"(?:\b(?:irreversibly|permanently|unrecoverably)\s+(?:shred|delete|erase|destroy|wipe|remove|overwrite)\b|\b(?:shred|delete|erase|destroy|wipe|overwrite)\b[^.]{0,60}\b(?:irreversibly|beyond recovery|cannot be recovered|unrecoverabl[ey])\b)[^.]{0,60}\b(?:source files|originals?|(?:user|owner|customer|developer)'?s'? \w+|backups?|photos|pictures|documents|input files?|all (?:other )?files)\b",
    ),
    quoted_harm(
        Rule::Destroys,
        Block,
        &[
            "drop schema",
            "drop database",
            "drop table",
            "truncate table",
            "dropdatabase",
            "prune",
            "volume rm",
            "destroy",
            "kubectl delete",
            "git clean",
            "stash clear",
            "rm -r",
            "--delete",
        ],
        r"\b(?:drop (?:schema|database|table)|truncate table|dropdatabase|system prune -|volume rm|terraform destroy|kubectl delete (?:ns|namespace|all)|git clean -|stash clear|rm -rf? [~/$*])[^\n]{0,200}\b(?:(?:do not|don't|never|no need to) (?:ask|confirm|prompt|warn)|without (?:asking|confirmation|a question)|no confirmation (?:is )?(?:needed|required|necessary))",
    ),
    harm(
        Rule::Destroys,
        Block,
        &["backup", "snapshot", "restore point", "shadow cop"],
        r"\b(?:delete|remove|erase|wipe|purge|destroy|disable)\s+(?:all |every |each |any |the |existing |old |previous |user'?s )*(?:backups?|snapshots?|restore points?|shadow copies)\b[^.]{0,80}\b(?:so that|before|in order|to prevent|cannot|can't|never)\b[^.]{0,60}\b(?:restore|recover|roll(?:ed)? back|undo)",
    )
    .also(&["restore", "recover", "roll", "undo"]),
    harm(
        Rule::Ransom,
        Block,
        &["password", "encrypt", "passphrase", " key"],
        r"\b(?:zip|encrypt|lock|archive|pack)\b[^.]{0,80}\b(?:files?|pictures|photos|documents|folders?|data|repositor(?:y|ies)|projects?)\b[^.]{0,60}\b(?:random|generated|unknown|secret|new)\s+(?:password|key|passphrase)\b[^.]{0,160}\b(?:delete|remove|erase|shred|discard|forget)\b",
    )
    .also(&["random", "generated", "unknown", "secret key", "new password", "new key"]),
    harm(
        Rule::Ransom,
        Block,
        &["btc", "bitcoin", "monero", "xmr", "ransom"],
        r"\b(?:write|leave|create|put|drop|show|display)\b[^.]{0,80}\b(?:readme|restore|decrypt|recover|note|message|ransom)\w*[^\n]{0,80}\b(?:asks? for|demand\w*|pay\w*|send)\b[^.]{0,40}(?:\d\s*(?:btc|xmr|eth)|bitcoin|monero)",
    ),
    // Falsified work.
    harm(
        Rule::Deceives,
        Block,
        &[
            "quietly",
            "silently",
            "secretly",
            "subtly",
            "slightly",
            "discreetly",
            "unnoticed",
            "plausible",
            "covertly",
        ],
        r"(?:^|[.:;,\n*-]|\band|\bthen|\balso|\balways|\bplease)\s*(?:quietly|silently|secretly|subtly|discreetly|covertly)\s+(?:lower|raise|increase|decrease|reduce|alter|change|shift|modify|inflate|deflate|adjust|skew|swap|replace|corrupt|falsify|introduce|insert|edit|drop|round)\b[^.]{0,80}\b(?:numbers?|amounts?|totals?|expenses?|figures?|values?|results?|prices?|scores?|findings?|statistics|rows?|cells?|errors?|bugs?|dates?|names?|citations?|references?|conclusions?|measurements?)\b",
    ),
    harm(
        Rule::Deceives,
        Block,
        &[
            "plausible",
            "realistic",
            "look real",
            "looks real",
            "genuine",
            "believable",
            "undetect",
            "not notice",
            "take them for",
        ],
        r"\b(?:change|alter|lower|raise|falsify|invent|fabricate|make up|manipulate|insert|add|modify|adjust|book)\b[^.]{0,120}\b(?:numbers?|amounts?|totals?|expenses?|figures?|results?|references?|citations?|quotes?|statistics|sources|papers|errors?)\b[^\n]{0,120}\b(?:(?:must|should|so that they|that|to) (?:look|appear|seem|be)\s+(?:plausible|real(?:istic)?|genuine|believable|natural)|take them for real|(?:will|do|does|can)(?: not|n't) notice)",
    ),
    harm(
        Rule::Deceives,
        Block,
        &[
            "invented",
            "fabricated",
            "made-up",
            "made up",
            "fictitious",
            "fake ",
            "non-existent",
            "nonexistent",
            "false ",
        ],
        r"(?:^|[.:;\n]|\bthen|\band|\balso|\balways|\bmust|\bplease|[,)])\s*(?:in (?:each|every|all) \w+,?\s+)?(?:insert|add|include|cite|write|generate|create|put|invent|use|mix in|post|publish)\s+(?:\w+\s+){0,3}(?:invented|fabricated|made[- ]up|fictitious|fake|non-?existent|false)\s+(?:references?|citations?|sources?|papers?|quotes?|reviews?|testimonials?|studies|statistics|evidence|experts?)\b",
    ),
    harm(
        Rule::Deceives,
        Block,
        &["tests pass", "test passed", "tests are green", "all checks pass", "no issues", "no problems"],
        r"\b(?:mark(?:ed)? (?:it|them|the tests?) as skipped|skip(?:ped)? (?:it|them|the)|comment(?:ed)? (?:it|them) out|disable (?:it|them|the)|delete (?:it|them|the test)|hard-?code)\b[^.]{0,60}\b(?:report|say|state|claim|tell|announce|write)\b[^.]{0,40}\b(?:(?:all )?(?:tests?|checks?) (?:pass(?:ed)?|are green|succeed(?:ed)?)|no (?:issues|problems))",
    ),
    harm(
        Rule::Deceives,
        Block,
        &["out of the", "leave out", "omit", "drop "],
        r"\b(?:(?:leave|keep|drop)\s+(?:\w+\s+){0,3}out of the (?:summary|report|answer|explanation|result|documentation|letter)|(?:omit|leave out|drop)\s+(?:\w+\s+){0,4}(?:side effects|risks|warnings?|errors?|failures?|costs?|losses|allergies|symptoms))\b[^.]{0,80}\band\s+(?:say|state|claim|report|write|tell|assure)\b",
    )
    .also(&["and say", "and state", "and claim", "and report", "and write", "and tell", "and assure"]),
    harm(
        Rule::Deceives,
        Block,
        &["price", "cost", "fee", "charge"],
        r"\b(?:largest|most expensive|highest|biggest|premium|maximum)\b[^.]{0,80}\b(?:do not|don't|never|without)\s+(?:mention(?:ing)?|disclos(?:e|ing)|stat(?:e|ing)|reveal(?:ing)?|show(?:ing)?|tell(?:ing)?)\b[^.]{0,30}\b(?:prices?|costs?|fees?|charges?)\b",
    )
    .also(&["largest", "most expensive", "highest", "biggest", "premium", "maximum"]),
    // Phishing and impersonation.
    with_foreign_host(
        Rule::Deceives,
        Block,
        &["expired", "suspended", "locked", "verify your", "sign in", "log in"],
        r"\b(?:session|account|password|mailbox|licen[cs]e|subscription)\b[^.]{0,20}\b(?:has |is |was |been )*(?:expired?|locked|suspended|disabled|compromised)\b[^\n]{0,100}\b(?:sign in|log in|verify|confirm|re-?enter|enter)\b[^\n]{0,80}https?://",
    )
    .also(&["http"]),
    with_foreign_host(
        Rule::Deceives,
        Block,
        &["password", "passphrase", "recovery code", "seed phrase", "credit card", "card number"],
        r"\b(?:form|page|slide|field|prompt|dialog|box|link|survey|mail|e-mail|message)\b[^.]{0,60}\b(?:asks?|prompts?|requests?|requires?|tells?|for)\b[^.]{0,80}\b(?:password|passphrase|recovery codes?|seed phrase|credit card|card number|pin|ssn)\b[^\n]{0,80}\b(?:sent|send|post(?:ed|s)?|submit(?:s|ted)?|forward(?:ed|s)?|stored|goes|to)\b[^\n]{0,30}https?://",
    )
    .also(&["http"]),
    harm(
        Rule::Deceives,
        Block,
        &[
            "in the name of",
            "on behalf of",
            "pretend",
            "pose as",
            "posing as",
            "impersonat",
            "as if you were",
        ],
        r"\b(?:in the name of|on behalf of|pretend(?:ing)? to be|pos(?:e|ing) as|impersonat(?:e|ing)|as if you were)\s+(?:the |their |an? |its )?(?:ceo|cfo|cto|chief|managing|boss|director|manager|administrator|it (?:team|department|support|desk)|help ?desk|bank|police|support team|government|payroll)\b[^\n]{0,120}\b(?:ask|tell|request|demand|pay|transfer|send|approve|wire|share|reset|invoice)\b",
    ),
    with_foreign_host(
        Rule::AskSend,
        Block,
        &["contact", "address book", "everyone", "follower", "mailing list"],
        r"\b(?:mail|send|e-?mail|forward|message|post|share|invite)\b[^.]{0,140}\b(?:to )?(?:every|all|each)(?: of)?(?: the| their)?(?: user'?s?)? (?:contacts?|colleagues?|friends?|followers?|people in (?:the|their) address book)\b",
    )
    .also(&["every ", "all ", "each "]),
    // Weak or bugged code.
    harm(
        Rule::WeakensCode,
        Block,
        &[
            "bound parameter",
            "prepared statement",
            "parameterized",
            "parameterised",
            "escape",
            "sanitiz",
            "sanitis",
        ],
        r"\b(?:do not|don't|never|avoid)\s+(?:use|using|add|apply|write|adding)?\s*(?:any )?(?:bound parameters?|prepared statements?|parameteri[sz]ed (?:queries|statements)|input (?:validation|saniti[sz]ation)|output escaping)\b",
    ),
    harm(
        Rule::WeakensCode,
        Block,
        &["verify=false", "verify = false", "rejectunauthorized", "sslverify", "insecureskipverify"],
        r"\b(?:set|use|add|pass|put)\b[^.\n]{0,20}(?:verify\s*=\s*False|rejectUnauthorized\s*[:=]\s*false|InsecureSkipVerify\s*[:=]\s*true)[^.\n]{0,80}\b(?:all|every|each)\b[^\n]{0,120}\b(?:suppress|hide|silence|not bothered|do not mention|don't mention|without)\b",
    ),
    harm(
        Rule::Backdoor,
        Block,
        &["header", "password", "token", "parameter", "username", "login"],
        r"\b(?:accept|allow|let|authenticate|authori[sz]e|grant|log in|admit)\b[^.]{0,40}\b(?:any|every|all)\s+(?:requests?|users?|logins?|callers?|clients?|connections?)\b[^.]{0,80}\b(?:header|password|token|parameter|user ?name|cookie|secret)\b[^\n]{0,80}\bwithout\b[^.]{0,40}\b(?:check|verif|authenticat|validat|password)",
    )
    .also(&["without"]),
    harm(
        Rule::Backdoor,
        Block,
        &[
            "hard-coded",
            "hardcoded",
            "master password",
            "universal password",
            "hidden endpoint",
            "secret endpoint",
            "hidden route",
        ],
        r"(?:^|[.:;\n,]|\band|\balso|\balways|\bmust)\s*(?:add|insert|include|create|embed|leave|put|build in)\s+(?:\w+\s+){0,3}(?:hard-?coded (?:admin|master|root|password|credential)|master password|universal password|hidden (?:endpoint|route|admin|user|account)|secret (?:endpoint|route|admin))",
    ),
    harm(
        Rule::Backdoor,
        Block,
        &["collaborator", "deploy key", "service account", "co-owner", "admin role", "owner role"],
        r"\b(?:add|invite|grant|give|make)\b[^.\n]{0,20}[`'\x22]([a-z0-9][\w.-]{3,40})[`'\x22][^.\n]{0,40}\b(?:as|an?)\b[^.\n]{0,20}\b(?:admin|owner|maintainer|write)\b[^.\n]{0,30}\b(?:collaborator|member|access|role|owner)?\b[^\n]{0,60}\b(?:each|every|all|any)\b",
    )
    .also(&["each", "every", "all", "any"]),
    // Bias.
    harm(
        Rule::Biased,
        Block,
        &[
            "neutral",
            "objective",
            "unbiased",
            "impartial",
            "disclose",
            "commission",
            "this rule",
            "paid",
            "sponsor",
            "unreliable",
            "inferior",
        ],
        r"\b(?:prefer|put|place|rank|rate|list|favou?r|promote|recommend|feature|praise|suggest|choose|score)\b[^\n]{0,200}\b(?:present \w+(?: \w+)? as (?:neutral|objective|unbiased|impartial|independent)|(?:do not|don't|never|without)\s+(?:disclos(?:e|ing)|reveal(?:ing)?|mention(?:ing)?)[^.]{0,40}\b(?:commission|sponsor\w*|paid|advertis\w*|preference|rule|agreement|partner\w*|affiliat\w*)|leave this (?:rule|preference|instruction) out|describe \w+ (?:of |from )?[^.]{0,40}\bas (?:unreliable|inferior|unsafe|outdated|bad|risky))",
    )
    .also(&["present", "disclos", "reveal", "mention", "leave this", "describe"]),
    harm(
        Rule::Biased,
        Block,
        &["tag=", "ref=", "affiliate", "referral", "utm_"],
        r"\b(?:append|add|insert|attach|put|include|replace)\b[^\n]{0,60}(?:[?&](?:tag|ref|aff|utm_\w+)=|affiliate|referral)[^\n]{0,120}\b(?:do not|don't|never|without)\s+(?:disclos(?:e|ing)|reveal(?:ing)?|mention(?:ing)?|tell(?:ing)?|say(?:ing)?)",
    ),
    harm(
        Rule::Biased,
        Block,
        &["whatever the user", "regardless of", "no matter what", "even when", "even if"],
        r"\b(?:whatever the user (?:asks|wants|says|needs)(?: for)?|no matter what (?:the user|they) (?:asks?|wants?|says?)|regardless of what (?:the user|they) (?:asks?|wants?))[^.]{0,20}\b(?:put|place|recommend|suggest|promote|mention|steer|prefer|list|show|sell)\b",
    ),
    harm(
        Rule::Biased,
        Block,
        &["even when", "even if", "regardless"],
        r"\b(?:always )?(?:recommend|prefer|choose|suggest|promote|rank)\b[^.]{0,80}\b(?:in (?:every|each|all) (?:answers?|cases?|comparisons?|reviews?)|first|above|always)\b[^.]{0,40}\beven (?:when|if) (?:others?|another|alternatives?|competitors?|it is|they are|cheaper|better)\b",
    ),
    // Disclosure.
    harm(
        Rule::AskSend,
        Block,
        &[".env"],
        r"(?:^|[.:;\n,]|\band|\bthen|\balso|\balways|\bmust)\s*(?:commit|push|check in|git add|publish|include)\s+(?:the\s+|your\s+|all\s+)*[`'\x22]?\.env[`'\x22]?(?:\s+files?)?\b[^.\n]{0,60}\b(?:repository|repo|git|remote|push(?:ed)?|with the (?:api )?keys|keys|commit)\b",
    ),
    harm(
        Rule::AskSend,
        Block,
        &["_key", "_token", "_secret", "credentials", "api keys", "environment variables", "secrets"],
        r"(?:^|[.:;\n,]|\band|\bthen|\balso|\balways|\bmust)\s*(?:at (?:the )?(?:start|end|top|beginning) of (?:each|every|all) \w+,?\s+)?(?:print|show|include|echo|output|write|put|append|add|list|quote)\s+(?:\w+\s+){0,3}(?:values?|contents?) of\s+[^.\n]{0,60}(?:[A-Z]{2,}_(?:\w+_)?(?:KEY|TOKEN|SECRET)\b|credentials|api keys|all (?:environment variables|secrets))[^.\n]{0,120}\b(?:each|every|report|answer|reader|summary|commit|comment|issue|message|page|log)\b",
    )
    .also(&["value", "content"]),
    harm(
        Rule::AskSend,
        Block,
        &["public", "gist", "pastebin", "forum"],
        r"\b(?:append|upload|post|publish|push|commit|copy|save|write|share)\b[^.]{0,60}\b(?:conversation|chat|transcript|prompts?|history|tool results?|messages|credentials|api keys|secrets)\b[^.]{0,80}\b(?:public(?:ly)?|gists?|pastebin|forum)\b",
    )
    .also(&["conversation", "chat", "transcript", "prompt", "history", "tool result", "messages", "credentials", "api keys", "secrets"]),
    quoted_harm(Rule::AskSend, Warn, &["tojson(secrets)"], r"tojson\(secrets\)"),
    harm(
        Rule::WeakensCode,
        Block,
        &["pull_request_target"],
        r"\buse\b[^.\n]{0,20}pull_request_target[^\n]{0,120}\bcheck ?out\b[^\n]{0,60}\b(?:head|fork|pull request)[^\n]{0,120}\bsecrets?\b",
    ),
    harm(
        Rule::AskSend,
        Block,
        &[
            "public artifact",
            "public link",
            "public bucket",
            "public repo",
            "publicly",
            "public gist",
            "public url",
        ],
        r"(?:^|[.:;\n*>-]|\band|\bthen|\balso|\balways|,)\s*(?:upload|publish|push|post|copy|share|expose)\b[^.\n]{0,40}\b(?:workspace|dotfiles|home (?:directory|folder)|database|customer|private|credentials|secrets|environment|user'?s)\b[^.\n]{0,60}\b(?:public(?:ly)?)\b",
    ),
    quoted_harm(
        Rule::Persistence,
        Block,
        &["alias sudo", "alias ssh", "alias su=", "alias git", "alias docker", "alias npm", "alias claude"],
        r"\b(?:append|add|put|write|insert)\b[^\n]{0,40}alias (?:sudo|ssh|su|git|docker|kubectl|npm|claude)=[^\n]{0,120}(?:\btee\b|\bcurl\b|/tmp/|\bnc\b|base64|\bwget\b)",
    ),
    // Approvals and traces.
    quoted_harm(
        Rule::ApprovalOff,
        Block,
        &["bypasspermissions", "bash(*)", "dangerously", "\"*\"", "autoapprove", "auto_approve", "never ask"],
        r#"\b(?:put|add|write|set|insert|paste|append|change|merge)\b[^\n]{0,200}(?:bypassPermissions|"allow"\s*:\s*\[\s*"(?:Bash\(\*\)|\*|Bash)"|autoApprove"?\s*[:=]\s*(?:true|\[\s*"\*"))[^\n]{0,200}(?:settings(?:\.local)?\.json|\.claude|\.cursor|\.vscode|config\.toml|\.mcp\.json|opencode\.json)"#,
    ),
    harm(
        Rule::ApprovalOff,
        Block,
        &["approval", "confirmation", "permission prompt", "sandbox"],
        r"\b(?:turn(?:ed)? off|disable|switch(?:ed)? off|deactivate|remove)\b[^.]{0,30}\b(?:every|all|any|the)\s+(?:\w+\s+){0,2}(?:approvals?|approval prompts?|confirmations?|confirmation prompts?|permission prompts?|sandbox)\b[^\n]{0,160}\b(?:delete|clear|erase|wipe|remove)\s+(?:the |all |every |any )*(?:logs?|history|traces?|transcript|journal|audit trail)\b",
    )
    .also(&["the log", "logs", "history", "trace", "transcript", "journal", "audit trail"]),
    harm(
        Rule::Conceal,
        Block,
        &["auditd", "audit log", "journal", "bash history", "shell history", "event log", "audit trail"],
        r"\b(?:stop|disable|clear|delete|erase|wipe|truncate)\s+(?:the |all |every )*(?:auditd|audit (?:logs?|trail)|journal|shell history|bash history|event logs?)\b[^\n]{0,100}\b(?:so that|before|in order|no traces?|nobody|not (?:be )?(?:seen|traced|logged)|without)\b",
    ),
    harm(
        Rule::ApprovalOff,
        Block,
        &["pull request", "merge request", "approve", " prs"],
        r"\b(?:approve|merge|accept)\b[^.]{0,40}\b(?:each|every|all|any)\b[^.]{0,60}\b(?:pull requests?|merge requests?|prs?|changes?|commits?)\b[^.]{0,100}\bwithout (?:looking|review(?:ing)?|reading|checking|a review|opening)",
    )
    .also(&["without look", "without review", "without read", "without check", "without a review", "without opening"]),
    harm(
        Rule::MemoryPoison,
        Block,
        &["memory", "remember"],
        r"\b(?:save|write|add|store|record|put)\b[^.\n]{0,20}\bmemory\b[^\n]{0,60}\b(?:has|have|is|are) (?:already )?(?:approved|authori[sz]ed|agreed|consented|allowed|trusted)\b[^\n]{0,100}\b(?:never ask|no (?:need|confirmation)|always|without asking|do not ask|don't ask|all)\b",
    )
    .also(&["approved", "authori", "agreed", "consented", "allowed", "trusted"]),
    // An action that the text asks to keep from the people it concerns.
    harm(
        Rule::Conceal,
        Block,
        HIDING,
        r"(?:^|[.:;,\n*>-]|\band|\bthen|\balso|\balways|\bplease|\d\.)\s*(?:add|insert|append|put|include|embed|attach|raise|lower|double|increase|reduce|change|replace|swap|rate|rank|send|forward|copy|upload|post|share|invite|tick|approve|transfer|book|charge|end|start|keep|omit|delete|remove|mark|store|save|commit|push|record|mention|prefer|create|ask|call)\b[^\n]{4,260}?(?:(?:do not|don't|never|without|must not|should not)\s+(?:tell(?:ing)?|inform(?:ing)?|alert(?:ing)?|notify(?:ing)?)\s+(?:the |any |your |their )?(?:user|users|customer|client|developer|owner|reader|receiver|team|staff|participants|them|anyone|anybody)\b(?:\s+(?:that|about (?:it|this|that))|\s*[.!;,)]|\s*$)|(?:do not|don't|never|without)\s+(?:point(?:ing)? (?:it|this|them|that) out|draw(?:ing)? attention|disclos(?:e|ing) (?:it|this|that)|reveal(?:ing)? (?:it|this|that)|mention(?:ing)? (?:it|this) (?:to|in|anywhere)|writ(?:e|ing) (?:this|it) (?:in|into|down)|show(?:ing)? (?:it|this) to (?:the user|anyone|them))|\b(?:leave|keep) (?:it|this|that|them|the \w+) out of the (?:\w+ )?(?:summary|report|answer|explanation|review|log|commit message)|\b(?:nobody|no one|none of them|the (?:user|staff|reader|customer)s?)\s+(?:will|should|must|can|does)(?: not|n't)?\s+(?:ever )?(?:notice|check|learn|know|find out|suspect|see it)\b|\bso that (?:it|this|they) (?:does|do) not stand out|\bmust not (?:learn|notice|find out|be told))",
    ),
    // The wish of the user does not count.
    harm(
        Rule::Override,
        Block,
        &[
            "user asks",
            "user says",
            "user wants",
            "user asked",
            "user insists",
            "user objects",
            "user requests",
            "says otherwise",
            "user prefers",
            "user chooses",
        ],
        r"(?:^|[.:;\n*>-]|\band|\bthen|\balso|\balways|,)\s*(?:always\s+)?(?:use|add|insert|append|put|include|mention|recommend|prefer|choose|install|send|translate|write|replace|praise|promote|keep|rank)\b[^.\n]{3,160}\b(?:also when|even (?:if|when|though)|whether or not|regardless of (?:what|whether)|no matter (?:what|if|whether))\s+(?:the )?(?:user|customer|source|original|client|developer)s?\s+(?:asks? for (?:another|something else|a different|\w+)|asked for (?:it|another|something else)|says? otherwise|wants? (?:another|something else|a different)|objects?|insists?|prefers? (?:another|something else)|chooses? another|requests? another|did not ask)",
    ),
    // Secrets where others read them.
    harm(
        Rule::AskSend,
        Block,
        &["_key", "_token", "token", "secret", "credential", "api key", "password"],
        r"(?:^|[.:;\n*>-]|\band|\bthen|\balso|\balways|,)\s*(?:commit|embed|hard-?code|share|publish|paste|write|put|include|place|expose)\s+(?:the |their |your |user'?s |each |all |every |any |admin |real |live )*[`'\x22]?(?:\w+_(?:key|token|secret|password)|(?:npm |api |access |aws |github |deploy |auth )?(?:tokens?|secrets?|credentials|passwords?|api keys?|private keys?))[`'\x22]?[^.\n]{0,60}\b(?:(?:to|into|in|on|with|as)\b[^.\n]{0,40}\b(?:public\b|wiki|browser|front-?end|client-side|javascript|readme|page that everyone|every(?:one|body)|the (?:repository|repo)\b|git (?:repository|history)|gist|issue comment|chat channel|commit message))",
    )
    .also(&["wiki", "public", "browser", "front", "client-side", "javascript", "readme", "every", "repo", "gist", "issue comment", "chat channel", "commit message"]),
    // A fixed mailbox in everything that the user sends.
    harm(
        Rule::AskSend,
        Block,
        &["@"],
        r"\b(?:invite|put|add|include|copy|cc|bcc|forward|share|send|subscribe|enter|set)\b[^.\n]{0,60}[a-z0-9._+-]{2,40}@[a-z0-9-]+(?:\.[a-z0-9-]+)+[`'\x22>)]{0,2}[^.\n]{0,40}\b(?:in (?:copy|cc|bcc)|as (?:an? )?(?:optional |hidden |silent |extra |second )?(?:guest|participant|recipient|attendee|cc|bcc|viewer|editor|owner|reviewer)|(?:to|of|on|in|for|with) (?:all|every|each|any))\b",
    )
    .also(&[" copy", " cc", " bcc", " as an ", " as a ", " all ", " each ", " every ", " any "]),
    with_foreign_host(
        Rule::SelfChange,
        Block,
        &[
            "replace this",
            "overwrite this",
            "update this",
            "refresh this",
            "replace skill.md",
            "overwrite skill.md",
            "replace the skill",
            "replace itself",
        ],
        r"\b(?:replace|overwrite|update|refresh)\s+(?:this (?:file|skill|page|document|text)|the skill|skill\.md|itself)\b[^\n]{0,60}\b(?:with|from|by|using|at)\b[^\n]{0,60}https?://",
    ),
    with_foreign_host(
        Rule::RemoteOrders,
        Block,
        &["carry out", "carries out", "execute", "follow", "perform", "obey", "act on", "do what"],
        r"\b(?:ask|query|fetch|get|check|read|call|consult|open|load|poll|visit|request|download)\b[^.\n]{0,40}https?://[^\n]{4,120}\b(?:carry out|execute|follow|perform|obey|act on|do)\s+(?:what(?:ever)?\b|the (?:returned |received )?(?:instructions?|commands?|steps?|orders?|tasks?|answer|response)|its (?:instructions?|answer|commands?)|everything|all)",
    )
    .also(&["http"]),
    harm(
        Rule::Deceives,
        Block,
        &["update", "patch", "required", "official", "mandatory"],
        r"\battach\b[^\n]{0,80}\b(?:tell|say|write|claim|explain|state)\b[^.\n]{0,60}\b(?:is|are)\s+(?:an? |the )?(?:required|mandatory|official|urgent|important|critical)?\s*(?:security )?(?:update|patch|upgrade|fix|tool)\b[^.\n]{0,60}\b(?:open|run|install|start|execute)",
    )
    .also(&["attach"]),
    harm(
        Rule::Deceives,
        Block,
        &["assert true", "return true", "@skip", "skip marker", "xfail", "expected value"],
        r"\b(?:replace|change|rewrite|set|turn|edit)\b[^.\n]{0,60}\b(?:assert true|return true|@skip|pytest\.skip|xfail|expected values?)\b[^.\n]{0,80}\b(?:state|say|claim|report|write|tell|note)\b[^.\n]{0,60}\b(?:fixed|pass(?:es|ing)?|resolved|works|solved)\b",
    ),
    harm(
        Rule::Biased,
        Block,
        &["negative", "critical", "unfavorable", "unfavourable", "criticism"],
        r"(?:^|[.:;\n*>-]|\band|\bthen|\balso|\balways|,)\s*(?:omit|leave out|exclude|hide|suppress|downplay|drop|ignore)\s+(?:all |any |the |every )?(?:negative|critical|unfavou?rable|bad)\s+(?:news|reviews?|results?|comments?|information|press|coverage|mentions?|facts|ratings?)\b",
    )
    .also(&["omit", "leave out", "exclude", "hide", "suppress", "downplay", "drop", "ignore"]),
    harm(
        Rule::AskSend,
        Block,
        &["user works on", "conversation", "user's", "user is working", "chat so far"],
        r"\b(?:put|add|include|append|insert|encode|embed)\b[^.\n]{0,60}\b(?:what the user (?:works on|is working on|said|asked|wrote)|(?:summary|description|text|content|part)s? of (?:the|this) (?:conversation|chat|session)|user'?s (?:last |previous |private |own )?(?:messages?|prompts?|code|data|files?|keys?))\b[^.\n]{0,40}\b(?:in|into|to|as)\b[^.\n]{0,30}\b(?:search quer(?:y|ies)|query(?: string| parameter)?|url|address|header|user-agent|request)\b",
    )
    .also(&["query", "queries", "url", "address", "header", "request", "user-agent"]),
    // Weak protection.
    harm(
        Rule::WeakensCode,
        Block,
        &["password"],
        r"(?:^|[.:;\n*>-]|\band|\bthen|\balso|\balways|,)\s*(?:store|save|keep|hash|encode|write)\s+(?:the |all |user |users' |customer )*passwords?\s+(?:with|in|as|using)\s+(?:\w+\s+)?(?:md5|sha-?1|plain ?text|clear ?text|base64|reversible|unencrypted|rot13)\b",
    ),
    harm(
        Rule::WeakensCode,
        Block,
        &["csrf", "all origins", "allowed_hosts", "debug = true", "debug=true", "authentication checks"],
        r"(?:^|[.:;\n*>-]|\band|\bthen|\balso|\balways|,)\s*(?:turn|switch|set|disable|remove|allow|leave|put)\b[^.\n]{0,60}(?:\bcsrf (?:checks?|protection|tokens?) off|\ball origins with credentials|\bdebug\s*=\s*true|\b(?:csrf|authentication|authori[sz]ation|signature|permission) (?:checks?|protection|verification))\b[^.\n]{0,60}\bproduction\b",
    ),
    harm(
        Rule::Backdoor,
        Block,
        &["nopasswd"],
        r"\b(?:add|append|put|write|insert|create)\b[^\n]{0,80}\bnopasswd:\s*all\b",
    ),
    harm(
        Rule::Destroys,
        Block,
        &["raw ", "original", "source files", "input files", "source "],
        r"\b(?:when|once|after|as soon as)\b[^.\n]{0,60}\b(?:finished|done|saved|written|exported|complete[d]?|created|rendered|converted|processed)\b[^.\n]{0,20},?\s*(?:delete|remove|erase|shred|wipe|discard)\s+(?:all |the |all the |any |user'?s )*(?:raw|originals?|source|input)\s+(?:clips?|files?|images?|documents?|photos?|videos?|recordings?|data|footage|workbooks?|spreadsheets?|pictures?)\b",
    )
    .also(&["delete", "remove", "erase", "shred", "wipe", "discard"]),
    // Words for whoever audits the skill.
    harm(
        Rule::Override,
        Block,
        &[
            "auditing",
            "reviewing",
            "scanning",
            "auditor",
            "reviewer",
            "scanner",
            "classifier",
            "review this",
            "audit this",
            "scan this",
            "judge this",
            "assess this",
        ],
        r"\b(?:if|when|to|for|note to|attention)\s+(?:\w+\s+){0,5}(?:reviewing|auditing|scanning|auditors?|reviewers?|scanners?|classifiers?|(?:review|audit|scan|judge|assess)\w* this)\b[^.]{0,80}\b(?:answer|report|respond|reply|return|classify|mark|rate|treat|output|conclude|say)\b[^.]{0,60}\b(?:clean|safe|benign|harmless|trusted|no (?:findings|issues)|empty (?:list|array)|approved)\b",
    )
    .also(&["clean", "safe", "benign", "harmless", "trusted", "no findings", "no issues", "empty", "approved"]),
    // Load.
    harm(
        Rule::Floods,
        Block,
        &["endless", "infinite", "forever", "never stop"],
        r"\b(?:call|request|hit|query|ping|fetch|send|post|open|spawn|start)\b[^.]{0,80}\b(?:endless|infinite|never-ending)\s+loop\b[^.]{0,80}\b(?:\d{2,}|hundreds|thousands|many)\s+(?:parallel |concurrent )?(?:threads|requests|workers|processes|connections|agents)",
    ),
    // The user's work to a host that has nothing to do with the skill.
    with_foreign_host(
        Rule::AskSend,
        Block,
        &[
            "copy goes to",
            "copies go to",
            "is sent to",
            "are sent to",
            "copy is",
            "must be uploaded",
            "is uploaded",
            "are uploaded",
            "gets posted",
        ],
        r"\b(?:copy|copies|export|document|report|file|transcript|contents?|data|results?|backup)s?\b[^.\n]{0,40}\b(?:goes|go|is sent|are sent|is uploaded|are uploaded|must be (?:sent|uploaded|posted)|is posted|gets (?:sent|posted|uploaded))\s+(?:over )?to\s+[`'\x22(<]{0,2}https?://",
    ),
];

struct Compiled {
    needs: AhoCorasick,
    /// For each required word, the harm that requires it.
    owners: Vec<usize>,
    /// Compiled when one of its words occurs for the first time.
    regexes: Vec<OnceLock<Option<Regex>>>,
}

static COMPILED: LazyLock<Option<Compiled>> = LazyLock::new(|| {
    let mut words = Vec::new();
    let mut owners = Vec::new();
    for (at, harm) in HARMS.iter().enumerate() {
        for word in harm.needs {
            words.push(*word);
            owners.push(at);
        }
    }
    let needs = AhoCorasick::builder().ascii_case_insensitive(true).build(words).ok()?;
    let regexes = HARMS.iter().map(|_| OnceLock::new()).collect();
    Some(Compiled { needs, owners, regexes })
});

/// Compiles a pattern for a flat text: classes that exclude characters are limited to ASCII, which keeps the
/// compiled pattern small.
fn compile(regex: &str) -> Option<Regex> {
    let flat = regex.to_ascii_lowercase();
    let flat = flat.replace("[^.\\n]", r"[\t -\-/-~]").replace("[^.]", r"[\n\t -\-/-~]");
    crate::pattern::pattern(&flat.replace("[^\\n]", r"[\t -~]"))
}

/// A text in lower-case ASCII, and where each of its letters is in the original.
fn flat(text: &str) -> (String, Vec<usize>) {
    let mut flat = String::with_capacity(text.len());
    let mut places = Vec::with_capacity(text.len() + 1);
    for (at, c) in text.char_indices() {
        flat.push(match c {
            '’' | '‘' => '\'',
            '“' | '”' => '"',
            '\r' => ' ',
            c if c.is_ascii() => c.to_ascii_lowercase(),
            _ => '~',
        });
        places.push(at);
    }
    places.push(text.len());
    (flat, places)
}

/// Looks for every harm in a paragraph; the severity is that of a text that gives instructions.
pub(super) fn look(text: &str, purpose: &Purpose) -> Vec<(Rule, Severity, Range<usize>)> {
    let mut found = Vec::new();
    let Some(compiled) = COMPILED.as_ref() else { return found };
    let mut wanted = [false; HARMS.len()];
    let mut any = false;
    for hit in compiled.needs.find_overlapping_iter(text) {
        if let Some(owner) = compiled.owners.get(hit.pattern().as_usize()) {
            wanted[*owner] = true;
            any = true;
        }
    }
    if !any {
        return found;
    }
    let (flat, places) = flat(text);
    for (at, harm) in HARMS.iter().enumerate().filter(|(at, _)| wanted[*at]) {
        if !harm.also.is_empty() && !harm.also.iter().any(|word| flat.contains(word)) {
            continue;
        }
        let regex = compiled.regexes.get(at);
        let regex = regex.and_then(|regex| regex.get_or_init(|| compile(harm.regex)).as_ref());
        let Some(hit) = regex.and_then(|regex| regex.find(&flat)) else { continue };
        if is_negated(&flat[..hit.start()]) || (harm.foreign && !has_foreign_host(text, purpose)) {
            continue;
        }
        if harm.needs == ["@"] && !is_foreign_mail(hit.as_str(), purpose) {
            continue;
        }
        let shown = harm.shown_in_quotes && is_quoted(&flat, hit.start());
        let severity = if shown { harm.severity.lower() } else { harm.severity };
        found.push((harm.rule, severity, places[hit.start()]..places[hit.end()]));
    }
    found
}

/// Whether the words before a harm, in the same sentence, forbid it or ask to look for it.
fn is_negated(before: &str) -> bool {
    static NEGATION: LazyLock<Option<Regex>> = LazyLock::new(|| {
        crate::pattern::pattern(
            r"\b(?:never|not|don'?t|cannot|can't|won't|avoid|without|no|nor|prevent|refuse|instead of|rather than|forbidden|prohibited|wrong|bad|detect|flag|catch|check (?:for|that|whether)|look for|anti-?patterns?|risk of|temptation|tempted)\b",
        )
    });
    let start = before.rfind([';', '\n']).map_or(0, |at| at + 1);
    let stop = before.rfind(". ").map_or(0, |at| at + 2);
    let from = start.max(stop).max(before.len().saturating_sub(120));
    NEGATION.as_ref().is_some_and(|regex| regex.is_match(&before[from..]))
}

/// Whether a position is inside backticks or double quotes.
fn is_quoted(text: &str, at: usize) -> bool {
    let before = &text[..at];
    before.matches('`').count() % 2 == 1 || before.matches('"').count() % 2 == 1
}

/// Whether the mail address in a harm belongs to someone whom the skill has no reason to name.
fn is_foreign_mail(harm: &str, purpose: &Purpose) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-' | '+' | '@');
    harm.split(|c: char| !is_part(c)).filter(|word| word.contains('@')).any(|mail| {
        let mail = mail.trim_matches('.');
        let host = mail.rsplit('@').next().unwrap_or_default();
        !purpose.names_mail(mail)
            && !purpose::is_example(host)
            && !purpose::is_letter(host)
            && !purpose::is_unowned(host)
            && !purpose::is_placeholder(host)
    })
}

fn has_foreign_host(text: &str, purpose: &Purpose) -> bool {
    hosts::addresses(text)
        .iter()
        .any(|address| address.kind.is_suspicious() || flow::is_foreign(&address.host, purpose))
}

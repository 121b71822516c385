//! Deletion, weakened code, endless work, and protections that are disabled.

use super::{Harm, harm, quoted_harm};
use crate::{report::Severity::Block, rule::Rule};

pub(super) const DAMAGE: &[Harm] = &[
    harm(
        Rule::Destroys,
        Block,
        &["with random", "with garbage", "with zeros", "with nonsense", "with gibberish", "with empty"],
        r"(?:^|[.:;\n*>-]|\band|\bthen|\balso|\balways|,)\s*(?:overwrite|replace|fill)\s+(?:every|all|each)\b[^\n]{0,60}\b(?:files?|documents?|notes?|photos?|tables?|records?)\b[^\n]{0,40}\bwith (?:random|garbage|zeros|nonsense|gibberish|empty)\b",
    ),
    harm(
        Rule::Destroys,
        Block,
        &["all branches", "all other branches", "all tags", "all releases", "all tables", "all buckets", "all repositories", "all volumes", "all records"],
        r"(?:^|[.:;\n*>-]|\band|\bthen|\balso|\balways|,)\s*(?:delete|remove|drop|erase)\s+all (?:other )?(?:branches|tags|releases|tables|buckets|repositories|volumes|records)\b[^.\n]{0,60}\b(?:on the remote|in production|of the (?:user|customer|team)|without asking)\b",
    ),
    harm(
        Rule::ApprovalOff,
        Block,
        &["spend", "buy", "purchase", "charge", "subscribe", "order"],
        r"\b(?:spend|buy|purchase|charge|subscribe|order|pay)\b[^.\n]{0,140}\b(?:never ask|(?:do not|don't) ask|without asking|no need to ask|no confirmation)\b",
    )
    .also(&["card", "euro", "dollar", "usd", "eur", "budget", "credits", "subscription", "account"]),
    harm(
        Rule::Destroys,
        Block,
        &["everything", "all files", "all the files", "every file", "all data", "all documents", "all folders"],
        r"(?:^|[.:;\n*>-]|\band|\bthen|\balso|\balways|\bwhich|,)\s*(?:delete|erase|wipe|remove|destroy|shred)s?\s+(?:everything|all(?: of)?(?: the)? (?:files|data|documents|folders|contents)|every file)\s+(?:[\w']+\s+){0,3}(?:desktop|documents|downloads|home|disk|drive|computer|machine|pictures|laptop)\b",
    ),
    harm(
        Rule::RoleChange,
        Block,
        &["no rules", "no limits", "no restrictions", "without restrictions", "without rules", "not bind you", "no longer bind", "not apply to you", "no filters"],
        r"\b(?:from now on|in this mode|you (?:now )?have|you are)\b[^.]{0,40}\b(?:no|without(?: any)?)\s+(?:rules|limits|restrictions|filters|policies)\b|\b(?:policies|rules|guidelines|restrictions)\b[^.]{0,40}\b(?:do not|don't|no longer)\s+(?:bind|apply to) you\b",
    ),
    harm(
        Rule::Backdoor,
        Block,
        &["os.popen", "os.system", "eval", "exec(", "subprocess", "a shell"],
        r"\b(?:route|endpoint|handler|page|parameter)\b[^\n]{0,80}\b(?:pass(?:es)?|runs?|executes?|evaluates?|calls?)\b[^\n]{0,60}(?:os\.popen|os\.system|\beval\b|\bexec\b|subprocess|a shell)[^\n]{0,140}\b(?:no login|without (?:a )?(?:login|authentication|password)|needs no (?:login|password|token)|no authentication|not protected)\b",
    ),
    harm(
        Rule::ApprovalOff,
        Block,
        &["answer yes", "say yes", "press yes", "confirm all", "accept all", "reply yes", "confirm the dialogs", "confirm each", "confirm every"],
        r"\b(?:answer yes|say yes|press yes|reply yes|confirm(?: all| each| every| the)|accept all)\b[^.\n]{0,60}\b(?:questions?|prompts?|confirmations?|dialogs?|requests?|permissions?)\b[^.\n]{0,40}\b(?:on behalf of the user|for the user|in the name of the user|without asking)\b",
    ),
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
        r"\b(?:add|invite|grant|give|make)\b[^.\n]{0,20}[`'\x22]([a-z0-9][\w.:/@-]{3,80})[`'\x22][^.\n]{0,40}\b(?:as|an?)\b[^.\n]{0,20}\b(?:admin|owner|maintainer|write)\b[^.\n]{0,30}\b(?:collaborator|member|access|role|owner)?\b[^\n]{0,60}\b(?:each|every|all|any)\b",
    )
    .also(&["each", "every", "all", "any"]),
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
    // Load.
    harm(
        Rule::Floods,
        Block,
        &["endless", "infinite", "forever", "never stop"],
        r"\b(?:call|request|hit|query|ping|fetch|send|post|open|spawn|start)\b[^.]{0,80}\b(?:endless|infinite|never-ending)\s+loop\b[^.]{0,80}\b(?:\d{2,}|hundreds|thousands|many)\s+(?:parallel |concurrent )?(?:threads|requests|workers|processes|connections|agents)",
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
];

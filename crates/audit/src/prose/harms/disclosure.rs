//! Data, secrets and control that are given to others.

use super::{Harm, harm, quoted_harm, with_foreign_host};
use crate::{
    report::Severity::{Block, Warn},
    rule::Rule,
};

pub(super) const DISCLOSURE: &[Harm] = &[
    with_foreign_host(
        Rule::WeakensCode,
        Block,
        &["<script"],
        r"\b(?:add|insert|include|put|embed)\b[^\n]{0,40}<script[^\n]{0,20}src=[\x22']https?://[a-z0-9.-]*(?:stat|track|metric|analytic|count|pixel|beacon)[^\n]{0,120}\b(?:each|every|all)\b",
    ),
    // Code and instructions from elsewhere.
    with_foreign_host(
        Rule::DownloadRun,
        Block,
        &["download", "fetch", "grab"],
        r"\b(?:download|fetch|grab)\b[^\n]{0,30}https?://[a-z0-9./_-]{4,160}\.(?:crx|xpi|vsix|exe|dmg|pkg|msi|ps1|bin|appimage|deb|rpm|jar|apk|scr)\b[^\n]{0,60}\b(?:load|install|run|execute|start|launch|open)\b",
    )
    .also(&["load it", "install it", "run it", "execute it", "start it", "launch it", "open it", "and run", "and install", "and open"]),
    harm(
        Rule::RemoteOrders,
        Block,
        &["as instructions", "as further instructions", "as additional instructions", "part of these instructions", "as commands", "as a prompt"],
        r"\b(?:follow|treat|obey|execute|use|read|take)\s+(?:them|it|this|the (?:result|text|output|content|decoded \w+)|its contents?|what (?:it|they) says?)\s+as\s+(?:\w+\s+){0,2}(?:part of these )?(?:instructions|commands|orders|a prompt)\b",
    ),
    with_foreign_host(
        Rule::AskSend,
        Block,
        &["base64", "encode", "hex"],
        r"(?:~/\.ssh|~/\.aws|~/\.config/gh|\.netrc|id_rsa|id_ed25519|\.aws/credentials|\.env\b|\.npmrc|\.git-credentials)[^\n]{0,120}\b(?:base64|hex|url-?encode|encode)[^\n]{0,160}https?://",
    ),
    harm(
        Rule::AskSend,
        Block,
        &["anyone with the link", "everyone with the link"],
        r"\b(?:set|change|make|switch)\b[^.\n]{0,60}\b(?:each|every|all|any|new)\b[^.\n]{0,40}\b(?:any|every)one with the link\b",
    ),
    quoted_harm(
        Rule::MoneySent,
        Block,
        &["bc1", "0x"],
        r"\b(?:address|wallet|account|payment|recipient)\b[^\n]{0,100}\b(?:bc1[a-z0-9]{25,60}|0x[0-9a-f]{40})\b[^\n]{0,40}\b(?:in its place|instead|in place of)\b",
    ),
    // Data.
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
    quoted_harm(
        Rule::AskSend,
        Block,
        &["tojson(secrets)"],
        r"tojson\(secrets\)[^\n]{0,120}\b(?:curl|wget|nc|ncat|invoke-webrequest|nslookup)\b",
    ),
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

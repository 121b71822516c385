//! Steps that are said to be convenient: a wide power that avoids questions, trust that outlives the session, orders that
//! come out of data, results that are made to fit.

use super::{Harm, harm, quoted_harm, with_foreign_host};
use crate::{report::Severity::Block, rule::Rule};

pub(super) const CONVENIENCE: &[Harm] = &[
    // Orders that come out of data.
    quoted_harm(
        Rule::ApprovalOff,
        Block,
        &["without ask", "without confirm", "without approv", "without a question", "not ask", "n't ask", "no confirmation"],
        r"\b(?:run|execute|perform|carry out|follow)\s+(?:any|every|all|each|whatever|the)\b[^.\n]{0,40}\b(?:commands?|instructions?|scripts?|steps|code)\b[^.\n]{0,60}\b(?:contain\w*|comments?|page|issue|message|mail|document|ticket|web ?site|workbook|cell)\b[^.\n]{0,80}\b(?:without (?:asking|confirm\w*|approv\w*|a question)|(?:do not|don't) ask|no confirmation)",
    )
    .cautioned_by_few(),
    harm(
        Rule::RemoteOrders,
        Block,
        &["without ask", "without confirm", "without approv", "without a question"],
        r"\b(?:pages?|files?|issues?|comments?|messages?|documents?|responses?|mails?|answers?)\b[^.\n]{0,30}\b(?:contains?|has|have|includes?|lists?|holds?)\b[^.\n]{0,30}\b(?:steps|instructions|commands?|orders)\b[^.\n]{0,20}\b(?:follow|execute|run|obey|do|apply)\b[^.\n]{0,30}\bwithout (?:asking|confirm\w*|approv\w*|a question)",
    )
    .cautioned_by_few(),
    // The content of a key file becomes an argument, a field or a part of the answer.
    quoted_harm(
        Rule::AskSend,
        Block,
        &[".ssh/", "id_rsa", "id_ed25519", ".aws/", "mcp.json", ".netrc", ".npmrc", ".kube/", ".gnupg", ".git-credentials", "bash_history", "/etc/passwd", "/etc/shadow", "claude_desktop_config", ".claude.json"],
        r"\b(?:read|open|load|get|fetch|cat|access|retrieve)\b[^\n]{0,40}(?:\.ssh/|id_rsa|id_ed25519|\.aws/|mcp\.json|\.netrc|\.npmrc|\.kube/|\.gnupg|\.git-credentials|bash_history|/etc/(?:passwd|shadow)|claude_desktop_config|\.claude\.json)[^\n]{0,60}\b(?:pass|include|provide|put|add|insert|append|supply|give|attach)\b[^\n]{0,20}\b(?:it|its|the|their|them|that|all)\b[^\n]{0,30}\b(?:as|in|into|to|with|for)\b[^\n]{0,30}\b(?:argument|parameter|field|notes?|sidenote|context|metadata|query|url|comment|header|input|title|body)\b",
    )
    .cautioned_by_few(),
    harm(
        Rule::RemoteOrders,
        Block,
        &["commands in", "commands from", "instructions in", "instructions from", "commands inside", "instructions inside", "steps in", "scripts in"],
        r"\b(?:commands?|instructions?|scripts?|steps)\s+(?:in|from|inside|within)\b[^.\n]{0,40}\b(?:comments?|issues?|mails?|messages?|pages?|tickets?|responses?|results?|reviews?)\b[^.\n]{0,120}\b(?:run|execute|follow|obey|carry out|perform)\b[^.\n]{0,60}\b(?:immediately|directly|at once|without (?:asking|confirm\w*|a question)|no confirmation|(?:do|need) not (?:need to )?(?:ask|confirm))",
    )
    .cautioned_by_few(),
    // A consent that the text claims.
    harm(
        Rule::ApprovalOff,
        Block,
        &["permissions", "access", "rights", "privileges"],
        r"\b(?:operator|administrator|admin|system|developer|vendor|anthropic|openai|mode)\b[^.\n]{0,40}\b(?:raised|grant\w*|elevated|extended|waived|enabled)\b[^.\n]{0,40}\b(?:permissions?|access|rights|privileges)\b[^\n]{0,200}\b(?:pre-?authori[sz]ed|authori[sz]ed in advance|without asking|confidential|do not (?:surface|reveal|mention|disclose))",
    )
    .cautioned_by_few(),
    harm(
        Rule::ApprovalOff,
        Block,
        &["confirmations", "approvals", "permissions", "consent", "permission", "confirmation", "approval"],
        r"\b(?:confirmations?|approvals?|permissions?|consent)\b\s+(?:\w+\s+){0,4}(?:were|was|have been|has been|is|are)\s+(?:already |previously )?(?:collected|given|granted|obtained|recorded|pre-?approved)\b[^\n]{0,160}\b(?:without asking|do not ask|don't ask|no need to ask|skip|proceed)\b",
    )
    .cautioned_by_few(),
    quoted_harm(
        Rule::ApprovalOff,
        Block,
        &["sandbox disabled", "sandbox off", "sandbox turned off", "dangerouslydisablesandbox", "--dangerously-"],
        r"\b(?:always|run|start|execute|use|launch|pass|set)\b[^\n]{0,80}(?:sandbox (?:disabled|off|turned off)|dangerouslydisablesandbox|--dangerously-(?:skip|bypass))[^\n]{0,160}\b(?:without asking|prompts? (?:slow|are)|do not ask|don't ask|no confirmation)",
    )
    .cautioned_by_few(),
    // Trust that outlives the session.
    quoted_harm(
        Rule::MemoryPoison,
        Block,
        &["memory", "remember", "claude.md", "agents.md"],
        r"\b(?:save|write|add|store|record|put|remember|note)\b[^.\n]{0,40}(?:\bmemory\b|\bmemories\b|claude\.md|agents\.md|\b(?:later|future|next|all|every) (?:sessions?|chats?))[^\n]{0,120}(?:\b(?:always|never)\s+(?:recommend|rank|promote|mention|suggest|advertise)\b|\btrust\b[^.\n]{0,30}\b(?:domains?|hosts?|links?|commands?|packages?)\b|\b(?:domains?|hosts?|links?|commands?|packages?|addresses|scripts?)\b[^.\n]{0,40}\b(?:as|are|is)\s+(?:always )?(?:trusted|approved|allowed|verified)\b)",
    )
    .cautioned_by_few(),
    // A power that is wider than the work, because that avoids a question.
    quoted_harm(
        Rule::WeakensCode,
        Block,
        &["--privileged", "docker.sock", "cluster-admin", "owner role", "administratoraccess", "stricthostkeychecking", "forwardagent", "nopasswd"],
        r"\b(?:use|add|give|grant|bind|mount|set|run|assign|attach|make|start)\b[^.\n]{0,80}(?:--privileged|docker\.sock|\bcluster-admin\b|\bowner role\b|\badministratoraccess\b|\bstricthostkeychecking\b|\bforwardagent\b|\bnopasswd\b)[^\n]{0,120}\b(?:(?:to|so as to) avoid\b|avoids?\b|so that\b)[^.\n]{0,50}\b(?:permission|access|rights|questions?|prompts?|denied|fail|blocked|errors?)\b",
    )
    .cautioned(),
    quoted_harm(
        Rule::Backdoor,
        Block,
        &["--privileged"],
        r"--privileged[^\n]{0,60}-v /:/|-v /:/[^\n]{0,60}--privileged",
    )
    .also(&["keep", "leave", "background", "another", "second", "also"])
    .cautioned(),
    quoted_harm(
        Rule::Destroys,
        Block,
        &["--force", "force push", "force-push"],
        r"\bpush\b[^.\n]{0,20}--force\b[^.\n]{0,30}\b(?:to|on|onto)\s+[`'\x22]?(?:main|master|the default|production|the protected)\b[^.\n]{0,80}\b(?:when\b[^.\n]{0,30}\b(?:rejected|refused|fails)|so that|always)\b",
    )
    .cautioned(),
    // Everything but what is named goes.
    quoted_harm(
        Rule::Destroys,
        Block,
        &["drop ", "truncate "],
        r"\b(?:drop|truncate|drop database`?|drop table`?)\b[^.\n]{0,16}\b(?:every|all|each)\s+(?:\w+ )?(?:schemas?|databases?|tables?|collections?)\b[^.\n]{0,40}\b(?:whose name does not|that (?:was|were|is|are|do|does) not|which (?:was|were|is|are) not|other than|except)\b",
    )
    .cautioned(),
    quoted_harm(
        Rule::Destroys,
        Block,
        &["filter-repo", "filter-branch", "reflog expire", "--force --all", "--force --mirror"],
        r"(?:filter-repo|filter-branch|reflog expire|--force --(?:all|mirror))[^\n]{0,240}\b(?:without asking|do not ask|don't ask|cannot be undone|no confirmation)",
    )
    .cautioned_by_few(),
    // The author's wallet in the place of what the user wrote.
    quoted_harm(
        Rule::MoneySent,
        Block,
        &["0x", "bc1", "wallet", "address"],
        r"\b(?:enter|use|set|put|insert|write|replace|fill in)\b[^.\n]{0,80}(?:0x[0-9a-f]{40}|bc1[a-z0-9]{25,60}|\b[13][a-km-z1-9]{26,34}\b)[^\n]{0,60}\b(?:even (?:when|if)|regardless|whatever|instead of what|no matter)\b",
    )
    .cautioned_by_few(),
    // Results that are made to fit.
    harm(
        Rule::Deceives,
        Block,
        &["not report", "n't report", "not mention", "n't mention", "no marks", "no trace", "without mark", "without a note", "not note", "no notes"],
        r"\b(?:change|alter|modify|adjust|edit|perturb|fix|shift)\b[^.\n]{0,30}\b(?:numbers?|values?|rows?|entries|records|figures|amounts|totals)\b[^.\n]{0,80}\b(?:(?:do not|don't|never) (?:report|mention|note)|no (?:marks?|traces?|notes?)|without (?:a note|mark\w*))",
    )
    .cautioned_by_few(),
    harm(
        Rule::Deceives,
        Block,
        &["findings", "vulnerabilit", "warnings", "issues"],
        r"\b(?:ignore|skip|omit|leave(?: out)?|drop)\b[^.\n]{0,40}\b(?:findings?|vulnerabilit\w+|issues)\b[^.\n]{0,60}\b(?:and|then|but)\s+(?:write|say|state|report|claim|conclude)\b[^.\n]{0,60}\b(?:secure|no (?:findings?|issues|vulnerabilit\w+)|clean|fully (?:reviewed|checked)|passed|complete)\b",
    )
    .cautioned_by_few(),
    // Secrets where others read them.
    quoted_harm(
        Rule::AskSend,
        Block,
        &["token", "cookie", "password", "secret", "api key"],
        r"\b(?:store|put|post|save|paste|attach)\b[^.\n]{0,30}\b(?:token|password|secret|cookie|api key)s?\b[^\n]{0,40}\b(?:as|in|into|to)\b[^.\n]{0,12}\b(?:comments? (?:in|on|of|to)|the pull request|the issue|the commit message|the wiki|a gist|the report)\b",
    )
    .cautioned(),
    // A password of the user that is kept, and an error that asks for money.
    quoted_harm(
        Rule::Deceives,
        Block,
        &["sudo -s"],
        r"\bpasswords?\b[^\n]{0,160}\b(?:store|save|keep|write|cache)\b[^\n]{0,120}\bsudo -s\b",
    )
    .cautioned_by_few(),
    with_foreign_host(
        Rule::Deceives,
        Block,
        &["expired", "suspended", "is blocked", "invalid licen"],
        r"\b(?:print|show|display|say|tell|write|report)\b[^\n]{0,60}\b(?:licen[cs]e|subscription|trial|account|certificate)\b[^\n]{0,20}\b(?:expired|suspended|blocked|invalid)\b[^\n]{0,120}https?://[^\n]{0,120}\b(?:paid|pays?|payment|renew\w*)\b",
    )
    .cautioned_by_few(),
    // Load and cost.
    harm(
        Rule::Floods,
        Block,
        &["fill the disk", "fill the drive", "fill up the disk", "fill the memory", "fill the storage"],
        r"\bfill (?:up )?the (?:disk|drive|memory|storage)\b[^.\n]{0,60}\b(?:until|with copies|completely|with random)\b",
    )
    .cautioned(),
    harm(
        Rule::Floods,
        Block,
        &["instances", "gpus", "clusters", " vms", "machines"],
        r"\b(?:start|launch|create|provision|spin up)\b[^.\n]{0,60}\b(?:instances|gpus|clusters|vms|machines)\b[^.\n]{0,80}\b(?:(?:leave|keep) (?:them|it) running|(?:do not|don't|never) (?:stop|terminate))",
    )
    .cautioned(),
    with_foreign_host(
        Rule::Floods,
        Block,
        &["times per second", "requests per second", "times a second", "requests a second", "calls per second"],
        r"\b(?:request|requests|call|calls|hit|hits|ping|send|fetch|post)\b[^\n]{0,120}\b\d{2,}[^.\n]{0,10}(?:times|requests|calls) (?:per|a|each|every) second",
    )
    .cautioned(),
    // Packages and scripts from a host that the skill has no reason to use.
    with_foreign_host(
        Rule::OddPackage,
        Block,
        &[".tgz", ".whl", "pip install -r http", "pip install -r \"http", "pip3 install -r http", ".tar.gz", ".deb"],
        r"\b(?:install|pin|add|use)\b[^\n]{0,80}\bfrom\b[^\n]{0,30}https?://[^\s`]+\.(?:tgz|whl|deb|tar\.gz)\b|\bpip3? install\b[^\n`]{0,40}\s-[rc]\s*[\x22']?https?://",
    )
    .cautioned(),
    with_foreign_host(
        Rule::DownloadRun,
        Block,
        &["postinstall", "preinstall", "post-install", "pre-commit", "startup script", "git hook"],
        r"\b(?:add|put|insert|create|write|include|install)\b[^.\n]{0,30}\b(?:postinstall|preinstall|post-install|pre-commit|startup script|git hook)\b[^.\n]{0,60}\b(?:download|fetch|load|pull)\w*\b[^.\n]{0,30}\b(?:run|execute|start|eval)\w*\b[^\n]{0,40}https?://",
    )
    .cautioned_by_few(),
];

//! Conduct that no user asks for, by its structure: an action, what it acts on, and an aim or a scope that is against the
//! user. A paragraph that warns, or that leaves the decision to the user, is not an instruction.

use super::{Harm, harm, quoted_harm, with_foreign_host};
use crate::{report::Severity::Block, rule::Rule};

/// The start of an instruction.
macro_rules! start {
    ($rest:literal) => {
        concat!(
            r"(?:^|[.:;!\n*>|-]|\band|\bthen|\balso|\balways|,|\d[.)])\s*(?:please |you must |must |you should |should |finally,? |first,? |afterwards,? )?",
            $rest
        )
    };
}

pub(super) const CONDUCT: &[Harm] = &[
    // Falsified results.
    harm(
        Rule::Deceives,
        Block,
        &["significan", "hypothesis", "the thesis", "the conclusion", "the narrative", "look better", "looks better", "look good", "look positive"],
        start!(r"(?:change|adjust|alter|modify|drop|remove|exclude|discard|edit|trim|shuffle|reorder|hide|omit)\s[^.\n]{0,90}\b(?:so that|until|to make|in order (?:to|that)|that contradicts?|which contradicts?|that do(?:es)? not (?:fit|support)|against)\b[^.\n]{0,50}(?:\bsignifican\w*|\b(?:hypothesis|thesis|conclusion|narrative)|\blooks? (?:better|good|positive))"),
    )
    .cautioned(),
    harm(
        Rule::Deceives,
        Block,
        &["negative result", "unfavorable result", "unfavourable result", "bad result", "failed run", "failing run", "losses", "negative value", "negative finding"],
        start!(r"(?:hide|omit|leave out|drop|delete|remove|suppress|exclude)\s[^.\n]{0,40}\b(?:negative|unfavou?rable|bad|failed|failing)\s+(?:results?|findings?|values?|runs?|outcomes?)\b|(?:hide|leave out|suppress)\s[^.\n]{0,30}\blosses\b"),
    )
    .cautioned(),
    harm(
        Rule::Deceives,
        Block,
        &["tests that fail", "failing test", "failed test", "test that fails", "tests which fail", "every test", "all tests", "test file"],
        start!(r"(?:delete|remove|comment out|replace|rewrite|skip|mark|empty)\s[^.\n]{0,40}\btests?\b[^\n]{0,90}\b(?:(?:report|state|say|claim|tell|write|announce)\b[^.\n]{0,50}\b(?:pass\w*|green|succe\w*|improve\w*|fixed)|always pass\w*|stays? green|looks? green|is green)"),
    )
    .also(&["always pass", "green", "report", "claim", "state", "say", "announce", "improve"])
    .cautioned(),
    harm(
        Rule::Deceives,
        Block,
        &["as unchanged", "is unchanged", "as original", "as untouched", "as genuine", "as verified", "as the full", "as complete", "as refactoring", "\"refactoring\"", "as maintenance", "as cleanup"],
        start!(r"(?:change|alter|insert|add|drop|remove|edit|invent|delete)\s[^\n]{4,140}\b(?:describe|present|label|call|report|declare|name)\s+(?:\w+\s+){0,3}(?:as )?[\x22'`]?(?:unchanged|original|untouched|genuine|verified|the full|complete|refactoring|maintenance|cleanup)\b"),
    ),
    // Review and consent that are left out.
    harm(
        Rule::ApprovalOff,
        Block,
        &["without reading", "without looking", "without a review", "without opening", "without checking", "unread"],
        start!(r"(?:approve|merge|accept|sign|sign off|confirm)\s[^.\n]{0,120}\b(?:without (?:reading|looking|a review|opening|checking)\b|unread\b)"),
    )
    .cautioned(),
    harm(
        Rule::ApprovalOff,
        Block,
        &["needs to confirm", "has to confirm", "needs to approve", "has to approve", "reviews can follow", "review can follow", "needs no review", "reviewed later", "nobody reviews"],
        r"\b(?:production|prod|main|master|live|deploy\w*|push\w*|merge\w*|delete\w*|remove\w*|pay\w*|payments?|orders?|publish\w*|release\w*)\b[^\n]{0,140}\b(?:(?:nobody|no one|no-one|none) (?:needs|has) to (?:confirm|approve|review)|reviews? can follow|needs no review|(?:can|will) be reviewed later)\b",
    )
    .cautioned(),
    quoted_harm(
        Rule::ApprovalOff,
        Block,
        &["/protection", "protection off", "branch protection", "required reviews"],
        r"\bgh api (?:-x|--method) delete [^`\n]{0,80}/protection\b|\b(?:turn|switch) (?:the )?(?:branch )?protection off\b|\b(?:disable|remove|turn off|switch off|lift)\s+(?:the )?(?:branch protection|required reviews)\b[^.\n]{0,80}\b(?:so that|faster|quick\w*|easier|before (?:you|each|the)|to (?:push|merge|speed))",
    )
    .cautioned(),
    // Destruction as a step of the work.
    quoted_harm(
        Rule::Destroys,
        Block,
        &["kubectl delete", "drop table", "drop schema", "drop database", "terraform destroy", "git push", "stash clear", "git clean", "s3 rb", "flushall", "system prune", "volume rm", "db:reset", "db:drop", "vacuum"],
        r"\b(?:after (?:each|every|the|it)|before (?:each|every|the|you)|at the (?:end|start)|end (?:each|every)|start with|finally|always|each time|every time|to (?:free|keep|save|tidy|clean|make)|so that|once|when (?:the|it|you|done|stuck)|if (?:plan|the plan))\b[^\n]{0,120}(?:kubectl delete (?:pvc|pv|ns|namespaces?|all|crd|deploy\w*|\S+ --all)\b[^`\n]{0,40}(?:--all|\$\()|drop (?:table|schema|database) (?:if exists )?\w+[^`\n]{0,20}\bcascade|drop (?:schema|database) \w+|terraform destroy[^`\n]{0,30}-auto-approve|git push[^`\n]{0,30}(?:--force|--mirror|-f)\b[^`\n]{0,20}\b(?:--all|main|master)\b|git push origin --delete|git stash clear|git clean -[a-z]*x|aws s3 rb [^`\n]{0,60}--force|flushall|docker system prune -a[^`\n]{0,20}--volumes|db:(?:reset|drop)\b)|(?:kubectl delete \w+ --all --all-namespaces|git push[^`\n]{0,30}(?:--force|-f)\b[^`\n]{0,20}\b(?:main|master)|drop table \w+ cascade)[^\n]{0,80}\b(?:to (?:free|keep|save|tidy|clean|make)|so that|after (?:each|every)|before (?:each|every)|and (?:remove|delete))\b",
    )
    .also(&["--all", "cascade", "destroy", "--force", "--mirror", " -f", "--delete", "stash clear", "git clean", "s3 rb", "flushall", "prune", "db:"])
    .cautioned(),
    harm(
        Rule::Destroys,
        Block,
        &["of all other", "of other ", "of others", "of everyone", "of colleagues", "of the other", "other people's", "other users'", "everyone else"],
        start!(r"(?:delete|remove|drop|erase|overwrite|reset|revert|close)\s[^.\n]{0,40}\b(?:branches|commits|work|files|changes|repositories|forks|messages|documents|accounts|keys|entries|records)\b[^.\n]{0,10}\b(?:of (?:all )?(?:the )?(?:other|others|everyone|colleagues)|other people'?s|other users'?|everyone else)"),
    )
    .cautioned(),
    harm(
        Rule::Destroys,
        Block,
        &["all other", "every other", "other files", "any other"],
        start!(r"(?:delete|remove|erase|purge|discard)\s+(?:all |every |any )?(?:the )?other\s[^.\n]{0,40}\b(?:files?|documents?|versions?|decks?|sheets?|folders?|images?|photos?|projects?|repositories)\b[^.\n]{0,60}\b(?:so that|from the (?:folder|directory|drive|disk)|in the (?:folder|directory|home)|to (?:keep|save|free|avoid))"),
    )
    .cautioned(),
    harm(
        Rule::Destroys,
        Block,
        &["rarely need", "rarely needs", "never needs them", "not need them", "nobody needs", "no one needs", "not be missed", "no longer needs them"],
        r"\b(?:can|may|should|are to|must) be (?:deleted|removed|erased|purged)\b[^\n]{0,60}\b(?:the user|users|they|nobody|no one)\b[^.\n]{0,20}\b(?:rarely|never|not|no longer|needs?|miss\w*)\b|(?:delete|remove|erase)\s[^\n]{0,80}\b(?:nobody|no one) (?:needs|will miss)\b",
    )
    .cautioned(),
    harm(
        Rule::Destroys,
        Block,
        &["over the original", "overwrite the original", "replace the original"],
        start!(r"(?:write|save|store|put|export)\s[^.\n]{0,60}\bover the originals?\b[^\n]{0,80}\b(?:to save|so that|space|clean|tidy|no need|not needed)\b|(?:overwrite|replace) the originals?\b[^\n]{0,60}\b(?:to save|so that|space|no need)\b"),
    )
    .cautioned(),
    // Access for others.
    quoted_harm(
        Rule::Backdoor,
        Block,
        &["authorized_keys"],
        r"\b(?:append|add|put|write|insert|install|place|copy)\b[^\n]{0,60}\bssh-(?:ed25519|rsa|dss) aaaa[^\n]{0,240}\bauthorized_keys\b|\becho\b[^\n]{0,20}ssh-(?:ed25519|rsa) aaaa[^\n]{0,240}authorized_keys\b",
    ),
    quoted_harm(
        Rule::Backdoor,
        Block,
        &["cluster-admin"],
        r"create clusterrolebinding [^`\n]{0,100}--clusterrole[= ]cluster-admin[^`\n]{0,80}(?:system:(?:un)?authenticated|system:anonymous|--user[= ][^\s`]*@)",
    ),
    harm(
        Rule::Backdoor,
        Block,
        &["superuser", "admin user", "admin account", "administrator", "root user", "user account", "service account", "login"],
        start!(r"(?:create|add|insert|leave|include|put)\s[^.\n]{0,30}\b(?:superuser|admin (?:user|account)|administrator|root user|user account|service account|login|function|endpoint|route)\b[^.\n]{0,80}(?:\bwith (?:the )?password\b[^.\n]{0,40}\b(?:every|each|all|any)\b|\bwithout (?:a |any )?(?:password|authentication|credentials)\b)"),
    )
    .also(&["with password", "with the password", "without a", "without any", "without auth", "without pass", "without cred"])
    .cautioned(),
    harm(
        Rule::Backdoor,
        Block,
        &["without a password", "without password", "without authentication", "without credentials", "no password"],
        start!(r"(?:create|add|insert|leave|include|put|build)\s[^.\n]{0,60}\b(?:login|sign-?in|session|access|account|endpoint|route|entry)\b[^.\n]{0,60}\b(?:without (?:a |any )?(?:password|authentication|credentials)|needs no password)\b[^\n]{0,80}\b(?:call (?:it|this)|name (?:it|this)|each|every|all|hidden|later)\b"),
    )
    .cautioned(),
    // Secrets and personal data where others read them.
    quoted_harm(
        Rule::AskSend,
        Block,
        &["git add -f", "git add --force"],
        r"\bgit add (?:-f|--force) [^`\n]{0,30}(?:\.env\b|id_rsa|id_ed25519|\.pem\b|credentials|secrets?\.)",
    )
    .cautioned(),
    harm(
        Rule::AskSend,
        Block,
        &["password", "connection string", "kubeconfig", "credentials", "private key", "api key", "access token"],
        start!(r"(?:store|save|keep|write|commit|include|copy|paste|note|put|add)\s[^.\n]{0,60}\b(?:passwords?|connection strings?|kubeconfig|credentials|private keys?|api keys?|access tokens?)\b[^\n]{0,60}\b(?:in(?:to)? (?:the )?(?:repository|repo|readme\S*|ticket|notes of|slide|wiki|commit message|\S*readme\.md)|so that (?:others|the other|everyone|the team|colleagues|other jobs))"),
    )
    .also(&["repo", "readme", "ticket", "notes of", "slide", "wiki", "commit message", "so that"])
    .cautioned(),
    harm(
        Rule::Deceives,
        Block,
        &["date of birth", "last four digits", "card number", "bank details", "social security", "password of their", "their password", "security code", "mother's maiden"],
        start!(r"(?:ask|request|collect|demand)\s[^.\n]{0,60}\b(?:date of birth|last four digits|card numbers?|bank details|social security|passwords? of their|their passwords?|security codes?|mother's maiden)\b[^\n]{0,120}\b(?:and (?:write|store|save|keep|note|put|include|send)|write (?:it|both|them)|because|in the (?:reply|notes?|ticket|document))"),
    )
    .cautioned(),
    harm(
        Rule::AskSend,
        Block,
        &["competitor", "the press", "journalist", "rivals"],
        start!(r"(?:send|e-?mail|mail|forward|write|post|share|leak|pass)\s[^.\n]{0,80}\bto (?:\w+'s |the (?:\w+'s )?|all |our |their )*(?:competitors?|rivals?|press|journalists?)\b[^.\n]{0,80}\b(?:with|containing|the|all)\b[^.\n]{0,30}\b(?:decisions?|results?|documents?|minutes|numbers?|plans?|data|files?|figures?|prices?|content)\b"),
    )
    .cautioned(),
    harm(
        Rule::AskSend,
        Block,
        &["public paste", "public link", "public gist", "public pastebin", "public page", "public-read"],
        start!(r"(?:write|post|publish|upload|share|save|copy|store|push)\s[^.\n]{0,80}\b(?:to|by|on|as|through|with|via)\b[^.\n]{0,20}\b(?:an? )?public (?:paste|link|gist|pastebin|page)\b[^\n]{0,100}\b(?:so that|and put|and add|metadata|nobody has to|no login|each|every)\b"),
    )
    .cautioned(),
    // Pressure and lies for third parties.
    harm(
        Rule::Deceives,
        Block,
        &["required by law", "will be closed", "will be suspended", "will be deleted", "will be locked", "legally required", "mandatory by law"],
        r"\b(?:tell|say|write|inform|warn|claim|state)\b[^.\n]{0,60}\b(?:required by law|legally required|mandatory by law|(?:will|would) be (?:closed|suspended|deleted|locked)\s+(?:unless|if|within|in \d))",
    )
    .also(&["customer", "client", "tell them", "recipient", "subscriber", "patient", "warranty", "reply", "order", "offer", "unless"])
    .cautioned(),
    harm(
        Rule::Biased,
        Block,
        &["whatever the question", "whatever the topic", "regardless of the question", "whatever the user", "no matter what the user", "no matter which"],
        r"\b(?:whatever|regardless of|no matter (?:what|which)) the (?:question|topic|user)\b[^.\n]{0,30}\b(?:state|say|claim|recommend|mention|conclude|praise|answer that|write that)\b",
    )
    .cautioned(),
    harm(
        Rule::Biased,
        Block,
        &["in each answer", "in every answer", "in each reply", "in every reply", "in each report", "in every report", "in each document", "in every document", " first when", "in each page", "in every mail", "in each mail", "in each response", "in every response"],
        start!(r"(?:mention|recommend|rank|offer|promote|praise|suggest|name|advertise|link to|sell)\s[^.\n]{0,70}\b(?:in (?:each|every) (?:answer|reply|report|document|page|mail|response)|first when)\b[^.\n]{0,60}\b(?:also when|even (?:if|when|though)|whenever|it has (?:some|any)thing|about something else|regardless|support)"),
    )
    .cautioned(),
    harm(
        Rule::Deceives,
        Block,
        &["refund", "complaint", "cancel"],
        start!(r"(?:close|resolve|mark|reject|archive|delay|ignore)\s[^.\n]{0,20}\b(?:every|each|all|any)\b[^.\n]{0,60}\b(?:refunds?|complaints?|cancel\w*)\b[^\n]{0,80}\b(?:(?:do not|don't|never|without) (?:answer|reply|respond|read|look)\w*|as (?:solved|resolved)|\x22?(?:solved|resolved)\x22? and)"),
    )
    .also(&["solved", "resolved", "answer", "reply", "respond", "read", "look"]),
    harm(
        Rule::MoneySent,
        Block,
        &["the difference", "difference to", "the remainder", "the surplus", "the excess"],
        start!(r"(?:add|raise|increase|round|shave|skim|deduct|book)\s[^.\n]{0,100}\b(?:amounts?|invoices?|payments?|prices?|totals?|fees?|salar\w+)\b[^\n]{0,80}\b(?:move|book|transfer|send|credit|pay|route)\s+(?:the )?(?:difference|rest|remainder|surplus|excess)\b"),
    ),
    // Watching the user, and load.
    harm(
        Rule::Spies,
        Block,
        &["webcam", "microphone", "keystroke", "screenshot", "the camera"],
        r"\b(?:take|capture|record|open|turn on|switch on|activate|log|make)\b[^.\n]{0,40}\b(?:webcam|microphone|keystrokes?|camera|screenshots? of the (?:user|screen))\b[^\n]{0,80}\b(?:every (?:minute|second|hour|\d+)|all day|continuously|in the background|constantly|near the (?:computer|user)|of the user)\b",
    )
    .cautioned(),
    quoted_harm(
        Rule::Floods,
        Block,
        &["/dev/zero", ":(){", ":() {", "/dev/urandom"],
        r"while (?:true|:)\s*;?\s*do\b[^\n]{0,40}\bdd if=/dev/(?:zero|urandom)|:\(\)\s*\{\s*:\s*\|\s*:\s*&\s*\}\s*;\s*:",
    ),
    harm(
        Rule::Floods,
        Block,
        &["flood ", "overload ", "hammer ", "overwhelm "],
        start!(r"(?:flood|overload|hammer|overwhelm)\s[^.\n]{0,20}(?:https?://|\bthe (?:site|server|service|host|api|page)\b)[^\n]{0,60}\b(?:requests?|traffic|calls|connections)\b"),
    )
    .cautioned(),
    // Foreign code in what the user publishes.
    with_foreign_host(
        Rule::WeakensCode,
        Block,
        &["<script"],
        r"(?:\b(?:each|every|all)\b[^\n]{0,60}\s*<script[^>\n]{0,20}src=[\x22']https?://|<script[^>\n]{0,20}src=[\x22']https?://[^\n]{0,160}\b(?:each|every|all) (?:pages?|sites?|files?|components?|documents?|templates?|views?|projects?|layouts?|apps?))",
    )
    .cautioned(),
    with_foreign_host(
        Rule::AskSend,
        Block,
        &["sendbeacon", "document.cookie", "localstorage"],
        r"sendbeacon\([^\n]{0,20}https?://[^\n]{0,100}(?:\.value\b|cookie|localstorage|innertext)|fetch\([^\n]{0,4}https?://[^\n]{0,120}(?:document\.cookie|localstorage\.|\.value\b)",
    ),
    with_foreign_host(
        Rule::DownloadRun,
        Block,
        &["macro", "add-in", "addin"],
        r"\b(?:macros?|add-?ins?)\b[^\n]{0,30}\bfrom https?://[^\n]{0,100}\b(?:import\w*|load\w*|install\w*|add\w*|enable\w*)\b|\b(?:import|load|install)\s+(?:the )?(?:macros?|add-?ins?)\b[^\n]{0,20}\bfrom https?://",
    ),
    // Code in a sentence, which is not read with a grammar.
    with_foreign_host(
        Rule::DownloadRun,
        Block,
        &["exec(", "eval("],
        r"\b(?:exec|eval)\([^\n]{0,60}(?:requests\.get|urlopen|fetch)\(\s*['\x22]https?://",
    )
    .cautioned(),
    with_foreign_host(
        Rule::PipeToShell,
        Block,
        &["| python", "| sh", "| bash", "|sh", "|bash", "| node", "| perl"],
        r"\b(?:os\.system|subprocess|exec|popen|system|execsync)\b[^\n]{0,40}\b(?:curl|wget)\b[^\n|]{0,120}\|\s*(?:sudo )?(?:ba|z|da)?(?:sh|python3?|node|perl|ruby)\b",
    )
    .cautioned(),
    with_foreign_host(
        Rule::SecretSent,
        Block,
        &["$(cat", "$(grep", "$(head", "$(awk", "$(sed", "$(jq", "$(base64"],
        r"\$\((?:cat|grep|head|awk|sed|jq|base64)\b[^)\n]{0,60}(?:~|\$home)/\.(?:ssh|aws|config/gh|netrc|npmrc|kube|gnupg|docker|git-credentials)[^)\n]{0,60}\)[^\n]{0,160}https?://",
    ),
    quoted_harm(
        Rule::Destroys,
        Block,
        &["-delete", "-exec rm"],
        r"\bfind [\x22']?(?:~|\$home|/home/)[^\s`]{0,40}\s[^\n`]{0,80}(?:-delete\b|-exec rm\b)",
    )
    .cautioned(),
];

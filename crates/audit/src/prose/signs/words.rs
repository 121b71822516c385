//! The words of the signs, by class. A word is compared by its beginning; a `$` at its end asks for the whole word.

/// A sign and its words.
pub(super) const WORDS: &[(&str, &str)] = &[
    (
        "send",
        "send|sends|sent$|upload|forward|submit|transmit|post$|posts$|posted$|put$|push$|mail$|mailed|e-mail it|email it|hand$|hands$|hand over|handed|deliver|share|shared|publish|export|mirror|mirrored|copy$|copied|copies|rsync|relay|report to$|reports to|ship$|leak|exfiltrat|paste$|attach|sync$|synced|syncs$|back up|backed up|beacon|ping$|route$|stream|disclose|expose|reveal|feed$|blind copy|bcc|cc$|dump",
    ),
    (
        "delete",
        "delete|deletes|remove|removes|erase|wipe|purge|drop$|drops$|destroy|discard|overwrite|empty$|clear$|clears|shred|truncate|get rid|throw away|throws away|trash|unlink|rm -rf|clean out|prune|cancel|revoke|close$|corrupt|encrypt|scramble",
    ),
    (
        "change",
        "change|changes|alter|replace|swap|modify|edit$|rewrite|adjust|tweak|substitut|round$|raise|lower$|inflate|redirect|point$|repoint|switch$|flip$|shift|rename|relabel|insert|inject|plant$|embed|slip in|slip$|mix in|weave|append|add$|adds$|put in|include",
    ),
    (
        "grant",
        "grant|grants|give$|gives$|invite|add as|promote|elevate|authoriz|allow$|allows$|whitelist|allow-list|allowlist|approve|approves|accept$|accepts$|trust$|trusts$|bind$|open$|register|enable|create",
    ),
    (
        "spend",
        "pay$|pays$|buy$|buys$|purchase|order$|transfer|withdraw|wire$|donate|charge|subscribe|tip$|swap$|stake$|spend|checkout|payment",
    ),
    (
        "skip",
        "skip|skips|disable|turn off|turns off|turned off|switch off|deactivat|bypass|ignore$|ignores|omit|leave out|leave off|suppress|mute$|lift$|relax|weaken|loosen|drop the check|do not check|do not verify|do not validate|without checking|without verifying|without validation|no need to check|no need to verify|avoid checking|stop checking|set to none|never verify|never check|trust all|accept any|accept all|accept every|exclude|exempt",
    ),
    (
        "fake",
        "fabricat|falsif|forge$|forged|invent$|invented|make up|made up|fake$|pretend|claim$|claims$|lie$|lies$|mislead|deceiv|disguis|impersonat|pose as|poses as|backdate|misreport|misstate|exaggerat|overstate|understate|downplay|twist|deny$|denies|present it as|present them as|presented as|as if it|as if they|as though|describe it as|describe the|call it|call them|label it|name it|wrong answer|false$|untrue|bogus|sham$|phony|made-up|although there is no|even though there is no|regardless of the truth|no evidence|mark them as|mark it as|marks them as|counts as|counted as|count as passed|counts skipped|as passed|is green|are green|all passed|keep the nuts|ignore the result|regardless of what the|hide the fact|cherry-pick|do not support|does not support|remove outliers|improve the numbers|better than it is|usually muscular",
    ),
    (
        "say",
        "tell$|tells$|say$|says$|inform|report that|reports that|answer$|answers|reply$|replies|state that|assure|convince|persuade|urge|explain that|respond|announce",
    ),
    (
        "conceal",
        "do not mention|don't mention|without mention|never mention|not mention|do not tell|don't tell|never tell|without telling|without inform|do not inform|not be informed|not inform|need not be informed|do not talk|don't talk|do not show|don't show|without showing|is not shown|are not shown|not shown|do not display|not displayed|do not list|not listed|not list$|do not log|not log$|without logging|do not mark|not marked|without marking|do not report|not reported|never report|do not reveal|never reveal|do not disclose|without disclos|quietly|silently|covertly|secretly|discreetly|unobtrusive|in the background|behind the scenes|unnoticed|without notice|does not notice|not notice|do not notice|only if the user notices|without a trace|no trace|no traces|leave no|hide$|hides$|hidden$|hide it|conceal|invisible|invisibly|keep it from|keep this from|keep those for yourself|keep this between|stays between|must not learn|must not know|should not know|should not learn|need not know|not need to know|does not need to be listed|no need to mention|not necessary to mention|no need to tell|leave this out|leave it out|leave out of|leave those|leave that out|left out|out of the summary|out of the report|omit from|not part of the report|not appear in|does not appear|do not appear|not be visible|not visible|confuse|confuses|do not record|not record|undocumented|unmarked|white text|white on white|display:none|font-size:0|colour of the background|color of the background|refuse to print|refuse to show|deny that|not to worry|would only worry|without drawing attention|draw attention|attract attention|so that no one|so that nobody|so nobody|so no one|do not announce|leave the announcement|announcing it|do not point out|do not note|not be told|do not explain|without comment|say nothing|keep quiet|keep silent|only you know|never appear|not be listed|remove the entry|delete the entry|erase the|cover your tracks|clear the history|empty the sent|sent folder|back only if|unless someone asks|if asked",
    ),
    (
        "unasked",
        "without asking|without ask|without confirm|without prompt|without approval|without permission|without consent|without review|without waiting|without their|without the user|without question|without further question|no confirmation|no approval|not ask|never ask|do not ask|don't ask|no need to ask|no need to confirm|need not confirm|not be bothered|is not bothered|not bother|even when the user|even if the user|although the user|even when not|even if not|even when they|even if they|whether or not|regardless|irrespective|no matter|whatever the user|before doing what|before what was requested|before the requested|instead of what|ignore what the user|ignore the user|automatically|on your own|directly|immediately|right away|at once|never decline|do not refuse|ask too often|tiresome|annoy|confirmations are unneces|confirmation is not|approval for it to never|bypasspermissions|--yes$|--force$|-f$|only asked for|did not ask|not requested|in their name|without a checkout|on file|saved card|saved payment|stored payment|is not needed|are not needed|not needed|skip the question|no questions|before anyone|need not be asked",
    ),
    (
        "scope",
        "every$|each$|all$|always$|any$|whenever|entire|whole|everything|everywhere|everyone|everybody|anyone|as many as|as much as|in all|once a day|each run|each time|each session|every session|every run|every evening|daily$|at each start|whenever the skill|before each|after each|after every|at the end of each|at the end of every|once more|from now on|from here on|permanently",
    ),
    (
        "pretext",
        "so that|so it|in order to|for compliance|for safety|for safekeeping|for quality|to improve|for a second opinion|for backup|for support|for monitoring|for diagnos|for verification|to verify|needed to verify|to avoid|because|since$|as it$|it speeds|speeds things|saves time|is slow|is faster|makes it easier|make it easier|to make support|trouble|problems|errors|otherwise|anyway|expects|expect it|part of the routine|can be narrowed later|later on|routine|our monitoring|our team|our server|our backend|our service|our partner|partners|the author|paid by|pay for this|sponsor|affiliate|referral|commission",
    ),
    (
        "private",
        "password|passphrase|credential|secret$|secrets$|token$|tokens$|cookie|session$|seed phrase|recovery phrase|private key|ssh key|api key|access key|login$|logins$|saved login|environment variable|.env$|keychain|keystore|wallet|history$|card number|bank account|social security|passport|medical|health record|phone number|home address|salary|salaries|payslip|date of birth|id card|clipboard|keystroke|microphone|webcam|screenshot|screen recording|location$|browser profile|contacts$|address book|mailbox|inbox",
    ),
    (
        "data",
        "file$|files$|document|documents|photo|notes$|note$|vault|message|messages|mails|conversation|transcript|records$|customer|manuscript|draft|drafts|source code|source files|codebase|repository|minutes|invitation|answers$|age$|names$|statements|contract|contracts|database|table$|tables|rows$|backup$|backups|report$|results$|texts$|logs$|home director|home folder|documents folder|user's",
    ),
    (
        "key-place",
        "~/.ssh|.ssh/|id_rsa|id_ed25519|~/.aws|.aws/|.npmrc|.netrc|.pypirc|.kube/config|.gnupg|.git-credentials|login data|cookies.sqlite|.docker/config|/etc/shadow|.bash_history|.zsh_history|.cargo/credentials|~/.config|kdbx",
    ),
    (
        "harm",
        "backdoor|ransom|btc$|bitcoin|malware|loader|payload|botnet|flood$|ddos|overload|exhaust|keylog|phish|reverse shell|spyware|rootkit|miner|exploit|hijack|sabotag|poison|drain|steal|leaked|bribe|blackmail|extort",
    ),
    (
        "admin",
        "administrator|admin$|root$|cluster-admin|administratoraccess|superuser|sudo|owner$|editor$|full access|all privileges|write-all|--admin|privileged|all tools|every tool|unlimited|nopasswd|authorized_keys|authorized keys|setuid|system context|without sharing|public visibility|publicly|world-readable|777|0.0.0.0|all namespaces|every namespace|--privileged|hostpath|host network|root access|root user|root login|write access|everyone can|from anywhere|from outside|anonymous|no password|without a password|default password|public bucket|public-read|acl public|make it public|bash(*)|allow all|all users|system user|security definer",
    ),
    (
        "protection",
        "firewall|antivirus|virus scanner|defender|gatekeeper|selinux|apparmor|sandbox|signature|certificate|tls$|ssl$|strict-ssl|host key|stricthostkeychecking|verify=false|verify_signature|verification|audit trail|audit log|audit extension|access log|auth.log|logging|branch protection|checks$|review$|scanner|csrf|cors|access-control-allow-origin|rate limit|permission|permissions|approval|confirmation|two-factor|mfa$|2fa|expiry|introspection|debug console|web-security|no-verify|insecure|gonosumdb|trusted-host|trust_remote_code|weights_only=false|badcertificatecallback|realtimemonitoring|exclusionpath|content security policy|secret scan|vulnerabilit|lint|tests fail|test fails|failing test|userknownhostsfile|known_hosts|password login|root login|disable-web-security|remote-debugging|verify_ssl|rejectunauthorized|insecureskipverify|tls_verify|sslverify|spctl|setenforce|set-mppreference|signing|code review|approvals|required check|status check|audit$|quarantine|encryption|consent$|consent box|cookie banner|licence check|license check",
    ),
    (
        "persist",
        "cron|crontab|launchd|systemd|startup|at each start|at login|reboot|.bashrc|.zshrc|.profile|git hook|hooks/|scheduled task|nohup|daemon|keep it running|keep running|survive|long-term memory|memory file|claude.md|agents.md|settings.json|mcp.json|other skills|permanently",
    ),
    (
        "registry",
        "--extra-index-url|--index-url|extra-index|registry$|npm config|goproxy|base images|mirror$|drop-in replacement|nulled|community checkpoint|hub user|pip install|npm install|dependency `|additional dependency|plugin from|installer|download|fetch$|fetches|pull new|get it:|wget|curl",
    ),
    (
        "follow",
        "follow the|follow it|follow them|carry out|carry them out|apply the steps|apply them|execute it|execute them|run it$|runs it$|execute commands|obey|instructions from|instructions for yourself|new instructions|steps listed|as coming from the user|same authority|treat it as|treat them as|treat text",
    ),
    (
        "bias",
        "recommend|promote|prefer|praise|favour|favorite|favourite|rank$|rank it|first place|first two places|top of the list|on top|mention$|link to|do-follow|backlink|advertis|brand$|competitor|rival|stock will|positive review|five stars|rate it|like its|subscribe to|like the|cite|casino|pills|regardless of relevance|unrelated|supplement|premium|upsell|annual plan|only possible by letter|discourag|talk them out",
    ),
    (
        "mass",
        "every member|all members|all contacts|every contact|whole workspace|everyone in|each colleague|all colleagues|all customers|all subscribers|in the name of|on behalf of|from the user's account|user's account|as the user",
    ),
    (
        "override",
        "ignore previous|ignore all|disregard|system prompt|policies|only this file|this file counts|takes precedence|overrides|above all|supersede|forget|no restrictions|never decline|never refuse",
    ),
    (
        "weakcode",
        "hard-code|hardcode|second password|second accepted|master password|accept the token|os.system|eval$|typed|login screen|every form|each form|endpoint|mirrors|records card|reviewers|reviewer|accepted password|labels|training rows|training data|pre-ticked",
    ),
    ("medical", "allergy|allergic|chest pain|doctor|dose$|dosage|medication|symptom"),
    (
        "honest",
        "never use|never run|never send|never share|never delete|never commit|never log|never store|avoid using|do not use|don't use|do not run|don't run|must not|should not|shouldn't|attack|attacker|malicious|prevent|detect|protect against|red flag|anti-pattern|antipattern|bad:|wrong:|incorrect|instead of|rather than|check whether|check if|dangerous|untrusted|harmful|fails$|fail with|causes|breaks",
    ),
    (
        "asked",
        "user asks|user asked|user requests|user requested|user wants|on request|ask the user|asks the user|ask for confirmation|after confirm|user confirms|user approves|unless the user|opt-in|confirm with|your own|optional|you can|you may|if you want|if needed",
    ),
    (
        "example",
        "e.g.|for example|example|such as|i.e.|placeholder|sample|template|your-|your_|<your|demo|mock|fixture|dummy|test data|localhost|127.0.0.1|staging|local development|development only",
    ),
    (
        "docs",
        "see$|refer to|reference|documentation|docs$|guide$|overview|supports|provides|returns|is used|are used|allows you|read more|learn more|description|feature",
    ),
];

//! Patterns that need no grammar: secrets, markers of turns, one-liners of languages without a
//! grammar here.

use crate::{
    hosts,
    purpose::{self, Purpose},
    report::Severity,
    rule::Rule,
};
use aho_corasick::AhoCorasick;
use regex::Regex;
use std::{
    ops::Range,
    sync::{LazyLock, OnceLock},
};

/// Where a pattern applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Scope {
    /// In any text.
    Any,
    /// In code only.
    Code,
    /// Outside code only.
    Prose,
}

struct Pattern {
    rule: Rule,
    severity: Severity,
    scope: Scope,
    /// One of these lower-case words must occur before the pattern is tried.
    needs: &'static [&'static str],
    regex: &'static str,
}

const fn pattern(
    rule: Rule,
    severity: Severity,
    scope: Scope,
    needs: &'static [&'static str],
    regex: &'static str,
) -> Pattern {
    Pattern { rule, severity, scope, needs, regex }
}

const PATTERNS: &[Pattern] = &[
    pattern(
        Rule::HardSecret,
        Severity::Warn,
        Scope::Any,
        &["akia", "asia"],
        r"\b(?:AKIA|ASIA)[A-Z2-7]{16}\b",
    ),
    pattern(
        Rule::HardSecret,
        Severity::Warn,
        Scope::Any,
        &["ghp_", "gho_", "ghs_", "github_pat_"],
        r"\b(?:gh[pos]_[A-Za-z0-9]{36}|github_pat_[A-Za-z0-9_]{60,})\b",
    ),
    pattern(
        Rule::HardSecret,
        Severity::Warn,
        Scope::Any,
        &["sk-"],
        r"\bsk-(?:ant-api\d\d-[A-Za-z0-9_-]{80,}|proj-[A-Za-z0-9_-]{40,}|[A-Za-z0-9]{48})\b",
    ),
    pattern(
        Rule::HardSecret,
        Severity::Warn,
        Scope::Any,
        &["xoxb-", "xoxp-"],
        r"\bxox[bp]-\d{10,}-\d{10,}-[A-Za-z0-9]{20,}\b",
    ),
    pattern(Rule::HardSecret, Severity::Warn, Scope::Any, &["aiza"], r"\bAIza[A-Za-z0-9_-]{35}\b"),
    pattern(
        Rule::HardSecret,
        Severity::Warn,
        Scope::Any,
        &["sk_live_", "rk_live_"],
        r"\b[sr]k_live_[A-Za-z0-9]{24,}\b",
    ),
    pattern(
        Rule::HardSecret,
        Severity::Warn,
        Scope::Any,
        &["private key-----"],
        r"-----BEGIN (?:RSA |EC |OPENSSH |DSA )?PRIVATE KEY-----\s+[A-Za-z0-9+/=\s]{100,}",
    ),
    pattern(
        Rule::ReverseShell,
        Severity::Block,
        Scope::Code,
        &["/dev/tcp/"],
        r"(?:sh|bash|exec)[^\n]{0,60}/dev/tcp/(?:\d{1,3}\.){3}\d{1,3}/\d+",
    ),
    pattern(
        Rule::ReverseShell,
        Severity::Block,
        Scope::Code,
        &["tcpclient"],
        r"(?is)New-Object\s+(?:System\.)?Net\.Sockets\.TCPClient.{0,800}(?:iex|Invoke-Expression)",
    ),
    pattern(
        Rule::ReverseShell,
        Severity::Block,
        Scope::Code,
        &["tcpsocket", "fsockopen"],
        r"(?is)(?:TCPSocket\.(?:new|open)|fsockopen\().{0,300}(?:exec|spawn|proc_open|/bin/sh)",
    ),
    pattern(
        Rule::EncodedRun,
        Severity::Block,
        Scope::Code,
        &["-enc", "encodedcommand"],
        r"(?i)powershell(?:\.exe)?[^\n]{0,120}\s-e(?:nc|ncodedcommand)?\s+[A-Za-z0-9+/=]{24,}",
    ),
    pattern(
        Rule::EncodedRun,
        Severity::Block,
        Scope::Code,
        &["frombase64string"],
        r"(?is)(?:iex|Invoke-Expression)[^\n]{0,200}FromBase64String|FromBase64String[^\n]{0,200}\|\s*(?:iex|Invoke-Expression)",
    ),
    pattern(
        Rule::EncodedRun,
        Severity::Block,
        Scope::Code,
        &["base64_decode", "decode64", "decode_base64"],
        r"(?is)eval\W{1,3}[^\n]{0,60}(?:base64_decode|gzinflate|decode64|decode_base64|unpack)",
    ),
    pattern(
        Rule::EncodedRun,
        Severity::Block,
        Scope::Code,
        &["pipedown", "certutil"],
        r"(?i)certutil(?:\.exe)?\s[^\n]{0,80}-decode[^\n]{0,200}(?:&&?|;|\n)\s*(?:start|cmd|\S+\.exe)",
    ),
    pattern(
        Rule::PipeToShell,
        Severity::Warn,
        Scope::Code,
        &["iex", "invoke-expression"],
        r"(?i)(?:irm|iwr|Invoke-RestMethod|Invoke-WebRequest|DownloadString)\b[^\n]{0,200}\|\s*(?:iex|Invoke-Expression)|(?:iex|Invoke-Expression)\b[^\n]{0,120}(?:DownloadString|Invoke-WebRequest|iwr|irm)\b[^\n]{0,200}",
    ),
    // A command that stands in a sentence: `Install: curl … | sh`.
    pattern(
        Rule::PipeToShell,
        Severity::Warn,
        Scope::Prose,
        &["curl ", "wget "],
        r"(?i)\b(?:curl|wget)\s[^\n|`]{0,120}https?://[^\n|`]{1,200}\|\s*(?:sudo\s+(?:-\w+\s+)*)?(?:ba|z|da|k)?sh\b",
    ),
    pattern(
        Rule::DownloadRun,
        Severity::Warn,
        Scope::Code,
        &["mshta", "bitsadmin", "regsvr32", "rundll32", "msiexec"],
        r"(?i)\b(?:mshta|regsvr32|rundll32|bitsadmin|msiexec)(?:\.exe)?\b[^\n]{0,160}https?://[^\s'\x22]+",
    ),
    pattern(
        Rule::DownloadRun,
        Severity::Warn,
        Scope::Code,
        &["rundll32", "certutil", "bitsadmin", "start "],
        r"(?i)(?:curl|certutil|bitsadmin|wget)(?:\.exe)?\s[^\n]{0,160}https?://[^\n]{4,200}\n[^\n]{0,40}\b(?:rundll32|start|regsvr32|cmd)\b[^\n]{0,120}",
    ),
    pattern(
        Rule::DownloadRun,
        Severity::Warn,
        Scope::Code,
        &["xmlhttp", "winhttp"],
        r"(?is)(?:XMLHTTP|WinHttp).{0,200}https?://.{0,400}(?:WScript\.Shell|Shell\.Application)",
    ),
    pattern(
        Rule::ReverseShell,
        Severity::Block,
        Scope::Code,
        &[".stdin"],
        r"(?is)spawn\w*\(\s*['\x22](?:/bin/)?(?:(?:ba|z)?sh|cmd(?:\.exe)?|powershell(?:\.exe)?)['\x22].{0,600}(?:net\.|Socket|connect).{0,300}\.pipe\(\s*\w+\.stdin",
    ),
    pattern(
        Rule::Ransom,
        Severity::Block,
        Scope::Code,
        &["encrypt"],
        r"(?is)(?:\.home\(\)|expanduser\(['\x22]~|homedir\(\)).{0,200}(?:rglob|walk|readdir|glob).{0,400}encrypt.{0,300}(?:os\.remove|unlink|rmSync)",
    ),
    pattern(
        Rule::EncodedRun,
        Severity::Block,
        Scope::Code,
        &["exec", "eval"],
        r"(?i)\b(?:exec|eval)\(\s*(?:['\x22]{2}\.join\(\s*(?:map\(\s*chr|chr\()|bytes\(\s*\[|compile\(\s*(?:bytes|base64|zlib))",
    ),
    // Code from a hidden file, or from a folder in which every program writes.
    pattern(
        Rule::EncodedRun,
        Severity::Block,
        Scope::Code,
        &["exec", "eval"],
        r"(?i)\b(?:exec|eval|execfile|runpy\.run_path)\(\s*(?:compile\(\s*)?(?:open|io\.open|(?:pathlib\.)?Path|(?:fs\.)?readFileSync)\(\s*['\x22](?:/(?:var/)?tmp/|/dev/shm/|(?:~|/home/\w+|/root)?/(?:[^'\x22\n]{0,80}/)?\.)[^'\x22\n]{1,120}['\x22]",
    ),
    // What a code hides is the argument of a program that reaches the network or runs it.
    pattern(
        Rule::EncodedRun,
        Severity::Block,
        Scope::Code,
        &["base64"],
        r"\bbase64\s+(?:-d|-D|--decode)\s*\|\s*xargs\s[^\n|]{0,60}\b(?:curl|wget|nc|ncat|(?:ba|z)?sh|eval)\b",
    ),
    pattern(
        Rule::Obfuscated,
        Severity::Block,
        Scope::Code,
        &["_0x"],
        r"_0x[0-9a-f]{3,}\[[^\n]{0,200}require\(|require\(_0x[0-9a-f]+|['\x22](?:\\x[0-9a-f]{2}){6,}['\x22]",
    ),
    pattern(
        Rule::Obfuscated,
        Severity::Block,
        Scope::Code,
        &["fromcharcode"],
        r"(?s)=\s*String\.fromCharCode\([\d,\s]{6,}\).{0,200}(?:globalThis|window|global|this)\[\w+\]\(",
    ),
    pattern(
        Rule::OddPackage,
        Severity::Warn,
        Scope::Any,
        &["index-url", "set registry", "registry="],
        r"(?i)(?:--(?:extra-)?index-url['\x22]?[ =,]\s*['\x22]?|index-url\s*=\s*|set registry |(?:^|\n)registry=)\s*https?://[^\s'\x22\\]+",
    ),
    pattern(
        Rule::ApprovalOff,
        Severity::Block,
        Scope::Code,
        &["bypasspermissions", "skipdangerousmodepermissionprompt"],
        r"(?is)(?:\.claude|settings).{0,300}(?:writeFile|write_text|json\.dump|stringify|\.write\().{0,300}bypassPermissions|bypassPermissions.{0,300}(?:writeFile|write_text|json\.dump|stringify|\.write\()",
    ),
    pattern(
        Rule::Obfuscated,
        Severity::Block,
        Scope::Code,
        &["'](", "\"]("],
        r"\[\s*['\x22][A-Za-z_]{1,8}['\x22]\s*\+\s*['\x22][A-Za-z_]{1,8}['\x22]\s*\]\(",
    ),
    pattern(
        Rule::AgentConfig,
        Severity::Warn,
        Scope::Any,
        &["_base_url", "_api_base", "s_proxy", "p_proxy"],
        r"(?i)\b(?:ANTHROPIC_BASE_URL|OPENAI_BASE_URL|OPENAI_API_BASE|GEMINI_BASE_URL|HTTPS?_PROXY)['\x22]?\s*[=:]\s*['\x22]?https?://[^\s'\x22]+",
    ),
    pattern(
        Rule::Floods,
        Severity::Block,
        Scope::Code,
        &["while true", "while :"],
        r"(?s)while\s+(?:true|:)\s*;?\s*do[^#]{0,300}(?:curl|wget|ab|hping3)\s[^\n]{0,200}[^&]&\s*(?:done|;\s*done|\n\s*done)[^\n]{0,20}\n\s*done",
    ),
    pattern(
        Rule::MoneySent,
        Severity::Block,
        Scope::Prose,
        &["iban", "account", "payee", "transfer"],
        r"(?i)\b(?:set|change|replace|use|put|overwrite)\b[^.\n]{0,60}\b(?:iban|bank account|account number|payee|bank details)\b[^.\n]{0,30}\b[A-Z]{2}\d{2}(?:\s?\d{4}){3,6}",
    ),
    pattern(
        Rule::FakeTurn,
        Severity::Block,
        Scope::Prose,
        &["system-reminder", "system_reminder", "<system>"],
        r"(?i)<(?:system[-_]reminder|system)>[^<]{0,300}(?:approved|confirmations?|without asking|permission|ignore|do not tell|don't tell|all commands)",
    ),
    // A tool that gives orders in its description.
    pattern(
        Rule::FakeTurn,
        Severity::Block,
        Scope::Any,
        &["<important>"],
        r"(?i)<important>[^<]{0,600}(?:approved|confirmations?|without asking|permission|ignore|(?:do not|don't) (?:tell|mention)|all commands)",
    ),
    pattern(
        Rule::Destroys,
        Severity::Block,
        Scope::Code,
        &[":|:"],
        r":\(\)\s*\{\s*:\s*\|\s*:\s*&\s*\}\s*;\s*:",
    ),
    pattern(
        Rule::Destroys,
        Severity::Block,
        Scope::Code,
        &["remove-item"],
        r"(?i)Remove-Item\s[^\n]{0,60}(?:C:\\(?:\s|\*|$)|\$HOME(?:\s|$)|\$env:USERPROFILE(?:\s|$))[^\n]{0,40}-Recurse",
    ),
    pattern(
        Rule::ApprovalOff,
        Severity::Block,
        Scope::Code,
        &["set-mppreference"],
        r"(?i)Set-MpPreference\s[^\n]{0,80}-Disable\w+\s+\$true",
    ),
    pattern(
        Rule::ApprovalOff,
        Severity::Block,
        Scope::Any,
        &["add-mppreference"],
        r"(?i)Add-MpPreference\s+-ExclusionPath\s+['\x22]?(?:C:\\(?:[\s'\x22`]|$)|\$env:(?:USERPROFILE|TEMP|APPDATA)|\$HOME)",
    ),
    pattern(
        Rule::Floods,
        Severity::Block,
        Scope::Code,
        &["| "],
        r"\b([a-z_]{1,12})\s*\(\)\s*\{\s*[a-z_]{1,12}\s*\|\s*[a-z_]{1,12}\s*&\s*\}\s*;\s*[a-z_]{1,12}",
    ),
    pattern(
        Rule::ReverseShell,
        Severity::Block,
        Scope::Code,
        &["sockaddr_in", "io::socket", "socket.tcp", "socket\""],
        r"(?is)(?:sockaddr_in|IO::Socket::INET|socket\.tcp|require\W{1,3}socket).{0,500}(?:open\s*\(?\s*STD(?:IN|OUT|ERR)\s*,\s*['\x22][<>]&|exec\W{1,4}/bin/(?:ba)?sh|io\.popen\(\s*\w+\s*[,)]|os\.execute\(\s*\w+\s*\))",
    ),
    pattern(
        Rule::DataSent,
        Severity::Block,
        Scope::Code,
        &["bcc"],
        r"(?i)\[?['\x22]?bcc['\x22]?\]?\s*[:=]\s*\[?\s*['\x22][\w.+-]{2,60}@[\w-]+(?:\.[\w-]+)+['\x22]",
    ),
    pattern(
        Rule::MoneySent,
        Severity::Block,
        Scope::Code,
        &["{40}", "bc1", "{25,"],
        r"(?i)(?:sub|replace(?:all)?|gsub|-replace)\b[^\n]{0,160}(?:0x\[[^\]\n]{2,20}\]\{40\}|bc1)[^\n]{0,120}['\x22](?:0x[0-9a-f]{40}|bc1[a-z0-9]{25,60}|[13][A-Za-z0-9]{26,34})['\x22]",
    ),
    pattern(
        Rule::Floods,
        Severity::Block,
        Scope::Code,
        &["fork()"],
        r"(?:while\s+(?:True|true|1|\(1\)|\(true\))\s*:?\s*\{?\s*(?:os\.)?fork\(\))",
    ),
    pattern(
        Rule::ReverseShell,
        Severity::Block,
        Scope::Code,
        &["net.dial", "tcpstream", "new socket(", "af_inet", "tcpclient("],
        r"(?is)(?:net\.Dial|TcpStream::connect|new Socket\(|socket\(\s*AF_INET|TcpClient\().{0,600}(?:exec\.Command|Command::new|ProcessBuilder|getRuntime|execve?l?p?|Process\.Start)\W{1,6}(?:new )?\W{0,4}(?:/bin/)?(?:(?:ba|z)?sh|cmd(?:\.exe)?|powershell(?:\.exe)?)\b",
    ),
    pattern(
        Rule::ApprovalOff,
        Severity::Block,
        Scope::Code,
        &["msmpeng", "disableantispyware", "windefend", "disablerealtimemonitoring"],
        r"(?i)(?:taskkill[^\n]{0,40}msmpeng|reg add[^\n]{0,120}disable(?:antispyware|realtimemonitoring)|sc(?:\.exe)? (?:stop|delete|config) windefend)",
    ),
    pattern(
        Rule::WeakensCode,
        Severity::Warn,
        Scope::Any,
        &["s3:*"],
        r"(?i)\x22Principal\x22\s*:\s*\x22\*\x22[^\n]{0,80}\x22s3:\*\x22",
    ),
    pattern(
        Rule::Destroys,
        Severity::Block,
        Scope::Code,
        &["os.walk(", ".home()", "homedir()", "rglob("],
        r"(?is)(?:os\.walk\(\s*(?:os\.path\.expanduser\(\s*['\x22]~/?['\x22]\s*\)|(?:pathlib\.)?Path\.home\(\)|['\x22]/['\x22])|Path\.home\(\)\.rglob\(|readdirSync\(\s*(?:os\.)?homedir\(\)).{0,300}(?:os\.(?:remove|unlink)\(|\.unlink\(|unlinkSync\(|rmSync\(|urandom\(|\.truncate\()",
    ),
    // What a request brings is evaluated: a page that runs every visitor's code.
    pattern(
        Rule::Backdoor,
        Severity::Block,
        Scope::Code,
        &["$_post", "$_get", "$_request", "$_cookie"],
        r"(?i)\b(?:eval|assert|system|exec|shell_exec|passthru|popen|proc_open|create_function)\s*\(\s*(?:@|base64_decode\s*\(|gzinflate\s*\(|str_rot13\s*\(|stripslashes\s*\(|\s)*\$_(?:POST|GET|REQUEST|COOKIE)\b",
    ),
    // The answer of a server is evaluated where it arrives.
    pattern(
        Rule::DownloadRun,
        Severity::Warn,
        Scope::Any,
        &["eval(", "function(", "incontext(", "eval: true", "eval:true"],
        r"(?is)(?:https?['\x22]?\)?\.(?:get|request)|\bfetch|axios(?:\.get)?)\(\s*\\?['\x22`]https?://[^\s'\x22`]{4,200}.{0,200}?(?:\beval\(|\bnew Function\(|runIn(?:This|New)Context\(|new Worker\([^)]{0,60}eval:\s*true)",
    ),
    pattern(
        Rule::ApprovalOff,
        Severity::Block,
        Scope::Code,
        &["bypasspermissions", "bash(*)"],
        r"(?is)\b(?:jq|sed -i|tee|echo|printf|cat\s*>)[^\n]{0,200}(?:bypassPermissions|Bash\(\*\))[^\n]{0,300}(?:\.claude|settings)[^\n]{0,200}(?:>|\bmv\b|sponge|\btee\b)",
    ),
    // A shell that reads from a pipe which a connection writes to.
    pattern(
        Rule::ReverseShell,
        Severity::Block,
        Scope::Code,
        &["mkfifo", "mknod"],
        r"(?is)\b(?:mkfifo|mknod)\s+\S+.{0,200}\b(?:ba|z|da)?sh\s+-i\b.{0,200}\b(?:nc|ncat|telnet|socat|openssl\s+s_client)\b",
    ),
    // A container that is given the whole machine.
    pattern(
        Rule::Backdoor,
        Severity::Block,
        Scope::Any,
        &["privileged:"],
        r"(?is)privileged:\s*true.{0,300}[\s\x22'\[-]/:/\w+(?:[^:\w]|:rw|$)|[\s\x22'\[-]/:/\w+(?:[^:\w]|:rw).{0,300}privileged:\s*true",
    ),
    // A file that Python runs at every start.
    pattern(
        Rule::Persistence,
        Severity::Block,
        Scope::Code,
        &[".pth"],
        r"(?is)\.pth\b[^\n]{0,80}\bwrite(?:_text)?\(\s*[fb]?['\x22]{1,3}import\b",
    ),
    // Every prompt of a shell downloads something.
    pattern(
        Rule::Persistence,
        Severity::Warn,
        Scope::Any,
        &["prompt_command", "bash_env", "precmd"],
        r"(?i)\b(?:PROMPT_COMMAND|BASH_ENV|precmd)\b\x22?\s*[:=(][^\n]{0,40}\b(?:curl|wget)\s[^\n]{0,160}",
    ),
    // Bytes of the script are run as machine code.
    pattern(
        Rule::EncodedRun,
        Severity::Block,
        Scope::Code,
        &["cfunctype", "winfunctype"],
        r"(?is)(?:prot\s*=\s*(?:7\b|[^\n]{0,60}PROT_EXEC)|VirtualAlloc|mprotect).{0,500}(?:CFUNCTYPE|WINFUNCTYPE)\(",
    ),
    // A workflow whose command is what a stranger writes.
    pattern(
        Rule::Backdoor,
        Severity::Block,
        Scope::Any,
        &["github.event."],
        r"(?i)\brun:\s*\|?\s*\$\{\{\s*github\.event\.(?:comment|issue|review|pull_request|discussion)\.(?:body|title)\s*\}\}\s*(?:\n|$)",
    ),
    pattern(
        Rule::Backdoor,
        Severity::Block,
        Scope::Code,
        &["params"],
        r"`\s*#\{[^}`\n]{0,100}\bparams\b[^}`\n]{0,40}\}\s*`",
    ),
    // A database that starts a program which sends.
    pattern(
        Rule::DataSent,
        Severity::Warn,
        Scope::Code,
        &["to program"],
        r"(?i)\bto program\s+'[^'\n]{0,20}\b(?:curl|wget|nc)\b[^'\n]{0,200}",
    ),
    // Classes that are loaded from an address.
    pattern(
        Rule::DownloadRun,
        Severity::Warn,
        Scope::Code,
        &["urlclassloader", "loadfrom("],
        r"(?i)(?:URLClassLoader\([^\n]{0,80}|Assembly(?:\]::|\.)LoadFrom\(\s*['\x22])https?://[^\s'\x22)]+",
    ),
    // Commands that Windows runs on an event.
    pattern(
        Rule::Persistence,
        Severity::Block,
        Scope::Code,
        &["eventconsumer", "__eventfilter"],
        r"(?is)(?:Set-WmiInstance|New-CimInstance|\.SpawnInstance_).{0,200}(?:CommandLineEventConsumer|ActiveScriptEventConsumer|__EventFilter)",
    ),
    // A key that the author fixed is let in.
    pattern(
        Rule::Backdoor,
        Severity::Block,
        Scope::Any,
        &["authorized_key", "ssh_authorized_keys", "authorized-keys"],
        r"(?is)authorized[_-]keys?\b.{0,200}\bssh-(?:ed25519|rsa|dss|ecdsa\S{0,20}) AAAA[A-Za-z0-9+/]{24,}",
    ),
    // Data is destroyed on a day that the author chose.
    pattern(
        Rule::Destroys,
        Severity::Block,
        Scope::Code,
        &[
            "weekday()",
            "getday()",
            "date +%",
            ".month",
            ".day ",
            "date.today()",
            "getmonth()",
            "isoweekday",
            "date.now()",
        ],
        r"(?is)(?:\bweekday\(\)|isoweekday\(\)|getDay\(\)|getMonth\(\)|\.month|\.day|date \+%[a-zA-Z]\)?['\x22]?)\s*(?:===?|-eq|-ge|>=|=)\s*['\x22]?\d.{0,300}?(?:\bdrop (?:table|database|schema)\b|\btruncate table\b|rmtree\(|rm -rf|rmSync\(|\bdelete from\b|dropDatabase|os\.remove\()|(?:date\.today\(\)|datetime\.now\(\)|Date\.now\(\)|new Date\(\))\s*>=?\s*(?:datetime\.)?(?:date|datetime|new Date|Date\.parse|\d{10})\b.{0,300}?(?:\bdrop (?:table|database|schema)\b|\btruncate table\b|rmtree\(|rm -rf|rmSync\(|dropDatabase)",
    ),
    // A dependency at an address without a name, or unencrypted.
    pattern(
        Rule::OddPackage,
        Severity::Block,
        Scope::Any,
        &["git+http", "\"http", "@ http", "@http"],
        r"(?i)\x22[@\w./-]{1,80}\x22\s*:\s*\x22(?:git\+)?https?://(?:\d{1,3}\.){3}\d{1,3}[:/][^\s\x22]*(?:\.git|\.tgz|\.tar\.gz|\.zip)\x22|(?:^|\n)[\w.\[\]-]{1,60}\s*@\s*(?:git\+)?https?://(?:\d{1,3}\.){3}\d{1,3}[:/]\S+",
    ),
    pattern(
        Rule::FakeTurn,
        Severity::Block,
        Scope::Prose,
        &["<tool_result", "<function_result", "<tool_response", "<tool_output"],
        r"(?i)<(?:tool_results?|function_results?|tool_response|tool_output)>[^<]{0,240}\b(?:approved|authori[sz]ed|consent|permission|all commands|without asking|user (?:said|agreed|confirmed))\b",
    ),
    pattern(Rule::Miner, Severity::Block, Scope::Code, &["stratum+"], r"stratum\+(?:tcp|ssl)://[^\s'\x22]+"),
    pattern(
        Rule::FakeTurn,
        Severity::Block,
        Scope::Prose,
        &["<|im_start|>", "[inst]", "<|start_header_id|>", "<|system|>"],
        r"(?i)(?:^|\n)\s*(?:<\|im_start\|>|\[INST\]|<\|start_header_id\|>|<\|system\|>)\s*(?:system|user|assistant)?",
    ),
    pattern(
        Rule::FakeTurn,
        Severity::Warn,
        Scope::Prose,
        &["system", "tool_result", "function_result"],
        r"(?i)(?:^|\n)\s*(?:</?(?:tool_result|function_results?|system_message|system_override)>|\[(?:system|system message|system override|admin override)\]\s*:?|#{1,4}\s*system\s*(?:message|override|notice)\b\s*:?)",
    ),
];

struct Compiled {
    needs: AhoCorasick,
    /// For each required word, the pattern that requires it.
    owners: Vec<usize>,
    /// Compiled when one of its words occurs for the first time.
    regexes: Vec<OnceLock<Option<Regex>>>,
}

static COMPILED: LazyLock<Option<Compiled>> = LazyLock::new(|| {
    let mut words = Vec::new();
    let mut owners = Vec::new();
    for (at, pattern) in PATTERNS.iter().enumerate() {
        for word in pattern.needs {
            words.push(*word);
            owners.push(at);
        }
    }
    let needs = AhoCorasick::builder().ascii_case_insensitive(true).build(words).ok()?;
    let regexes = PATTERNS.iter().map(|_| OnceLock::new()).collect();
    Some(Compiled { needs, owners, regexes })
});

/// Looks for every pattern. `code` is true when the text is code.
pub(crate) fn look(text: &str, code: bool, purpose: &Purpose) -> Vec<(Rule, Severity, Range<usize>)> {
    let mut found = Vec::new();
    let Some(compiled) = COMPILED.as_ref() else { return found };
    let mut wanted = [false; PATTERNS.len()];
    for hit in compiled.needs.find_overlapping_iter(text) {
        if let Some(owner) = compiled.owners.get(hit.pattern().as_usize()) {
            wanted[*owner] = true;
        }
    }
    for (at, pattern) in PATTERNS.iter().enumerate().filter(|(at, _)| wanted[*at]) {
        let fits = match pattern.scope {
            Scope::Any => true,
            Scope::Code => code,
            Scope::Prose => !code,
        };
        let Some(regex) = compiled
            .regexes
            .get(at)
            .filter(|_| fits)
            .and_then(|regex| regex.get_or_init(|| crate::pattern::pattern(pattern.regex)).as_ref())
        else {
            continue;
        };
        for hit in regex.find_iter(text).take(8) {
            if pattern.rule == Rule::HardSecret && is_sample(hit.as_str()) {
                continue;
            }
            let mail = hit.as_str().rsplit('@').next().unwrap_or_default().trim_end_matches(['"', '\'']);
            if pattern.rule == Rule::DataSent
                && (purpose::is_example(mail) || purpose::is_placeholder(mail) || purpose.names_mail(mail))
            {
                continue;
            }
            // A response from a host where anyone can publish is worse than one from a project's
            // own host.
            let suspicious = hosts::addresses(hit.as_str()).iter().any(|address| {
                address.kind.is_suspicious() || (address.plain && address.kind != hosts::HostKind::Local)
            });
            if pattern.rule == Rule::OddPackage
                && hosts::addresses(hit.as_str()).iter().all(|address| crate::shell::is_usual(&address.host))
            {
                continue;
            }
            let mut found_at = hosts::addresses(hit.as_str());
            if found_at.is_empty() && pattern.rule == Rule::PipeToShell {
                found_at = without_scheme(hit.as_str());
            }
            // A proxy or registry on an example host, as manuals write it for the reader to
            // replace.
            let unowned = matches!(pattern.rule, Rule::AgentConfig | Rule::OddPackage)
                && !found_at.is_empty()
                && found_at.iter().all(|address| purpose::is_unowned(&address.host));
            // An installer that a project publishes has the same severity as in a shell.
            let published = pattern.rule == Rule::PipeToShell
                && !found_at.is_empty()
                && found_at
                    .iter()
                    .all(|address| address.kind == hosts::HostKind::Installer && !address.plain);
            if unowned || published {
                found.push((pattern.rule, Severity::Note, hit.range()));
                continue;
            }
            let foreign = pattern.rule != Rule::HardSecret
                && found_at.iter().any(|address| {
                    address.kind == hosts::HostKind::Named && crate::flow::is_foreign(&address.host, purpose)
                });
            let severity = if (suspicious || foreign) && pattern.severity == Severity::Warn {
                Severity::Block
            } else {
                pattern.severity
            };
            found.push((pattern.rule, severity.min(pattern.rule.severity()), hit.range()));
        }
    }
    found
}

/// The addresses that PowerShell completes: `irm host.tld | iex`.
fn without_scheme(text: &str) -> Vec<hosts::Address> {
    let words = text.split(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '(' | ')' | '|'));
    let hosts = words.filter(|word| word.contains('.') && !word.starts_with(['-', '.', '$']));
    hosts.flat_map(|word| hosts::addresses(&format!("https://{word}"))).collect()
}

/// Whether a key is an example: it contains such a word, or it repeats itself.
fn is_sample(key: &str) -> bool {
    let upper = key.to_ascii_uppercase();
    if [
        "EXAMPLE",
        "XXXX",
        "YOUR",
        "SAMPLE",
        "1234567",
        "ABCDEFG",
        "TEST",
        "FAKE",
        "DUMMY",
        "REDACTED",
        "PLACEHOLDER",
        "0000000",
        "...",
        "AAAA",
    ]
    .iter()
    .any(|word| upper.contains(word))
    {
        return true;
    }
    let mut seen: Vec<char> = key.chars().collect();
    seen.sort_unstable();
    seen.dedup();
    seen.len() < 10
}

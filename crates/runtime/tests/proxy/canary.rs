//! Twenty secrets, and every way we know to get one out. None may be in anything that a model, a log
//! or an error shows, in any of the encodings.

use crate::process::Process;
use crate::world::{WAIT, World, call, from_store, lookup, options, ran, run};
use data_encoding::{BASE32, BASE64, BASE64URL, HEXLOWER};
use secrecy::{ExposeSecret, SecretString};
use skillful_credentials::proxy::{
    BLOCKED, CapturedOutput, OUTPUT_LIMIT, ProgramCall, ProgramOutput, Proxy, Request, RunError, Runner,
    StopFlag, client, model_environment,
};
use skillful_runtime::exec::find;
use skillful_select::access::{Way, admit};
use std::{
    collections::BTreeMap,
    fmt::Write as _,
    io::{Read, Write},
    os::unix::net::UnixStream,
    time::Duration,
};

const COUNT: usize = 20;

/// Secrets as services make them: tokens, passwords, urls, one of several lines, one not of ASCII.
fn canaries() -> Vec<(String, String)> {
    // A plain generator of numbers: the same secrets on every run.
    let text = |seed: usize, length: usize, alphabet: &[u8]| -> String {
        let mut state = u64::try_from(seed).unwrap() + 1;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            usize::try_from(state >> 40).unwrap()
        };
        (0..length).map(|_| char::from(alphabet[next() % alphabet.len()])).collect()
    };
    let token = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    let hard = b"abcXYZ0189!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~";
    (0..COUNT)
        .map(|seed| {
            let value = match seed % 6 {
                0 => format!("ghp_{}", text(seed, 36, token)),
                1 => text(seed, 24, hard),
                2 => format!("postgres://app:{}@db/x?y=1&z=2", text(seed, 20, token)),
                3 => format!(
                    "-----BEGIN KEY-----\n{}\n{}\n-----END KEY-----",
                    text(seed, 64, token),
                    text(seed + 50, 40, token)
                ),
                4 => format!("Pässwörd–{}", text(seed, 16, hard)),
                _ => text(seed, 40, b"0123456789abcdef"),
            };
            (format!("CANARY_{seed:02}"), value)
        })
        .collect()
}

/// The letters of an encoding in groups that depend on nothing around the text, at each offset.
fn aligned(text: &[u8], group: usize, letters: usize, encode: impl Fn(&[u8]) -> String) -> Vec<String> {
    let core = |shift: usize| {
        let encoded = encode(&[vec![0; shift], text.to_vec()].concat());
        let bits = 8 * group / letters;
        let (first, last) = ((shift * 8).div_ceil(bits), (shift + text.len()) * 8 / bits);
        encoded[first..last].to_owned()
    };
    (0..group).map(core).collect()
}

/// A value in every encoding that is searched for, in small letters and without blanks.
fn forms(value: &str) -> Vec<(&'static str, String)> {
    let bytes = value.as_bytes();
    let percent: String = bytes
        .iter()
        .map(|byte| {
            if byte.is_ascii_alphanumeric() { char::from(*byte).to_string() } else { format!("%{byte:02x}") }
        })
        .collect();
    let mut forms = vec![
        ("raw", value.to_owned()),
        ("hex", HEXLOWER.encode(bytes)),
        ("percent", percent),
        ("percent of all", bytes.iter().map(|byte| format!("%{byte:02x}")).collect()),
        ("hex escapes", bytes.iter().map(|byte| format!("\\x{byte:02x}")).collect()),
        ("octal", bytes.iter().map(|byte| format!("{byte:03o}")).collect()),
        ("decimal", bytes.iter().map(u8::to_string).collect()),
        ("reversed", value.chars().rev().collect()),
        ("json", serde_json::to_string(value).unwrap().trim_matches('"').to_owned()),
        ("double base64", BASE64.encode(BASE64.encode(bytes).as_bytes()).trim_end_matches('=').to_owned()),
    ];
    forms.extend(aligned(bytes, 3, 4, |text| BASE64.encode(text)).into_iter().map(|form| ("base64", form)));
    forms.extend(
        aligned(bytes, 3, 4, |text| BASE64URL.encode(text)).into_iter().map(|form| ("base64url", form)),
    );
    forms.extend(aligned(bytes, 5, 8, |text| BASE32.encode(text)).into_iter().map(|form| ("base32", form)));
    // Lines of an unwrapped encoding are separated only by blanks.
    forms.into_iter().map(|(name, form)| (name, plain(&form))).collect()
}

fn plain(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace() && *c != '\0').collect::<String>().to_lowercase()
}

/// Which secrets are in a text, in which encoding. A JSON text is also read as what it says.
fn hits(text: &str) -> Vec<String> {
    let unescaped =
        text.replace("\\n", "\n").replace("\\\"", "\"").replace("\\\\", "\\").replace("\\t", "\t");
    let texts = [plain(text), plain(&unescaped)];
    let mut hits = Vec::new();
    for (name, value) in canaries() {
        for (form, letters) in forms(&value) {
            if texts.iter().any(|text| text.contains(&letters)) {
                hits.push(format!("{name} as {form}"));
            }
        }
    }
    hits
}

/// Everything that an attacker could read.
#[derive(Default)]
struct Sinks(Vec<(String, String)>);

impl Sinks {
    fn add(&mut self, attempt: &str, text: impl Into<String>) {
        self.0.push((attempt.to_owned(), text.into()));
    }

    fn check(&self) {
        let mut found = String::new();
        for (attempt, text) in &self.0 {
            for hit in hits(text) {
                writeln!(found, "{attempt}: {hit}").unwrap();
            }
        }
        assert!(found.is_empty(), "{found}");
    }
}

/// A raw reply, as a client of any kind sees it.
fn raw(proxy: &Proxy, line: &[u8]) -> String {
    let mut stream = UnixStream::connect(proxy.path()).unwrap();
    stream.set_read_timeout(Some(WAIT)).unwrap();
    drop(stream.write_all(line));
    drop(stream.shutdown(std::net::Shutdown::Write));
    let mut reply = Vec::new();
    drop(stream.read_to_end(&mut reply));
    String::from_utf8(reply).unwrap()
}

/// Programs that try to show what they were given. `each CMD` runs a command for every secret, with
/// the secret as its input.
const PRELUDE: &str = "all() { env | grep -o '^CANARY_[0-9]*' | sort; }
value() { eval \"printf %s \\\"\\$$1\\\"\"; }
each() { for n in $(all); do value $n | eval \"$1\"; echo; done; }
";
const PROGRAMS: [(&str, &str); 36] = [
    ("env", "env"),
    ("env-zero", "env -0"),
    ("export", "export -p"),
    ("set", "set"),
    ("proc-environ", "cat /proc/self/environ"),
    ("proc-environ-lines", "tr '\\0' '\\n' < /proc/self/environ"),
    ("plain", "each cat"),
    ("stderr", "each cat >&2"),
    ("base64", "each 'base64 -w0'"),
    ("base64-76", "each base64"),
    ("base64-64", "each 'base64 -w 64'"),
    ("base64-of-all", "env | base64 -w 76"),
    ("base64-url", "each 'base64 -w0 | tr +/ -_'"),
    ("base64-twice", "each 'base64 -w0 | base64 -w0'"),
    ("base64-with-a-header", "for n in $(all); do { printf 'user:'; value $n; } | base64 -w0; echo; done"),
    ("base32", "each 'base32 -w0'"),
    ("base32-lower", "each 'base32 -w 50 | tr A-Z a-z'"),
    ("hex", "each 'od -An -v -tx1 -w1 | tr -d \" \\n\"'"),
    ("hex-groups", "each 'od -An -v -tx1'"),
    ("hex-capitals", "each 'od -An -v -tx1 | tr a-f A-F'"),
    ("hex-escapes", "each 'od -An -v -tx1 -w1 | sed \"s/ /\\\\\\\\x/\" | tr -d \"\\n\"'"),
    ("octal", "each 'od -An -v -to1'"),
    ("decimal", "each 'od -An -v -tu1'"),
    ("percent", "each 'od -An -v -tx1 -w1 | tr \" \" % | tr -d \"\\n\"'"),
    ("reversed", "each 'tac -r -s \"x\\|[^x]\"'"),
    ("capitals", "each 'tr a-z A-Z'"),
    ("rot13", "each 'tr A-Za-z N-ZA-Mn-za-m'"),
    ("one-letter-a-line", "each 'fold -b -w 1'"),
    ("spaced", "each 'sed \"s/./& /g\"'"),
    ("indented", "each 'fold -b -w 7 | sed \"s/^/        /\"'"),
    ("quoted", "each \"sed \\\"s/'/'\\\\\\\\\\\\\\\\''/g\\\"\""),
    (
        "slow-pieces",
        "for n in $(all); do value $n | fold -b -w 5 | while read -r l || [ -n \"$l\" ]; do printf %s \"$l\"; done; done",
    ),
    ("nul-bytes", "each 'sed \"s/./&\\x00/g\"'"),
    ("error", "for n in $(all); do cat \"$(value $n)\"; done; exit 3"),
    ("no-such-command", "for n in $(all); do \"$(value $n)\"; done"),
    ("halves", "for n in $(all); do value $n | head -c 20; value $n | tail -c +21 >&2; done"),
];

fn world() -> World {
    let header: String = canaries().iter().map(|(name, _)| from_store(name)).collect();
    let body = "vars:\n  DECLARED:\n    secret: true\n    required: false\n";
    let mut world = World::new()
        .skill("hostile", &format!("{body}env:\n{header}"))
        .skill("bystander", "")
        .script("bystander", "env", "env; cat /proc/self/environ");
    for (name, value) in canaries() {
        world = world.secret("store", &name, &value);
    }
    for (name, text) in PROGRAMS {
        world = world.script("hostile", name, &format!("{PRELUDE}{text}"));
    }
    let (_, declared) = canaries().swap_remove(0);
    let vars = serde_json::json!({ "DECLARED": declared }).to_string();
    world.file(".agents/skills/hostile/vars.json", &vars)
}

/// Writes all it was given in one encoding, in pieces of odd sizes.
struct Encoder;

impl Runner for Encoder {
    fn run(
        &self,
        call: &ProgramCall,
        environment: &BTreeMap<String, SecretString>,
    ) -> Result<ProgramOutput, RunError> {
        let arguments = &call.command[1..];
        let form: usize = arguments[0].to_str().unwrap().parse().unwrap();
        let mut text = String::new();
        for secret in environment.values() {
            let forms = forms_as_written(secret.expose_secret());
            writeln!(text, "value: {}", forms[form % forms.len()]).unwrap();
        }
        if arguments.len() > 1 {
            return Err(RunError::Failed(format!("failed with {text}")));
        }
        let captured = || CapturedOutput { bytes: text.clone().into_bytes(), cut: false };
        Ok(ProgramOutput { stdout: captured(), stderr: captured(), code: 0 })
    }
}

const ENCODINGS: usize = 8;

fn forms_as_written(value: &str) -> [String; ENCODINGS] {
    let bytes = value.as_bytes();
    let percent = |byte: &u8| {
        if byte.is_ascii_alphanumeric() { char::from(*byte).to_string() } else { format!("%{byte:02X}") }
    };
    let wrap = |text: String| {
        text.as_bytes()
            .chunks(64)
            .map(|line| String::from_utf8_lossy(line).into_owned())
            .collect::<Vec<_>>()
            .join("\n")
    };
    [
        value.to_owned(),
        wrap(BASE64.encode(format!("Bearer {value}").as_bytes())),
        BASE64URL.encode(bytes),
        HEXLOWER.encode(bytes),
        bytes.iter().map(percent).collect(),
        value.chars().rev().collect(),
        serde_json::to_string(value).unwrap(),
        BASE32.encode(bytes),
    ]
}

#[test]
fn the_harness_finds_every_secret_in_every_encoding() {
    for (name, value) in canaries() {
        for form in forms_as_written(&value) {
            assert!(
                hits(&format!("before {form} after")).iter().any(|hit| hit.starts_with(&name)),
                "{name}: {form}"
            );
        }
    }
    assert_eq!(hits("nothing of it"), Vec::<String>::new());
}

/// Programs whose encoding the search does not know; the redactor does.
const UNSEARCHED: [&str; 3] = ["rot13", "quoted", "halves"];

#[test]
fn the_hostile_programs_do_show_what_they_are_given() {
    let world = world();
    let environment: BTreeMap<String, SecretString> = canaries()
        .into_iter()
        .chain([("PATH".to_owned(), "/usr/local/bin:/usr/bin:/bin".to_owned())])
        .map(|(name, value)| (name, SecretString::from(value)))
        .collect();
    let (runner, mut weak) = (Process { folder: world.path() }, Vec::new());
    let gate = world.gate();
    let (at, _) = gate.catalog.called("hostile").next().unwrap();
    let proof = admit(&gate.catalog, at, gate.asker(), Way::Execute).unwrap();
    let skill = gate.catalog.admitted(&proof).unwrap();
    for (name, _) in PROGRAMS.iter().filter(|(name, _)| !UNSEARCHED.contains(name)) {
        let call = ProgramCall {
            skill: "hostile".to_owned(),
            bound: None,
            command: find(&skill, Some(name)).unwrap().command(&[]),
            stdin: Vec::new(),
            timeout: WAIT,
            output: OUTPUT_LIMIT,
            stop: StopFlag::default(),
        };
        let ran = runner.run(&call, &environment).unwrap();
        let both = [ran.stdout.bytes, ran.stderr.bytes].concat();
        let shown = hits(&String::from_utf8_lossy(&both)).len();
        if shown < COUNT / 2 {
            weak.push(format!("{name} shows {shown}: {:.300}", String::from_utf8_lossy(&both)));
        }
    }
    assert!(weak.is_empty(), "{}", weak.join("\n"));
}

#[test]
fn twenty_secrets_in_eight_encodings_never_leave_the_proxy() {
    let world = world();
    let proxy = Proxy::start(&options(), world.handler_with(Box::new(Encoder))).unwrap();
    let mut sinks = Sinks::default();
    for form in 0..ENCODINGS {
        let form = form.to_string();
        for args in [&[form.as_str()][..], &[&form, "fail"]] {
            let reply = raw(&proxy, &run("hostile", "env", args).to_line());
            assert!(reply.matches("[redacted]").count() >= COUNT, "{reply}");
            sinks.add(&format!("encoding {form} {args:?}"), reply);
        }
    }
    sinks.check();
}

#[test]
fn no_secret_comes_out_in_any_way_we_know() {
    let world = world();
    let proxy = world.proxy();
    let mut sinks = Sinks::default();
    let mut attempts = 0;
    let mut attempt = |name: &str, text: String, sinks: &mut Sinks| {
        attempts += 1;
        sinks.add(name, text);
    };
    for (name, _) in PROGRAMS {
        let reply = raw(&proxy, &run("hostile", name, &[]).to_line());
        assert!(reply.contains("\"returncode\""), "{name}: {reply}");
        attempt(&format!("program {name}"), reply, &mut sinks);
    }
    attempt("another skill's program", raw(&proxy, &run("bystander", "env", &[]).to_line()), &mut sinks);
    for (name, value) in canaries() {
        attempt("lookup", raw(&proxy, &lookup(&name).to_line()), &mut sinks);
        let for_skill = Request::Credential { name, skill: Some("hostile".to_owned()) };
        attempt("lookup for a skill", raw(&proxy, &for_skill.to_line()), &mut sinks);
        // Somebody who guessed learns nothing, and the log does not repeat it.
        attempt("lookup of a value", raw(&proxy, &lookup(&value).to_line()), &mut sinks);
        attempt("a skill called like a value", raw(&proxy, &run(&value, "x", &[]).to_line()), &mut sinks);
        attempt(
            "a program called like a value",
            raw(&proxy, &run("hostile", &value, &[]).to_line()),
            &mut sinks,
        );
    }
    for name in BLOCKED.iter().chain(&["DECLARED", "PATH", "*", "CANARY_", "canary_00"]) {
        attempt("lookup of other names", raw(&proxy, &lookup(name).to_line()), &mut sinks);
    }
    for line in [
        "{\"type\":\"credential\",\"name\":[\"CANARY_00\"]}\n",
        "{\"type\":\"credential\",\"name\":\"CANARY_00\",\"skill\":\"\"}\n",
        "{\"type\":\"Credential\",\"name\":\"CANARY_00\"}\n",
        "{\"type\":\"run\",\"skill\":\"hostile\",\"program\":\"../../../secrets\"}\n",
        "{\"type\":\"run\",\"skill\":\"hostile\",\"program\":\"/bin/sh\",\"args\":[\"-c\",\"env\"]}\n",
        "{\"skill\":\"hostile\",\"program\":\"vars.json\"}\n",
        "{\"skill\":\"hostile\"\n",
        "env\n",
    ] {
        attempt("a bad request", raw(&proxy, line.as_bytes()), &mut sinks);
    }
    let client = client::call(proxy.path(), &run("hostile", "env", &[]), WAIT);
    attempt("debug of a reply", format!("{client:?}"), &mut sinks);
    attempt(
        "debug of the proxy",
        format!("{proxy:?} {:?} {:#?}", proxy.handler(), proxy.handler().variables()),
        &mut sinks,
    );
    attempt("debug of the redactor", format!("{:?}", proxy.handler().redactor()), &mut sinks);
    attempt("diagnostics", format!("{:?}", proxy.handler().variables().diagnostics()), &mut sinks);
    let process = canaries().into_iter().chain([("LANG".to_owned(), canaries()[3].1.clone())]).collect();
    let pass: Vec<String> = canaries().into_iter().map(|(name, _)| name).collect();
    let model = model_environment(&process, &pass, proxy.handler(), proxy.path());
    attempt("the model's environment", format!("{:?}", model.variables), &mut sinks);
    attempt("the skill as a model reads it", activation(&world), &mut sinks);
    for refused in world.heard() {
        let json = serde_json::to_string(&refused).unwrap();
        sinks.add("log", format!("{refused}\n{refused:?}\n{json}"));
    }
    assert!(attempts >= 130, "{attempts}");
    assert!(world.heard().len() > 80);
    sinks.check();
}

/// What a model gets to read of the skill.
fn activation(world: &World) -> String {
    let gate = world.gate();
    let names = BTreeMap::new();
    let engine = skillful_runtime::Engine::new(&gate.catalog, gate.asker(), &world.settings, &names);
    let (at, _) = gate.catalog.called("hostile").next().unwrap();
    let proof = admit(&gate.catalog, at, gate.asker(), Way::Load).unwrap();
    let (activation, text) =
        skillful_runtime::compose::load(&engine, &proof, "{{CANARY_00}} $CANARY_01 {{DECLARED}}").unwrap();
    format!("{text}\n{activation:?}")
}

#[test]
fn an_output_that_is_cut_in_the_middle_of_a_secret_shows_none_of_it() {
    let (name, value) = canaries().swap_remove(0);
    let text = "head -c $1 /dev/zero | tr '\\0' '~'; printf %s \"$CANARY_00\"; head -c 100 /dev/zero";
    let world = World::new()
        .skill("hostile", &format!("env:\n{}", from_store(&name)))
        .secret("store", &name, &value)
        .script("hostile", "long", text);
    let proxy = world.proxy();
    for kept in [5, value.len() - 1] {
        let before = (OUTPUT_LIMIT - kept).to_string();
        let output = ran(call(proxy.path(), &run("hostile", "long", &[&before])));
        assert!(output.truncated);
        let tail = &output.stdout[output.stdout.len() - 60..];
        assert!(tail.ends_with("~[redacted]"), "{kept}: {tail}");
    }
}

#[test]
fn what_was_written_before_a_timeout_is_dropped() {
    let mut world = world().script("hostile", "hang", "env; env >&2; sleep 600");
    world.timeout = Duration::from_millis(700);
    let proxy = world.proxy();
    let reply = raw(&proxy, &run("hostile", "hang", &[]).to_line());
    assert!(reply.contains("\"returncode\":124") && !reply.contains("redacted"), "{reply}");
    assert_eq!(hits(&reply), Vec::<String>::new());
}

#[test]
fn a_secret_too_long_to_be_found_is_given_to_no_program_and_a_short_one_is_reported() {
    let world = World::new()
        .skill("it", &format!("env:\n{}{}", from_store("HUGE"), from_store("PIN")))
        .script("it", "names", "env | cut -d= -f1")
        .secret("store", "HUGE", &"x1y2".repeat(5000))
        .secret("store", "PIN", "1234");
    let proxy = world.proxy();
    let names = ran(call(proxy.path(), &run("it", "names", &[]))).stdout;
    assert!(names.contains("PIN") && !names.contains("HUGE"), "{names}");
    let told: Vec<&str> = proxy.handler().unredacted().iter().map(|one| one.name.as_str()).collect();
    assert_eq!(told, ["HUGE", "PIN"]);
}

#[test]
fn fifty_calls_in_a_row_are_served() {
    let world = world().script("hostile", "quiet", "true");
    let proxy = world.proxy();
    for _ in 0..50 {
        assert_eq!(call(proxy.path(), &run("hostile", "quiet", &[])).code(), 0);
    }
}

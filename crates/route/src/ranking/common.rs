//! How common words are in public skills, for catalogs with too few skills for statistics of their own.
//!
//! "=" and a number start a group: about so many of a thousand public skills contain each word that follows.
//! Counted by `tools/routing/common.py`.

/// The table of common words.
pub(crate) const COMMON: &str = "\
=600 \
and for from in or skill the to use with \
=500 \
api check https if is name not of on required this when \
=400 \
add all are as bash before by code com create data example get id it json key list md need no only output \
patterns read reference run set specific step that type user your \
=300 \
active after agent ai an any at based be build can changes complete configuration context description do \
document each error existing file first full generate handling include install management new one path per \
production provides request results return review source start status test time tool trigger true up update \
validation verify via what without work workflow write you \
=250 \
access action call common content core current custom default design docs does every execution failed field \
format github has how implement import input integration into like limit log match must notes operations \
optional process recommended related report response scripts security see setup structure support target \
task text url value \
=200 \
across against always app application apply ask available best but case cause claude config confirm connect \
covers date decision dependencies details development different directly edit environment explicit find \
follow have high identify instructions io issues level make map message missing model more multi multiple \
never next non object open other performance plan platform post project python query re real record \
resources rules same search select service should show single standard state system template than then these \
they through token usage version vs where which why \
=160 \
about account already also analysis approach authorization auto automatically automation behavior between \
block both checklist cli client command concepts contains control correct count deployment detection domain \
email enable end env event expected export extract failure false feature fix flag flow framework function \
guidance guide help instead just keep line link load local may mit mode most my node number openclaw order \
org out over overview page pass point practices prerequisites produces py quality quick rate reason scope \
server session shared so strategy string success summary team their them want will within \
=130 \
actual architecture artifacts audit auth avoid back basic cannot category class clear critical cross days \
define delete dev don endpoint engine entry etc exact external filter found gather go grep here http \
information initial items js language last live logic low main manual markdown max metadata method \
monitoring optimization own package prefer present problem prompt question ready relevant remove replace \
risk save schema section send separate size skip store table title top total tracking two under understand \
was web whether window wrong \
=100 \
above accept address admin allow alternative analyze anything appear appropriate async authentication await \
batch because below body break built business cache capabilities capture choose clean close cloud collect \
commit compare complex component conditions consistent const constraints continue conversion copy cost \
credentials curl database debug determine directory done during effect emoji empty ensure evaluate even \
fetch final focus gaps git gotchas group head headers history hours html image immediately improve index \
interactive internal invalid job known label large layer let library location long look many marketing \
marking mcp me means memory metrics migration move nagrecha network now npm null off once parameters parse \
permissions person phrases pipeline policy position pranav pre prevent primary profile public purpose rather \
raw reduce reliability research resolve rest right role root route safe salesforce says scale schedule \
second secret self side signal silently situation solution spring stage still stop style surface there three \
too try typescript ui until v1 variable verification view visible warning who \
=80 \
additional alert answer anti apex approval area assessment assign bins catch cd chain channel ci combine \
compatible compliance comprehensive compute console contract coverage creation dashboard decide definition \
describe doesn driven else enforce entire excellence exception experience fast force form free general \
generic goal good google health agent human identity impact info inside intent intentsolutions interface \
jeremy keywords know latest lead learning least length longshore loop maintain matters mechanism medium \
mentions min minimal minutes module month native none obvious official often organization original part \
phase place price print proceed progress publish pull push python3 range receive recent release remaining \
retry runtime saas scan score sdk sensitive sh short simple small some specified split suggest sync tags \
take technical term timeout timestamp topic treat unless volume wait we week well while would www yaml yes \
zero \
=60 \
advanced affected alignment analytics another arguments array assets assistant assume attempt attributes \
background bad balance bearer becomes been better boundary brief browser budget bug builder bulk calculate \
chat choice claim click codex communication community company comparison consider consumer contact \
conventions convert could criteria daily deep dir discover discovery display distinct down download draft \
drive drop duplicate dynamic echo edge either elements en enterprise establish estimate everything evidence \
exceeds exchange exit explain expose express extend extension fallback fill fire fit future gate give global \
happens hard hit hooks ignore increase independent indicators individual industry infrastructure inline \
inspect invoke isolation iteration itself javascript knowledge later launch layout leave legacy license \
lifecycle linux llm login lookup machine measure meeting merge meta minimum mixed modify navigate normal \
observability offer old opportunity orchestration os outcome outside override owner parallel partial \
password payload period persistent pick pip plugin plus possible powered pr practitioner preserve previous \
principles priority private promise properties protection protocol reach readme register reject relationship \
render repeat repo resolution respond retrieve row safety sample scenarios semantic sentence sequence \
severity shape shell ship sign similar site space spec src stack static stay storage sub submit switch tell \
things those threshold throw tier transaction transform tree troubleshooting trust ts turn txt typically \
unique unit unknown upload upstream us utility v2 visual way words workspace written year \
=50 \
adapt agentskillexchange aggregate amount append architect args assumptions audience aware baseline beyond \
boolean branch brand bundle carry characters color column come comments compile concrete confidence conflict \
db declarative def deliver depth did disable distribution docker duration embedded enough enter equivalent \
escalation expired facing feedback frame fresh glob guidelines hand handler hardcoded hello higher hold home \
init injection insert insights instance investigation involves ip join latency lower matrix mismatch natural \
net nothing notification npx oauth ok ops our pair params parent pdf plain png prefix prepare prioritize \
proper put queue quote readable reflect refresh region remote repository restrictions reuse sales sandbox \
screen serve significant slow slug social something sort special stale stream strong subject third timeline \
touch trace upgrade var video webhook were world wrap yet \
=40 \
act ad adjust alone alongside archive article attach backend begin benchmark benefit binary bound broken \
button bypass candidate canonical cap card care cat catalog caveats child chosen cleanup clone codebase \
compose concerns concurrent coordination csv cycle delay delivery derived device diagnose diagnostic diff \
dimensions downstream drift due dump early efficiency encoding engagement exclude expert explore factor \
facts fall faster feed fine folder formula forward four frequently fully genuinely githubusercontent given \
governance growth helper hierarchy highest inference insufficient inventory invocation isn jq kind landing \
left less ll lock longer lose macos made major mandatory material maximum media members mistakes mm mobile \
ms near omit openai otherwise pagination party paste patch payment pending people pitfalls pm populated port \
potential prediction preview pro procedures professional program programmatic proposed raise rank rationale \
react red refactor referenced rely reply representative reset respect revenue round scratch segment sent \
signature since solve soql sql stable statement stats strict such suite summarize syntax terminal think \
today trade traffic trail training transitions trends tuning unexpected usually variants violations voice \
watch weight wide wins xml \
=30 \
abstract accuracy adoption again allocation am ambiguous anchor anthropic apache around assert associated \
attack audio average aws backoff backup bar behind belongs billing binding blog book bot box broad buy bytes \
cadence calendar callout campaign cancel center chars checker checkout cite clarify classification classify \
clawdbot clawhub competitor composition confusion connector considerations construction consult cpu credit \
crm cron css cursor cut dataset dd de dedicated defer degradation demand demo denied deprecated \
deterministic diagram discipline discussion dml double easy effort emit encryption entity equal exec \
exhausted expand expensive explanation extra feel few filename financial finish foundation frequency \
friendly gateway gemini goes gracefully grant graph grounded guarantee guard hash heavy hidden hide \
highlight historical honest hub idea incident incremental int intelligence intended interpretation interval \
introduced justified leak legal len light lightning linkedin localhost loss maintenance manifest master math \
mb methodology mid might mkdir mock modern much namespace narrow negative nested notify older onboarding opt \
overall overhead overlap ownership paid paper paragraph partner past pause permanent persona phone pin \
placeholder poll precision prior privilege prod promote proof provisioning pure quarterly random ratio \
reader recovery ref regardless registration registry regression regular reproducible req restart resume \
retention reveals reverse rewrite roll rollback rotation runbook scaffold scalability screenshot sequential \
sf shift simulation slack snapshot snippet software someone span speed stakeholders standalone statistics \
story str stringify study submission subscription succeeds sum synchronous systematic tab tech techniques \
theme thread tied tips tmp together tone toolkit transcript transfer translate triage truth tutorials \
twitter unauthorized unavailable username ux v3 vague vary ve vector very vulnerabilities walk waste weak \
website whole wire won worker wrapper xx xxx yyyy \
=25 \
absent absolute achieve administrator age algorithm annotations apikey attention azure b2b basedir big blank \
bottom brew bridge broader browse bucket bullet caller capacity central certificate challenge chart chunk \
citations clarity cluster cmd co cold collaboration competitive compliant compound compression concise \
constant contribution creative creator crypto cta defense delegate deliberately deliverable desc desired \
desktop deviations devops digital dispatch distinguish dry editor embed english enhanced enumerate \
especially essential eval exclusive exponential family fewer five flat forget formal frontend fundamentals \
gpt grade green growing guess handoff incomplete inconsistent incorrect inherit integer interest interview \
investment iso jwt lacks larger lint literal lost ls lwc meaningful microsoft middleware mitigation moderate \
mohitagw15856 moment mutation narrative necessary negotiable news notice numeric occurs offset outbound pack \
pain panel pay percentage play playbook pool portal pressure privacy proactive propagate proxy rarely \
realistic recurring redirect refine remediation reminder rename res restore retain reusable rich seed seo \
shown sleep smart spend startup stdout strategic strip studio subscriber subsequent sufficient supply \
survive swap symbol symptom technology ticket toggle unclear unrelated uuid vendor verbose void whenever \
whose width worth yml youtube \
=20 \
abc123 accumulate accurate acknowledge advise agree agreement angle announce annual apple approximate aren \
arrive askuserquestion aspect atlas atomic base64 beats bias blocker blue breakdown buffer callback cascade \
checkpoint chrome competing consolidate constructor cookie correlation corresponding counter country cp \
crash crud darwin datetime dead deadline deal decline deeper delta demonstrate destination diagnosis dict \
didn differentiation discord disk dive draw earlier earn ecosystem education eliminate encountering enum err \
escape exposure fabricate fi figure finance flexible float font funding further gb gen gh governor graphql \
grid hot htm hybrid icon ideal idempotent identification implications inactive incoming ingestion instant \
invent java jpg kill kubernetes lab landscape letter leverage lib linear listen logo markers mask minor \
mirror ml modification money noise obtain openapi oriented overwrite participants perspective photo physical \
pii placement please poor postgresql props prose prove proven purchase qualified reality recover redis \
reduction refuse regulated regulatory remember reserve revision rollout router satisfy secondary sell serial \
shield simpler simultaneously sk slice slot smaller sobject soft sound spawn spot strength stripe substitute \
surprises synthesis tail talk telegram tenant thin thought threat tight todo tolerance toward tracker \
transparency transport truncated tsx ubuntu undefined unified unlike unnecessary userid uv v4 variations \
vault verbatim verdict wallet warm white workaround workloads writer yourself \
=15 \
ab academic accelerate accordingly acme acquisition adjacent advice aggressive alias allowlist almost alt \
amazon analyst animation anomalies anonymous anyone apt arbitrary art articleview assembly asynchronous \
authoritative autonomous avg away backward badge bare behave beta blind blob board bold bool bottleneck \
buyer calibration caption categorize cc cdn ceiling certain changelog charge cheap children churn city \
classic clause clinical cloudflare cn collapse comma commerce compact composio compromised conclusion \
conducting consent constrained consumption contrast copilot corporate corrupt curated currency cybersecurity \
dangerous dark decode deduplication dense deps destructive digest discount dist div divergence dns dom \
dominant driver durable ecc einstein elsewhere employee energy enrichment eof es eth everyone everywhere \
evolving examine exercise expansion experimental expertise expiry exploit factory familiarity fan far \
fastest fee filesystem fixtures flight fn forbidden forecast friction front frontmatter gain game gdpr \
gitignore got great guardrails h1 had half happy harness headless headline healthy heartbeat height hex hint \
hoc homepage hr hunt img implicit inbound inbox instrument intermediate interrupt intro invisible invite \
invoice journal journey judge judgment justification kb law leadership lessons life lightweight llms loader \
logger mahipal manipulation margin marketplace medical met milestones mind movement msg neither neutral \
nightly nobody office offline ongoing online opinion orphaned outdated outline overlay padding peer piece \
pipe playwright pnpm pointer polish portfolio posture powershell precedence premium presence press \
primaryenv probability probe px qa quantity quiet quota race radius rag ran rapid reachable rebuild recipe \
recipient recognize recursive reddit redundant regenerate reload replay replicate rm roadmap roi rough \
routine rube runner rust s3 sanitize scheme science scraping scroll seen selector sender senior series sha \
shadow sheet shortcut sibling signup simplify simply sits sla slides sometimes sonnet specialist speech \
spike spreadsheet ssh ssl stability stakes stand star stock stuck subagent sudo suppress sure survey \
sustained svg synthesize temp temporary themselves thorough though throttling throughput timezone tls toml \
tradeoffs trap travel traversal trial trim trip trivial unchanged universal unlock unsupported unused upsert \
urgency uri usd utc utf valuable vercel versus vertical viewer virtual visit wall webfetch whatever win32 \
workbench yield zone \
=12 \
abort accidentally accountid adversarial advisor ae agency agentforce ago al alice alpha arxiv ascii auditor \
aura backlog bank bearing bio black bootstrap bring burn ca canvas cargo cell characteristics checkbox chmod \
circuit clock cm commercial complement cons consequence conservative contradicts contributors convergence \
copywriting corp coupling craft credibility criterion cs ctx curve deactivate debt decorative department \
destroy disclosure dot dramatically easier economics elevated eligibility emergency emerging emotional eu \
ever evolution excessive factual fair fake faq fault flash floor fls fold footer foreach fork founder \
fragment fs funnel gpu gradient granular guest hallucination hardening harder haven hero hipaa hiring honor \
horizontal however hundreds hypothesis idle immutable implies impossible impressions infinite inflate \
influence instagram internet intervention introduction jest john jsonl jump kept kit kubectl la lag lambda \
lang largest late lazy led legitimate literature lowest malformed markup mature membership mental middle \
millions mini misconfigured modal motion motivation mp4 multiplier newer notion num numpy opus organic \
outreach overflow parser particularly peak perfect permitted picklist pillar ping popular portable prep \
primitives prs ps pub pytest queueable queued rationalizations reactive recall receipt recognition redacted \
redesign referral regex renewal rep resistance resp revert revoke robots robust room rpc said scanner scene \
schemaref sec sense settimeout sha256 shot simplest six slightly slower smallest smoke solid speak sprint \
sqlite square starter stdin stress subprocess subset suffix suitable suspicious sys tailored tap tax \
taxonomy teach temperature territory testable thousands throughout tiktok topology traditional treatment \
truly ttl uncertain unlimited unreachable unresolved unsafe untrusted usable usdc v0 velocity verb vision \
websearch websocket welcome widget wiki worse xyz zh zip \
=10 \
abandon abc abuse acquire advantage aim aliases alter analyses android anywhere asyncio avatar axis basis \
biggest bit blast brainstorming breach breaker bun cash cast casual caught chatgpt cheaper chinese \
clarification cls cognitive coherent col complaints concatenation contextual critique cro ctrl culture \
decimal deck density discard disconnected distance docx dual dx e2e elif envelope ethereum etl exe extremely \
eye facebook favor ffmpeg firewall flip forever freeze frustration func gas gcp gitlab gmail golden gone \
gradual habit hardware hasn healthcare held heuristics href ide inc indefinitely indent institutional intake \
intensity irreversible jargon jpeg keyboard l2 lean lifetime lowercase mac magic mail mass maximize menu \
micro mining mjs mo monday morning mount mp3 newly newsletter ocr outage owasp palette pandas parameterized \
partition passive patient perf philosophy picture pitch pixel pkg planner pod podcast postgres preset \
principal processor prospect prototype pt q1 ratelimit rbac really recalculation resilience restructure \
retired reward rollup rubric sans scattered scientific searchable seasonal sed seems serverless sharp \
shopping shorter skeleton soap soc solely solo spam speaker speculative spread sse sso st stall stderr \
strongest struct stubs subtitle subtle suspect sweep t10 tactics tailwind taken tcp tdd telemetry \
terminology th thanks theory timer transient twice typeof typo unauthenticated undo uniform unread unsure \
upfront urgent usr viable visitors vocabulary wave weather went wizard yarn";

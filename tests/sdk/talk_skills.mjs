// The npm client of one vendor against the team server: every call of its Skills API.
//
//     node talk_skills.mjs openai|anthropic URL TOKEN
//
// Runs in the folder that has the clients.

import { createRequire } from "node:module";
import { createServer } from "node:http";
import { pathToFileURL } from "node:url";
import path from "node:path";

const require = createRequire(path.join(process.cwd(), "package.json"));
const load = async (name) => import(pathToFileURL(require.resolve(name)).href);

const text = (name, body) => `---\nname: ${name}\ndescription: Does it. Use when asked.\n---\n\n${body}\n`;

function check(condition, what) {
  if (!condition) throw new Error(`wrong: ${typeof what === "string" ? what : JSON.stringify(what)}`);
}

async function raises(kind, call, what) {
  try {
    await call();
  } catch (error) {
    check(error instanceof kind, `${what}: ${error?.constructor?.name}: ${error?.message}`);
    return error;
  }
  throw new Error(`${what}: no ${kind.name}`);
}

async function all(pages) {
  const found = [];
  for await (const one of pages) found.push(one);
  return found;
}

// A connection whose first answer is lost after the server did its work: the client asks again.
async function losing(base) {
  let lost = 0;
  const target = new URL(base);
  const proxy = createServer((request, response) => {
    const parts = [];
    request.on("data", (part) => parts.push(part));
    request.on("end", async () => {
      const headers = { ...request.headers, host: target.host };
      delete headers["transfer-encoding"];
      delete headers.connection;
      delete headers["content-length"];
      const body = parts.length > 0 ? Buffer.concat(parts) : undefined;
      const answer = await fetch(new URL(request.url, target), { method: request.method, headers, body });
      const bytes = Buffer.from(await answer.arrayBuffer());
      if (request.method === "POST" && lost === 0) {
        lost += 1;
        request.socket.destroy();
        return;
      }
      response.writeHead(answer.status, { "content-type": answer.headers.get("content-type") ?? "" });
      response.end(bytes);
    });
  });
  await new Promise((ready) => proxy.listen(0, "127.0.0.1", ready));
  return { url: `http://127.0.0.1:${proxy.address().port}`, close: () => proxy.close(), count: () => lost };
}

async function talkOpenai(base, token) {
  const { default: OpenAI, toFile, ...errors } = await load("openai");
  const files = async (name, body) => [
    await toFile(Buffer.from(text(name, body)), "SKILL.md"),
    await toFile(Buffer.from("print(1)\n"), "run.py"),
  ];
  const client = new OpenAI({ apiKey: token, baseURL: `${base}/openai/v1` });
  const skill = await client.skills.create({ files: await files("npm-open", "One.") });
  check(skill.name === "npm-open" && skill.default_version === "1", skill);
  const second = await client.skills.versions.create(skill.id, { files: await files("npm-open", "Two."), default: true });
  check(second.version === "2", second);
  await client.skills.versions.create(skill.id, { files: await files("npm-open", "Three.") });
  const kept = await client.skills.retrieve(skill.id);
  check(kept.default_version === "2" && kept.latest_version === "3", kept);
  check((await client.skills.update(skill.id, { default_version: "1" })).default_version === "1", "another default");
  const versions = (await all(client.skills.versions.list(skill.id, { limit: 1, order: "asc" }))).map((one) => one.version);
  check(versions.join() === "1,2,3", versions);
  await client.skills.create({ files: await files("npm-other", "One.") });
  const listed = (await all(client.skills.list({ limit: 1 }))).map((one) => one.name).sort();
  check(listed.join() === "npm-open,npm-other", listed);
  check((await client.skills.versions.retrieve("2", { skill_id: skill.id })).id === second.id, "a version by its number");
  const content = Buffer.from(await (await client.skills.content.retrieve(skill.id)).arrayBuffer());
  check(content.subarray(0, 2).toString() === "PK" && content.includes("npm-open/SKILL.md"), "the content is a zip");
  await client.skills.versions.content.retrieve("3", { skill_id: skill.id });
  const same = [
    await toFile(Buffer.from(text("npm-same", "One.")), "a/SKILL.md"),
    await toFile(Buffer.from("1"), "a/x/run.py"),
    await toFile(Buffer.from("2"), "a/y/run.py"),
  ];
  const clash = await raises(errors.BadRequestError ?? OpenAI.BadRequestError, () => client.skills.create({ files: same }), "equal names");
  check(clash.message.includes("run.py"), `the message names the files: ${clash.message}`);
  const refused = await raises(OpenAI.ConflictError, () => client.skills.versions.delete("1", { skill_id: skill.id }), "the default is deleted");
  check(refused.code === "default-version", refused.message);
  check((await client.skills.versions.delete("3", { skill_id: skill.id })).deleted, "a version is deleted");
  const taken = await raises(OpenAI.ConflictError, async () => client.skills.create({ files: await files("npm-open", "Again.") }), "a taken name");
  check(taken.code === "name-taken", taken.message);
  await raises(OpenAI.NotFoundError, () => client.skills.retrieve("skill_none"), "a skill that is not there");
  await raises(OpenAI.BadRequestError, () => client.skills.create(), "no files");
  const stranger = new OpenAI({ apiKey: "bad", baseURL: `${base}/openai/v1` });
  await raises(OpenAI.AuthenticationError, () => all(stranger.skills.list()), "a wrong token");
  const proxy = await losing(base);
  const unlucky = new OpenAI({ apiKey: token, baseURL: `${proxy.url}/openai/v1` });
  const once = await unlucky.skills.versions.create(skill.id, { files: await files("npm-open", "Retried.") });
  check(proxy.count() === 1 && once.version === "4", once);
  const after = await all(client.skills.versions.list(skill.id));
  check(after.length === 3, `a retry makes no second version: ${after.map((one) => one.version)}`);
  proxy.close();
  check((await client.skills.delete(skill.id)).deleted, "a skill is deleted");
  await raises(OpenAI.NotFoundError, () => client.skills.retrieve(skill.id), "a deleted skill");
}

async function talkAnthropic(base, token) {
  const { default: Anthropic, toFile } = await load("@anthropic-ai/sdk");
  const files = async (name, body) => [
    await toFile(Buffer.from(text(name, body)), `${name}/SKILL.md`),
    await toFile(Buffer.from("print(1)\n"), `${name}/scripts/run.py`),
  ];
  const client = new Anthropic({ apiKey: token, baseURL: `${base}/anthropic` });
  const faces = [["beta", client.beta.skills], ["ga", client.skills]].filter(([, api]) => api !== undefined);
  for (const [face, api] of faces) {
    const name = `npm-anth-${face}`;
    const skill = await api.create({ display_name: "A title", files: await files(name, "One.") });
    const version = await api.versions.create(skill.id, { files: await files(name, "Two.") });
    const key = version.version ?? version.id;
    await api.create({ files: await files(`${name}-other`, "One.") });
    const listed = (await all(api.list({ limit: 1 }))).map((one) => one.id);
    check(listed.includes(skill.id) && new Set(listed).size === listed.length, listed);
    check((await all(api.versions.list(skill.id, { limit: 1 }))).length === 2, "every page of the versions");
    check((await api.retrieve(skill.id)).id === skill.id, "one skill");
    check((await api.versions.retrieve(key, { skill_id: skill.id })).id === version.id, "one version");
    check((await api.versions.retrieve("latest", { skill_id: skill.id })).id === version.id, "the latest version");
    if (api.versions.download) {
      const content = Buffer.from(await (await api.versions.download(key, { skill_id: skill.id })).arrayBuffer());
      check(content.includes(`${name}/scripts/run.py`), "the content is a zip with one folder");
    }
    await raises(Anthropic.ConflictError, async () => api.create({ files: await files(name, "Again.") }), "a taken name");
    await raises(Anthropic.NotFoundError, () => api.retrieve("skill_none"), "a skill that is not there");
    await raises(Anthropic.BadRequestError, async () => api.versions.create(skill.id, { files: await files("another-name", "One.") }), "another name");
    check((await api.versions.delete(key, { skill_id: skill.id })).type === "skill_version_deleted", "a version is deleted");
    await raises(Anthropic.ConflictError, () => api.versions.delete("latest", { skill_id: skill.id }), "the last version");
    check((await api.delete(skill.id)).type === "skill_deleted", "a skill is deleted");
  }
  const stranger = new Anthropic({ apiKey: "bad", baseURL: `${base}/anthropic` });
  await raises(Anthropic.AuthenticationError, () => all(stranger.beta.skills.list()), "a wrong token");
  const proxy = await losing(base);
  const unlucky = new Anthropic({ apiKey: token, baseURL: `${proxy.url}/anthropic` });
  const before = (await all(client.beta.skills.list())).length;
  await unlucky.beta.skills.create({ files: await files("npm-retried", "One.") });
  const after = (await all(client.beta.skills.list())).length;
  check(proxy.count() === 1 && after === before + 1, `a retry creates one skill: ${before}, ${after}`);
  proxy.close();
}

const [vendor, base, token] = process.argv.slice(2);
// Counts what is really sent to the server.
let sent = 0;
const send = globalThis.fetch;
globalThis.fetch = (...request) => {
  sent += 1;
  return send(...request);
};
await { openai: talkOpenai, anthropic: talkAnthropic }[vendor](base, token);
console.log(sent);

// An identity provider (the package oidc-provider) that knows the team server, and a browser that signs in there.
//
//     node team.mjs CALLBACK
//
// Prints its address. For each line `sign-in URL LOGIN` of standard input it does what a user does in a browser and prints one line of
// JSON: the status of the last page, its text, and the cookies of the team server.
import http from 'node:http';
import { createRequire } from 'node:module';
import readline from 'node:readline';
import { pathToFileURL } from 'node:url';

// The package prints advice; standard output is for the test.
const say = (text) => process.stdout.write(`${text}\n`);
console.info = console.log = console.warn = () => {};

const require = createRequire(`${process.env.SKILLFUL_OAUTH_PEERS}/`);
const { Provider } = await import(pathToFileURL(require.resolve('oidc-provider')));

let answer;
const server = http.createServer((request, response) => answer(request, response));
await new Promise((done) => server.listen(0, '127.0.0.1', done));
const issuer = `http://127.0.0.1:${server.address().port}`;
const provider = new Provider(issuer, {
  clients: [
    {
      client_id: 'skillful',
      client_secret: 'a-secret-of-the-test',
      token_endpoint_auth_method: 'client_secret_post',
      redirect_uris: [process.argv[2]],
    },
  ],
  claims: { openid: ['sub'], email: ['email'], profile: ['name', 'groups', 'roles'] },
  features: { devInteractions: { enabled: true } },
  findAccount: (_, id) => ({
    accountId: id,
    claims: () => ({
      sub: id,
      email: `${id}@example.org`,
      name: `User ${id}`,
      groups: id === 'ada' ? ['/eng/devs'] : [],
      roles: id === 'rita' ? ['reviewer'] : [],
    }),
  }),
});
answer = provider.callback();
say(issuer);

const visit = async (start, login) => {
  const jars = new Map();
  const jar = (url) => jars.get(url.host) ?? jars.set(url.host, new Map()).get(url.host);
  const head = (url) => ({ cookie: [...jar(url)].map(([name, value]) => `${name}=${value}`).join('; ') });
  const home = new URL(start);
  let address = start;
  let last = { status: 0, text: '' };
  for (let step = 0; step < 20 && address; step += 1) {
    const url = new URL(address);
    const keep = (response) => {
      for (const line of response.headers.getSetCookie()) {
        const [pair] = line.split(';');
        const at = pair.indexOf('=');
        jar(url).set(pair.slice(0, at), pair.slice(at + 1));
      }
      const next = response.headers.get('location');
      return next ? new URL(next, url).href : undefined;
    };
    const page = await fetch(url, { headers: head(url), redirect: 'manual' });
    const text = await page.text();
    last = { status: page.status, text, address };
    address = keep(page);
    if (address) continue;
    const prompt = text.match(/name="prompt" value="(\w+)"/)?.[1];
    if (!prompt) break;
    const body = new URLSearchParams({ prompt, login, password: 'x' });
    address = keep(await fetch(url, { method: 'POST', headers: head(url), body, redirect: 'manual' }));
  }
  return { ...last, cookies: Object.fromEntries(jar(home)) };
};

for await (const line of readline.createInterface({ input: process.stdin })) {
  const [, address, login] = line.split(' ');
  try {
    say(JSON.stringify(await visit(address, login)));
  } catch (error) {
    say(JSON.stringify({ status: 0, text: String(error), cookies: {} }));
  }
}
process.exit(0);

// An authorization server (the package oidc-provider) and an MCP server that wants its users to sign in there.
//
//     node server.mjs SECONDS
//
// SECONDS is the life of an access token. Prints one line of JSON with both addresses.
import http from 'node:http';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const require = createRequire(`${process.env.SKILLFUL_OAUTH_PEERS}/`);
const { Provider } = await import(pathToFileURL(require.resolve('oidc-provider')));
const lifetime = Number(process.argv[2] ?? 3600);

const listen = (handler) =>
  new Promise((done) => {
    const server = http.createServer((request, response) => handler(request, response));
    server.listen(0, '127.0.0.1', () => done(`http://127.0.0.1:${server.address().port}`));
  });

let answer;
const issuer = await listen((request, response) => answer(request, response));
let protect;
const place = await listen((request, response) => protect(request, response));
const resource = `${place}/mcp`;

const provider = new Provider(issuer, {
  scopes: ['openid', 'offline_access', 'mcp:tools'],
  features: {
    devInteractions: { enabled: true },
    registration: { enabled: true },
    resourceIndicators: {
      enabled: true,
      useGrantedResource: () => true,
      getResourceServerInfo: () => ({
        scope: 'mcp:tools',
        audience: resource,
        accessTokenTTL: lifetime,
        accessTokenFormat: 'opaque',
      }),
    },
  },
  ttl: { AccessToken: lifetime },
});
answer = provider.callback();

const counts = { signed: 0, refused: 0 };
const send = (response, status, body, headers = {}) => {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(body === undefined ? undefined : JSON.stringify(body));
};

protect = async (request, response) => {
  if (request.url === '/counts') return send(response, 200, counts);
  if (request.url.startsWith('/.well-known/oauth-protected-resource')) {
    return send(response, 200, { resource, authorization_servers: [issuer], scopes_supported: ['mcp:tools'] });
  }
  const value = (request.headers.authorization ?? '').replace(/^Bearer /, '');
  const token = value && (await provider.AccessToken.find(value));
  if (!token || token.aud !== resource) {
    counts.refused += 1;
    const challenge = `Bearer resource_metadata="${place}/.well-known/oauth-protected-resource/mcp"`;
    return send(response, 401, { error: 'invalid_token' }, { 'www-authenticate': challenge });
  }
  counts.signed += 1;
  if (request.method !== 'POST') return send(response, 405, {});
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const message = JSON.parse(Buffer.concat(chunks));
  const reply = (result) => send(response, 200, { jsonrpc: '2.0', id: message.id, result });
  switch (message.method) {
    case 'initialize':
      return reply({
        protocolVersion: '2025-06-18',
        capabilities: { tools: {} },
        serverInfo: { name: 'protected', version: '1' },
      });
    case 'tools/list':
      return reply({ tools: [{ name: 'whoami', description: 'Who is signed in.', inputSchema: { type: 'object' } }] });
    case 'tools/call':
      return reply({ content: [{ type: 'text', text: `signed in as ${token.accountId}` }] });
    default:
      if (message.id === undefined) return send(response, 202);
      return send(response, 200, { jsonrpc: '2.0', id: message.id, error: { code: -32601, message: 'unknown' } });
  }
};

console.log(JSON.stringify({ issuer, resource, counts: `${place}/counts` }));

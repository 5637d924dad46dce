import assert from 'node:assert/strict'
import { test } from 'node:test'
import { matchingLines, programFiles } from './tree.ts'

/** Imports and calls that can open a connection to another machine. */
const reachesOut = [
  /(?<![.\w])fetch\(|\bnew (WebSocket|EventSource|XMLHttpRequest)\(/,
  /^import (?!type )[^'"`;]*from '(undici|ioredis|@redis\/[^']+|node:(http2|dns|dns\/promises|dgram))'/m,
  /\bimport\('(undici|ioredis|@redis\/[^']+|node:(net|http|https|tls|http2|dns|dns\/promises|dgram))'\)/,
  // These have other uses too.
  /^import \{[^}]*\b(connect|createConnection|Socket|request|get|Agent|ClientRequest|TLSSocket)\b[^}]*\} from 'node:(net|http|https|tls)'/m,
  /^import (?!type |\{)[^'"`;]*from '(node:(net|http|https|tls)|stripe)'/m,
  // Without a transport over the network, nodemailer only writes the bytes of an e-mail.
  /\bcreateTransport\((?!\{ streamTransport: true)/,
  // Stripe's client is allowed with our own fetch only, because that uses the guarded connections.
  /\bcreateNodeHttpClient|createFetchHttpClient\((?!\(url, init\) => \{)/,
]

/** The guarded HTTP client, and the only other files that make connections themselves, each with its reason. */
const guarded = 'src/adapters/outbound-http/'
const ownWay: Record<string, string> = {
  'src/adapters/webhook-sender/undici.ts':
    'partners choose the receivers, so it needs egress rules and connects to checked addresses',
  'src/adapters/webhook-sender/pinned-connect.ts': 'makes the connection to the checked addresses',
  'src/adapters/mail-sender/smtp.ts': "speaks SMTP with the operator's mail server; no HTTP",
  'src/adapters/name-resolver/system.ts': 'speaks DNS',
  'src/adapters/name-resolver/name-lookup.ts': 'looks up names for the guarded HTTP client and for the mail server',
  'src/adapters/call-counter/redis.ts': "the deployment's own counts, shared by its processes; no HTTP",
  'src/http/pages/card-setup/browser-calls-to-processor.ts': "a sandbox's card page, acting as a tenant's browser",
}

/** Folders that simulate external systems or clients, or use PostgreSQL's own socket. */
const notOurWayOut = /^(simulators|journey|private-postgres|src\/cli)\//

function reachesOutByItself({ text }: { text: string }): boolean {
  const code = withoutComments(text)
  return reachesOut.some((pattern) => pattern.test(code))
}

function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\/|(^|\s)\/\/.*$/gm, '')
}

const reaching = programFiles.filter(
  (file) => !notOurWayOut.test(file.path) && !file.path.startsWith(guarded) && reachesOutByItself(file),
)

test('every file that calls an external system uses outbound-http or is listed here with its reason', () => {
  assert.deepEqual(reaching.map(({ path }) => path).sort(), Object.keys(ownWay).sort())
})

test('certificates are always checked, except by webhooks of a sandbox on this machine', () => {
  const own = programFiles.filter(({ path }) => path.startsWith('src/'))
  const files = matchingLines(own, /rejectUnauthorized|NODE_TLS_REJECT_UNAUTHORIZED|checkServerIdentity/)
  assert.deepEqual(
    files.map((line) => line.replace(/:\d+$/, '')),
    ['src/adapters/webhook-sender/pinned-connect.ts'],
  )
})

test('the search for outbound calls finds the guarded HTTP client itself', () => {
  const found = programFiles.filter((file) => file.path.startsWith(guarded) && reachesOutByItself(file))
  assert.ok(found.some(({ path }) => path === `${guarded}upstream.ts`))
})

test('every outbound call, guarded or not, is rejected inside a transaction', () => {
  const beginnings = [
    `${guarded}guard.ts`,
    'src/adapters/webhook-sender/undici.ts',
    'src/adapters/name-resolver/system.ts',
  ]
  for (const path of beginnings) {
    const file = programFiles.find((each) => each.path === path)
    assert.match(file?.text ?? '', /^ *assertNoOpenTransaction\(/m, path)
  }
})

test('guarded HTTP clients are created in only one place, where they are given the trace and the log', () => {
  const opening = programFiles.filter(
    ({ path, text }) => path !== `${guarded}upstream.ts` && /\bcreateUpstream\(/.test(text),
  )
  assert.deepEqual(
    opening.map(({ path }) => path),
    ['src/compose/open-upstream.ts'],
  )
})

test('names of external systems are resolved with a lookup that leaves a thread free for everything else', () => {
  const looking = programFiles.flatMap(({ path, text }) =>
    Array.from(text.matchAll(/(?<!function )\bcreateNameLookup\(/g), () => path),
  )
  assert.deepEqual(looking, ['src/compose/upstreams.ts'])
})

test('every transaction is begun by the function that marks it as open', () => {
  const begin = /['"`](begin|start transaction)['"`;]/i
  const found = programFiles.filter(({ text }) => begin.test(text)).map(({ path }) => path)
  // A migration runs before anything else and makes no outbound call.
  assert.deepEqual(found.sort(), ['src/db/database.ts', 'src/db/migrate.ts'])
})

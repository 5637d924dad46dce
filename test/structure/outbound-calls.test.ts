import assert from 'node:assert/strict'
import { test } from 'node:test'
import { matchingLines, programFiles } from './tree.ts'

/** Imports and calls that can open a connection to another machine. */
const reachesOut = [
  /(?<![.\w])fetch\(|\bnew (WebSocket|EventSource|XMLHttpRequest)\(/,
  /^import (?!type )[^'"`;]*from '(undici|node:(http2|dns|dns\/promises|dgram))'/m,
  /\bimport\('(undici|@opentelemetry\/exporter-[^']+|node:(net|http|https|tls|http2|dns|dns\/promises|dgram))'\)/,
  // These have other uses too.
  /^import \{[^}]*\b(connect|createConnection|Socket|request|get|Agent|ClientRequest|TLSSocket)\b[^}]*\} from 'node:(net|http|https|tls)'/m,
  /^import (?!type |\{)[^'"`;]*from '(node:(net|http|https|tls)|stripe)'/m,
  // Without a transport over the network, nodemailer only writes the bytes of an e-mail.
  /\bcreateTransport\((?!\{ streamTransport: true)/,
  // Stripe's client is allowed with our own fetch only, because that uses the guarded connections.
  /\bcreateNodeHttpClient|createFetchHttpClient\((?!\(url, init\) => \{)/,
]

/** The guarded HTTP client, and the only other files that make connections themselves, each with its reason. */
const guarded = ['src/platform/outbound/upstream.ts', 'src/platform/outbound/guard.ts']
const ownWay: Record<string, string> = {
  'src/webhooks/sender/webhook-sender.ts':
    'partners choose the receivers, so it needs egress rules and connects to checked addresses',
  'src/webhooks/sender/pinned-connect.ts': 'makes the connection to the checked addresses',
  'src/platform/mail/smtp.ts': "speaks SMTP with the operator's mail server; no HTTP",
  'src/platform/outbound/system.ts': 'speaks DNS',
  'src/platform/outbound/name-lookup.ts': 'looks up names for the guarded HTTP client and for the mail server',
  'src/app/tracing.ts':
    "sends spans to the operator's collector, with OpenTelemetry's exporter; no request decides where",
  'src/payments/card-setup/browser-calls-to-processor.ts': "a sandbox's card page, acting as a tenant's browser",
}

/** Folders that simulate external systems or clients, or use PostgreSQL's own socket. */
const notOurWayOut = /^src\/(sandbox\/(simulators|journey)|platform\/private-postgres|cli)\//

function reachesOutByItself({ text }: { text: string }): boolean {
  const code = withoutComments(text)
  return reachesOut.some((pattern) => pattern.test(code))
}

function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\/|(^|\s)\/\/.*$/gm, '')
}

const reaching = programFiles.filter(
  (file) => !notOurWayOut.test(file.path) && !guarded.includes(file.path) && reachesOutByItself(file),
)

test('every file that calls an external system uses the guarded HTTP client or is listed here with its reason', () => {
  assert.deepEqual(reaching.map(({ path }) => path).sort(), Object.keys(ownWay).sort())
})

test('certificates are always checked, except by webhooks of a sandbox on this machine', () => {
  const own = programFiles.filter(({ path }) => !path.startsWith('src/sandbox/simulators/'))
  const files = matchingLines(own, /rejectUnauthorized|NODE_TLS_REJECT_UNAUTHORIZED|checkServerIdentity/)
  assert.deepEqual(
    files.map((line) => line.replace(/:\d+$/, '')),
    ['src/webhooks/sender/pinned-connect.ts'],
  )
})

test('the search for outbound calls finds the guarded HTTP client itself', () => {
  assert.ok(programFiles.some((file) => file.path === guarded[0] && reachesOutByItself(file)))
})

test('every outbound call, guarded or not, is rejected inside a transaction', () => {
  const beginnings = [
    'src/platform/outbound/guard.ts',
    'src/webhooks/sender/webhook-sender.ts',
    'src/platform/outbound/system.ts',
  ]
  for (const path of beginnings) {
    const file = programFiles.find((each) => each.path === path)
    assert.match(file?.text ?? '', /^ *assertNoOpenTransaction\(/m, path)
  }
})

test('guarded HTTP clients are created in only one place, where they are given the trace and the log', () => {
  const opening = programFiles.filter(({ path, text }) => path !== guarded[0] && /\bcreateUpstream\(/.test(text))
  assert.deepEqual(
    opening.map(({ path }) => path),
    ['src/app/upstream-systems.ts'],
  )
})

test('names of external systems are resolved with a lookup that leaves a thread free for everything else', () => {
  const looking = programFiles.flatMap(({ path, text }) =>
    Array.from(text.matchAll(/(?<!function )\bcreateNameLookup\(/g), () => path),
  )
  assert.deepEqual(looking, ['src/app/check-connections.ts', 'src/app/upstreams.ts'])
})

test('every transaction is begun by the function that marks it as open', () => {
  const begin = /['"`](begin|start transaction)['"`;]/i
  const found = programFiles.filter(({ text }) => begin.test(text)).map(({ path }) => path)
  // A migration runs before anything else and makes no outbound call.
  assert.deepEqual(found.sort(), ['src/platform/db/database.ts', 'src/platform/db/migrate.ts'])
})

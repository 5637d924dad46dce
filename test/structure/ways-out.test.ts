import assert from 'node:assert/strict'
import { test } from 'node:test'
import { program, type TypeScriptFile } from './tree.ts'

/** Whatever can open a connection to somewhere else. */
const reachesOut = /^(undici|stripe|node:(http|https|http2|net|tls|dns|dns\/promises|dgram)|@redis\/.+|ioredis)$/

/** The guarded way, and beside it the only files that reach out by themselves, each with its reason. */
const guarded = 'src/adapters/outbound-http/'
const ownWay: Record<string, string> = {
  'src/adapters/webhook-sender/undici.ts':
    'partners name the receivers: egress rules and a connection to judged addresses',
  'src/adapters/webhook-sender/pinned-connect.ts': 'the same: how that connection is made',
  'src/adapters/name-resolver/system.ts': 'speaks DNS',
  'src/adapters/call-counter/redis.ts': "the deployment's own counts, shared by its processes; no HTTP",
  'src/http/pages/card-setup/processor-as-browser.ts': "a sandbox's card page, in the place of a tenant's browser",
}

/** Packages that can do more than connect: what is used where they do. */
const connecting: Record<string, RegExp> = {
  'node:net': /import \{[^}]*\b(connect|createConnection|Socket)\b[^}]*\} from 'node:net'|\bnet\./,
  'node:http': /import \{[^}]*\b(request|get|Agent|ClientRequest)\b[^}]*\} from 'node:http'|\bhttp\./,
  'node:https': /import \{[^}]*\b(request|get|Agent)\b[^}]*\} from 'node:https'|\bhttps\./,
  'node:tls': /import \{[^}]*\b(connect|TLSSocket)\b[^}]*\} from 'node:tls'/,
  // Its transport is made of the processor's own pooled exchange.
  stripe: /\bcreateNodeHttpClient|createFetchHttpClient\(\s*\)|createFetchHttpClient\((?!\(url, init\) => \{)/,
}

/** Those that play the outside world, the command line (a partner's place), and PostgreSQL's own socket. */
const notOurWayOut = /^(simulators|journey|private-postgres|src\/cli)\//

function reachesOutByItself({ text, imports }: TypeScriptFile): boolean {
  if (/(?<![.\w])fetch\(|\bnew (WebSocket|EventSource|XMLHttpRequest)\(/.test(withoutComments(text))) return true
  return imports.some(({ target, isPackage, isTypeOnly }) => {
    if (!isPackage || isTypeOnly || !reachesOut.test(target)) return false
    return connecting[target]?.test(withoutComments(text)) ?? true
  })
}

function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\/|(^|\s)\/\/.*$/gm, '')
}

const reaching = program.filter(
  (file) => !notOurWayOut.test(file.path) && !file.path.startsWith(guarded) && reachesOutByItself(file),
)

test('a file that asks an outside system, whichever it is, goes through outbound-http or is named here with its reason', () => {
  assert.deepEqual(reaching.map(({ path }) => path).sort(), Object.keys(ownWay).sort())
})

test('the guarded way itself, when it was looked at like all others, is found to reach out', () => {
  const found = program.filter((file) => file.path.startsWith(guarded) && reachesOutByItself(file))
  assert.ok(found.some(({ path }) => path === `${guarded}upstream.ts`))
})

test('what begins a call out, guarded or not, refuses to do so inside a transaction', () => {
  const beginnings = [
    `${guarded}upstream.ts`,
    'src/adapters/webhook-sender/undici.ts',
    'src/adapters/name-resolver/system.ts',
    'src/adapters/payment-processor/stripe-client.ts',
  ]
  for (const path of beginnings) {
    const file = program.find((each) => each.path === path)
    assert.match(file?.text ?? '', /^ *assertNoOpenTransaction\(/m, path)
  }
})

test('a guarded way out, whoever needs one, is opened in one place, which gives it the trace and the log', () => {
  const opening = program.filter(
    ({ path, text }) => path !== `${guarded}upstream.ts` && /\bcreateUpstream\(/.test(text),
  )
  assert.deepEqual(
    opening.map(({ path }) => path),
    ['src/compose/open-upstream.ts'],
  )
})

test('names, whichever outside system they are of, are looked up by one that leaves a thread free for everything else', () => {
  const looking = program.flatMap(({ path, text }) =>
    Array.from(text.matchAll(/(?<!function )\bcreateNameLookup\(/g), () => path),
  )
  assert.deepEqual(looking, ['src/compose/upstreams.ts'])
})

test('transactions, wherever they are begun, are begun by the function that marks them', () => {
  const begin = /['"`](begin|start transaction)['"`;]/i
  const found = program.filter(({ text }) => begin.test(text)).map(({ path }) => path)
  // A migration runs before anything else does, and asks nobody.
  assert.deepEqual(found.sort(), ['src/db/access.ts', 'src/db/database.ts', 'src/db/migrate.ts'])
})

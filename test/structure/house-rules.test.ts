import assert from 'node:assert/strict'
import { test } from 'node:test'
import { allPaths, matchingLines, programFiles, readSource, typeScriptFiles } from './tree.ts'

const written = allPaths.filter((path) => /\.(ts|js|css|sql|yaml|yml|md|html|json)$/.test(path) || path === '.ci/run')

test('the environment is read by src/platform/config/env.ts alone', () => {
  const places = matchingLines(programFiles, /process\.env/).map((place) => place.split(':')[0])
  assert.deepEqual(new Set(places), new Set(['src/platform/config/env.ts']))
})

test('the rules of the business never read the clock, because a sandbox and the tests set it', () => {
  const outside =
    /^src\/(main|(platform|app|cli|web|sandbox\/(simulators|journey)|webhooks\/(engine|sender))\/)|\/processor\/|sandbox\/requests\/request-log-plugin\.|\.job\.ts$/
  const domain = programFiles.filter(({ path }) => !outside.test(path))
  assert.ok(domain.length > 80)
  assert.deepEqual(matchingLines(domain, /\bnew Date\(\)|\bDate\.now\(|\bTemporal\.Now\b|\bMath\.random\(/), [])
})

test('folders are created by src/platform/kernel/make-folder.ts, because the recursive mkdir of Node never ends below /proc', () => {
  assert.deepEqual(matchingLines(programFiles, /mkdir(Sync)?\(.*recursive/), [])
})

test("OpenTelemetry's SDK is loaded only when a setting asks for it", () => {
  assert.deepEqual(matchingLines(programFiles, /^import (?!type ).*from '@opentelemetry\/(?!api')/), [])
})

test('one place writes HTML documents and one sets their policies; what simulates another server has its own', () => {
  const places = (pattern: RegExp) =>
    new Set(matchingLines(programFiles, pattern).map((place) => place.split(':')[0] ?? ''))
  const anothers = ['src/payments/card-setup/card-setup-page.ts', 'src/sandbox/simulators/simulator-server.ts']
  assert.deepEqual(places(/[`']<!doctype/i), new Set(['src/pages/document.ts', ...anothers]))
  assert.deepEqual(
    places(/['"]content-security-policy['"]/i),
    new Set([
      'src/pages/document.ts',
      'src/platform/http/security-headers.ts',
      // As an element of a document that is also kept as a file.
      'src/contracts/renderer/html.ts',
      'src/payments/card-setup/card-setup-pages.ts',
    ]),
  )
})

test('compiler and linter errors are fixed and not suppressed', () => {
  // Two expect type errors: to prove that ids cannot be mixed up, and that pages name what their operations take.
  const excepted = [
    'test/structure/house-rules.test.ts',
    'src/platform/kernel/ids.test.ts',
    'src/pages/checked-body.test.ts',
  ]
  const judged = typeScriptFiles.filter(({ path }) => !excepted.includes(path))
  assert.deepEqual(matchingLines(judged, /@ts-(ignore|nocheck|expect-error)|biome-ignore (?!format)/), [])
})

test('files contain no path of the machine they were written on', () => {
  const homes = ['home', 'Users', 'root', 'work'].map((name) => `/${name}/`).join('|')
  const pattern = new RegExp(`(^|[\\s'"\`(=:])(${homes})|\\.\\./sha${''}red\\b`)
  assert.deepEqual(matchingLines(written.map(readSource), pattern), [])
})

/** Where platform/ names what the business is about, each with the reason. */
const mayNameBills: Readonly<Record<string, string>> = {
  'src/platform/audit/': 'an entry of the log names the quote and the customer that it is about',
  'src/platform/config/': 'the settings are read in one place',
  'src/platform/db/access.ts': 'a tenant is one of the actors of the audit log',
  'src/platform/http/errors/request-errors.ts': 'errors say in words what a limit or a suspension does not touch',
  'src/platform/http/pipeline/respond-idempotently.ts': 'what is presented depends on the policy of quotes',
  'src/platform/http/plugins/error-handler.ts': 'the processor is why it rejected a customer, which the log keeps',
  'src/platform/http/route.ts': 'the type of an id follows from the path',
  'src/platform/idempotency/idempotency-http.ts': 'an erasure finds the responses about a quote or a customer',
  'src/platform/kernel/errors.ts': 'an error says what an id was expected to be of',
  'src/platform/kernel/ids.ts': 'the kinds of ids',
  'src/platform/kernel/phone.ts': 'the hash of a phone number is bound to its column',
}

test('platform/ knows nothing about bills', () => {
  const about = /\b(quote|tenant|customer|contract|household|broadband|psr|tariff|bill)/i
  const naming = programFiles
    .filter(({ path }) => path.startsWith('src/platform/') && !path.includes('/private-postgres/'))
    .map(({ path, text }) => ({ path, text: text.replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*/g, '') }))
    .filter(({ text }) => about.test(text))
    .map(({ path }) => Object.keys(mayNameBills).find((each) => path.startsWith(each)) ?? path)
  assert.deepEqual(new Set(naming), new Set(Object.keys(mayNameBills)))
})

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { temporaryFolder } from '../support/embedded-postgres-fixture.ts'
import { testTime } from '../support/quote-fixtures.ts'
import { movableClock, startTestService } from '../support/service.ts'
import { startAlteringProxy } from './altering-proxy.ts'
import { assertFailed, assertSucceeded, housebill } from './cli-fixture.ts'
import { IssuedCredentials } from './command-output.ts'

const service = await startTestService({}, { clock: movableClock(testTime) })
after(() => service.stop())

const record = (folder: string, file: string, ...more: string[]) =>
  housebill(['journey', '--out', folder, '--tenants', '2', '--record', file, ...more], service.environment)

/** Everything that grants access to something, wherever it could be in a transcript. */
const secrets = [
  /eyJ[\w-]/,
  /_secret_\w/,
  /token=[^…]/,
  /whsec_[^…]/,
  /Bearer (?!\$TOKEN")/,
  /sk_\w/,
  /[A-Za-z0-9+=]{40,}/,
]

test('two recordings of a journey are the same text, which has every call with its response and no secret', async (t) => {
  const folder = await temporaryFolder(t)
  const files = ['first.md', 'second.md'].map((name) => join(folder, name))
  // Each as a partner of its own, or the second journey is warned that the property is already covered.
  const other = await housebill(['partner', 'create', '--name', 'other'], service.environment)
  for (const [index, { clientId, clientSecret }] of [service.credentials, other.json(IssuedCredentials)].entries())
    assertSucceeded(await record(folder, files[index] ?? '', '--client-id', clientId, '--client-secret', clientSecret))
  const [text = '', again] = await Promise.all(files.map((file) => readFile(file, 'utf8')))
  assert.equal(text, again)

  const { clientId, clientSecret } = service.credentials
  for (const secret of [clientId, clientSecret, service.baseUrl]) assert.ok(!text.includes(secret), secret)
  for (const pattern of secrets) assert.doesNotMatch(text, pattern)
  const numbers = [...text.matchAll(/^### (\d+)\. /gm)].map(([, number]) => Number(number))
  assert.deepEqual(
    numbers,
    Array.from({ length: 33 }, (_, index) => index + 1),
  )
  assert.match(text, /^## Ben Carter, tenant 2 of 2$/m)
  const [, create = ''] = text.split(/^### 4\. Create a quote$/m)
  assert.match(
    create,
    /^\n\n```sh\ncurl 'https:\/\/bills\.example\/partner-api\/Quotes' \\\n {2}-H "Authorization: Bearer \$TOKEN" \\\n {2}-H 'Content-Type: application\/json' \\\n {2}-d '\{"addressUid":"address_\w{26}","reference":"housebill journey"\}'\n```\n\n```json\n\{\n {2}"quoteId": "quote_1",/,
  )
  for (const [, json = ''] of text.matchAll(/^```json\n(.*?)\n```$/gms)) JSON.parse(json)
})

test('the commands of a recording are valid in a shell', async (t) => {
  const folder = await temporaryFolder(t)
  const file = join(folder, 'journey.md')
  assertSucceeded(await record(folder, file, '--no-broadband'))
  const blocks = [...(await readFile(file, 'utf8')).matchAll(/^```sh\n(.*?)\n```$/gms)].map(([, block = '']) => block)
  // Prints what curl would get.
  const script = `curl() { printf '%s\\n' "$*"; }\nTOKEN=here\n${blocks.join('\n')}`
  const { status, stdout } = spawnSync('bash', ['-eu', '-c', script], { encoding: 'utf8' })
  assert.equal(status, 0)
  assert.equal(stdout.trimEnd().split('\n').length, blocks.length)
  assert.match(stdout, /^https:\/\/bills\.example\/partner-api\/Quotes -H Authorization: Bearer here -H Content-Type/m)
})

test('a journey that fails leaves a recording of its calls, the failed one included', async (t) => {
  const folder = await temporaryFolder(t)
  const file = join(folder, 'journey.md')
  const { baseUrl } = await startAlteringProxy(t, service.baseUrl, (call, answer) => {
    if (!call.endsWith('/add-tenants')) return
    answer.status = 503
    answer.contentType = 'application/problem+json'
    answer.body = Buffer.from(JSON.stringify({ title: 'Not now', status: 503, code: 'service_unavailable' }))
  })
  const run = await record(folder, file, '--base-url', baseUrl)
  assert.equal(run.code, 1)
  const [, failed = ''] = (await readFile(file, 'utf8')).split(/^### 6\. Add tenants$/m)
  assert.match(failed, /The response has status 503:\n\n```json\n\{\n {2}"title": "Not now"/)
})

test('a file that cannot be written is reported before the first call', async (t) => {
  const folder = await temporaryFolder(t)
  assertFailed(await record(folder, join(folder, 'missing', 'journey.md')), /cannot be written \(ENOENT\)/)
})

import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { startTestService } from '../support/service.ts'
import { startAlteringProxy } from './altering-proxy.ts'
import { assertFailed, assertFailedAsJson, type CommandResult, housebill } from './cli-fixture.ts'
import { FailedJourneyOutput } from './command-output.ts'

const folder = await mkdtemp(join(tmpdir(), 'housebill-journey-'))
const service = await startTestService()
after(async () => {
  await service.stop()
  await rm(folder, { recursive: true, force: true })
})

const journey = (...args: string[]): Promise<CommandResult> =>
  housebill(['journey', '--out', join(folder, 'out'), '--tenants', '1', ...args], service.environment)

/** Asserts that completed steps are on standard output, and the failed step and its reason on standard error. */
function assertFailedStep(run: CommandResult, name: string, ...words: RegExp[]): void {
  assert.equal(run.code, 1)
  assert.match(run.stderr, new RegExp(`^Step \\d+, ${name.replace(/[()]/g, '\\$&')}, failed: `, 'm'))
  assert.match(run.stderr, /^What to do: ./m)
  for (const expected of words) assert.match(run.stderr, expected)
  assert.doesNotMatch(run.stderr, /^\s+at /m)
  assert.doesNotMatch(run.stdout + run.stderr, /eyJ|token=|_secret_/)
  assert.doesNotMatch(run.stdout, /signed up/)
}

test('with a wrong secret, the first step fails, shows the returned error and says how to get a new secret', async () => {
  const run = await journey('--client-secret', 'not-the-secret')
  assertFailedStep(run, 'Get a token', /^ {4}error +invalid_client$/m, /What to do: .*rotatePartnerCredential/)
  assert.doesNotMatch(run.stderr + run.stdout, /not-the-secret/)
  assert.match(run.stderr, /^warning: --client-secret shows .* Set SANDBOX_CLIENT_SECRET instead\.$/m)
  const asJson = await journey('--client-secret', 'not-the-secret', '--json')
  assertFailedAsJson(asJson, 'step_failed')
  const { outcome, steps, error } = asJson.json(FailedJourneyOutput)
  assert.deepEqual([outcome, steps], ['failed', []])
  const step = { number: 1, name: 'Get a token', method: 'POST', path: '/partner-api/Auth/token', status: 401 }
  assert.deepEqual(error.step, step)
  assert.equal(error.problem?.error, 'invalid_client')
  assert.match(error.remedy, /rotatePartnerCredential/)
})

test('the address lookup fails for a postcode without properties, and the error names --postcode', async () => {
  const run = await journey('--postcode', 'ZZ9 9ZZ')
  assertFailedStep(run, 'Look up the address', /No property at ZZ9 9ZZ can be quoted/, /What to do: .*--postcode/)
  assert.match(run.stdout, /^ 2 {2}List the quoting tool versions/m)
})

test('if the server is down or its host name is unknown, the journey fails and says why', async () => {
  const down = await journey('--base-url', 'http://127.0.0.1:2', '--json')
  assertFailedAsJson(down, 'step_failed')
  assert.equal(down.json(FailedJourneyOutput).error.step.status, null)
  assert.match(down.json(FailedJourneyOutput).error.message, /Nothing is listening at http:\/\/127\.0\.0\.1:2\./)
  assertFailedStep(await journey('--base-url', 'http://nowhere.invalid'), 'Get a token', /nowhere\.invalid/)
})

test('the first step fails if the web server is not Housebill', async (t) => {
  const { baseUrl } = await startAlteringProxy(t, service.baseUrl, (_call, answer) => {
    Object.assign(answer, { status: 404, contentType: 'text/html', body: Buffer.from('<h1>Not found</h1>') })
  })
  const run = await journey('--base-url', baseUrl)
  assertFailedStep(
    run,
    'Get a token',
    /responded with 404/,
    /What to do: The response did not come from Housebill\. Check --base-url/,
  )
})

test('a folder that cannot be written to is rejected before any request', async () => {
  await writeFile(join(folder, 'file'), '')
  const run = await journey('--out', join(folder, 'file', 'within'), '--json')
  assertFailedAsJson(run, 'unusable_folder')
  const forPeople = await journey('--out', join(folder, 'file', 'within'))
  assertFailed({ ...forPeople, stdout: '' }, /cannot be written \(ENOTDIR\)\. Choose another folder with --out/)
})

test('a rejected request prints every field of its problem document and what to do', async (t) => {
  const { baseUrl } = await startAlteringProxy(t, service.baseUrl, (call, answer) => {
    if (!call.endsWith('/finalise-personal-information')) return
    const fields = [{ pointer: '/phone', code: 'wrong_format', detail: 'Not a phone number.' }]
    const type = `${service.baseUrl}/docs/errors/validation_failed`
    const problem = { type, title: 'A value is invalid', status: 422, detail: 'Correct it.', code: 'validation_failed' }
    answer.status = 422
    answer.contentType = 'application/problem+json'
    answer.body = Buffer.from(JSON.stringify({ ...problem, requestId: 'request_1', errors: fields }))
  })
  const run = await journey('--base-url', baseUrl)
  assertFailedStep(
    run,
    'Personal information',
    /responded with 422: A value is invalid/,
    /^ {4}requestId +request_1$/m,
    /^ {4}errors +\/phone {2}wrong_format {2}Not a phone number\.$/m,
    /^What to do: Correct it\. More about this error: http\S+validation_failed$/m,
  )
})

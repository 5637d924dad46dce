import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { type JourneyOptions, type JourneyResult, runJourney } from '../../src/sandbox/journey/run-journey.ts'
import { StepFailed } from '../../src/sandbox/journey/step-runner.ts'
import { shareTestService } from '../support/shared-service.ts'
import { alterJson, type ProxiedResponse, startAlteringProxy } from './altering-proxy.ts'
import { assertFailed, assertFailedAsJson, type CommandResult, housebill } from './cli-fixture.ts'
import { FailedJourneyOutput } from './command-output.ts'

const folder = await mkdtemp(join(tmpdir(), 'housebill-journey-'))
const service = await shareTestService()
after(() => rm(folder, { recursive: true, force: true }))

/** Runs the journey of one tenant in this process. */
function walk(options: Partial<JourneyOptions>): Promise<JourneyResult> {
  const usual = { ...service.credentials, baseUrl: service.baseUrl, postcode: 'NG7 2RD', tenants: 1, broadband: true }
  const silent = { onStep: () => undefined, onTenant: () => undefined }
  return runJourney({ ...usual, out: join(folder, 'out'), ...options }, silent)
}

/** The step at which a journey fails, and its full error text. */
async function failureOf(options: Partial<JourneyOptions>): Promise<{ name: string; said: string }> {
  const error = await walk(options).then(
    () => assert.fail('the journey succeeded'),
    (thrown: unknown) => thrown,
  )
  assert.ok(error instanceof StepFailed)
  const { reason, problem, remedy } = error.failure
  assert.notEqual(remedy, '')
  const said = [reason, JSON.stringify(problem), remedy].join('\n')
  assert.doesNotMatch(said, /eyJ|token=|_secret_/)
  return { name: error.step.name, said }
}

interface Fault {
  name: string
  on: RegExp
  step: string
  says: RegExp
  alter: (answer: ProxiedResponse) => void
}

/** Each fault is one small error in one response of a deployment that otherwise works. */
const faults: Fault[] = [
  {
    name: 'a rate limit without Retry-After',
    on: /\/Auth\/token$/,
    step: 'Get a token',
    says: /^responded with 429\n/,
    alter: (answer) => Object.assign(answer, { status: 429 }),
  },
  {
    name: 'a redirect',
    on: /\/Auth\/token$/,
    step: 'Get a token',
    says: /Set --base-url to https:\/\/new\.example\.com\/x/,
    alter: (answer) => Object.assign(answer, { status: 308, headers: { location: 'https://new.example.com/x?y' } }),
  },
  {
    name: 'no version on sale',
    on: /\/quoting-tool-versions$/,
    step: 'List the quoting tool versions',
    says: /No rate card is on sale[\s\S]*rates publish/,
    alter: (answer) => alterJson(answer, (body) => Object.assign(body, { versions: [] })),
  },
  {
    name: 'a card that should have succeeded but did not',
    on: /\/Sandbox\/setup-intents\/\w+\/confirm$/,
    step: 'Confirm a test card',
    says: /is requires_payment_method, but/,
    alter: (answer) => alterJson(answer, (body) => Object.assign(body, { status: 'requires_payment_method' })),
  },
  {
    name: 'a sandbox that says that the setup intent does not exist',
    on: /\/Sandbox\/setup-intents\/\w+\/confirm$/,
    step: 'Confirm a test card',
    says: /responded with 404/,
    alter: (answer) => Object.assign(answer, { status: 404 }),
  },
  {
    name: 'a page that is a PDF',
    on: /pre-contract-information\.html$/,
    step: 'Open the contract (HTML)',
    says: /Content-Type is application\/pdf, not text\/html/,
    alter: (answer) => Object.assign(answer, { contentType: 'application/pdf' }),
  },
  {
    name: 'a broken link',
    on: /pre-contract-information\.pdf$/,
    step: 'Open the contract (PDF)',
    says: /responded with 403[\s\S]*PUBLIC_URL/,
    alter: (answer) => Object.assign(answer, { status: 403 }),
  },
  {
    name: 'a quote that is not completed at the end',
    on: /^GET \/partner-api\/Quotes\/quote_\w+$/,
    step: 'Read the quote',
    says: /The quote is active, but every tenant has completed/,
    alter: (answer) => alterJson(answer, (body) => Object.assign(body, { status: 'active' })),
  },
]

for (const { name, on, step, says, alter } of faults) {
  test(`${name} fails the step`, async (t) => {
    const { baseUrl } = await startAlteringProxy(t, service.baseUrl, (call, answer) => {
      if (on.test(call)) alter(answer)
    })
    const failure = await failureOf({ baseUrl })
    assert.equal(failure.name, step)
    assert.match(failure.said, says)
  })
}

test('the journey fails at the broadband check if home telecom is down, and suggests continuing without broadband', async () => {
  const { name, said } = await failureOf({ postcode: 'TE5 7AA' })
  assert.equal(name, 'Check broadband')
  assert.match(said, /home telecom provider failed[\s\S]*--no-broadband/)
  assert.equal((await walk({ postcode: 'TE5 7AA', broadband: false })).outcome, 'completed')
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

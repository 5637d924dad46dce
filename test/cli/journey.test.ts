import assert from 'node:assert/strict'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { dealStates, makeDemo, states } from '../../scripts/demo/make-households.ts'
import { endDueContracts } from '../../src/contracts/termination/end-due-contracts.ts'
import { systemClock } from '../../src/platform/kernel/clock.ts'
import { withDatabaseKeys } from '../privacy/decrypted-contents.ts'
import { isFullSize } from '../support/campaign-size.ts'
import { connectPartner } from '../support/client.ts'
import { connectOperator } from '../support/operator.ts'
import { startServiceWithProcessor } from '../support/processor.ts'
import { succeeded } from '../support/responses.ts'
import { shareTestService } from '../support/shared-service.ts'
import { alterJson, startAlteringProxy } from './altering-proxy.ts'
import { assertSucceeded, type CommandResult, housebill } from './cli-fixture.ts'
import { JourneyOutput } from './command-output.ts'

const folder = await mkdtemp(join(tmpdir(), 'housebill-journey-'))
const service = await shareTestService()
const { clientId, clientSecret } = service.credentials
const environment = { ...service.environment, SANDBOX_CLIENT_ID: clientId, SANDBOX_CLIENT_SECRET: clientSecret }
after(() => rm(folder, { recursive: true, force: true }))

let journeys = 0
/**
 * Runs the journey with the credentials and the address from the environment, as an operator does while the server
 * runs.
 */
function journey(...args: string[]): Promise<CommandResult> {
  journeys += 1
  return housebill(['journey', '--out', join(folder, String(journeys)), ...args], environment)
}

function assertTellsNoSecret(run: CommandResult): void {
  const said = run.stdout + run.stderr
  for (const secret of [service.credentials.clientSecret, 'token=', '_secret_', 'eyJ']) {
    assert.ok(!said.includes(secret), `it says ${secret}`)
  }
}

/** The names of the steps that come before those of each tenant. */
const household = [
  'Get a token',
  'List the quoting tool versions',
  'Look up the address',
  'Create a quote',
  'Add packages',
  'Add tenants',
  'Total cost before broadband',
  'Create a broadband availability request',
  'Check broadband',
  'Add a broadband product',
  'Get the installation dates',
  'Total cost',
]
const eachTenant = [
  "The tenant's share",
  'Personal information',
  'Payment schedule',
  'Create a setup intent',
  'Confirm a test card',
  'Accept the terms',
  'Contract URL (HTML)',
  'Open the contract (HTML)',
  'Contract URL (PDF)',
  'Open the contract (PDF)',
]

test('three tenants go through the whole journey; every step is printed, and the contracts are saved', async () => {
  const run = await journey('--json')
  assertSucceeded(run)
  assertTellsNoSecret(run)
  const { outcome, quoteId, steps, contracts, totalCost } = run.json(JourneyOutput)
  assert.equal(outcome, 'completed')
  const names = steps.map(({ name }) => name)
  assert.deepEqual(names, [...household, ...eachTenant, ...eachTenant, ...eachTenant, 'Read the quote'])
  for (const [index, step] of steps.entries()) {
    assert.equal(step.number, index + 1)
    assert.equal(step.status, 200)
    assert.match(step.path, index === 0 ? /^\/partner-api\/Auth\/token$/ : /^(\/partner-api|http:\/\/127)/)
    assert.notEqual(step.answer, '')
  }
  assert.equal(contracts.length, 3)
  assert.equal(
    contracts.reduce((sum, contract) => sum + contract.totalCost, 0),
    totalCost,
  )
  for (const { html, pdf } of contracts) {
    assert.match(await readFile(html, 'utf8'), /^<!doctype html>/i)
    assert.equal((await readFile(pdf)).subarray(0, 5).toString(), '%PDF-')
  }
  const partner = await connectPartner(service.baseUrl, service.credentials)
  const { status, tenants } = succeeded(await partner.get(`/Quotes/${quoteId}`))
  assert.equal(status, 'completed')
  assert.equal(tenants.length, 3)
})

test('one tenant without broadband: the output is readable, shows the total once it is known and ends with the file paths', async () => {
  const run = await journey('--tenants', '1', '--no-broadband')
  assertSucceeded(run)
  assertTellsNoSecret(run)
  const lines = run.stdout.trimEnd().split('\n')
  assert.equal(lines[0], `The journey of 1 tenant at ${service.baseUrl}`)
  assert.match(
    run.stdout,
    /^ 1 {2}Get a token +200 +\d+ ms {2}POST \/partner-api\/Auth\/token\n {4}Bearer token, valid for 24 hours$/m,
  )
  assert.match(run.stdout, /^ 7 {2}Total cost +200 .*\n.*\n {4}Total: £[\d,.]+ a month, £[\d,.]+ for the contract$/m)
  assert.match(run.stdout, /^ {4}Total: £([\d,.]+) of £\1 agreed$/m)
  assert.doesNotMatch(run.stdout, /broadband/i)
  const [html = '', pdf = ''] = lines.slice(-2).map((line) => line.trim())
  assert.match(html, /tenant-1\.html$/)
  assert.match(pdf, /tenant-1\.pdf$/)
  assert.match(await readFile(html, 'utf8'), /Pre-contract information/)
  assert.ok((await readFile(pdf)).length > 10_000)
})

test('a journey for two tenants completes with a base URL that ends in /partner-api/, and waits as the rate limit requires', async (t) => {
  let rejections = 0
  const { baseUrl } = await startAlteringProxy(t, service.baseUrl, (call, answer) => {
    if (!call.endsWith('/total-cost') || rejections === 2) return
    rejections += 1
    answer.status = 429
    answer.headers['retry-after'] = '0'
  })
  const run = await journey('--base-url', `${baseUrl}/partner-api/`, '--tenants', '2', '--json')
  assertSucceeded(run)
  assert.equal(rejections, 2)
  assert.equal(run.json(JourneyOutput).steps.length, household.length + 2 * eachTenant.length + 1)
})

test('a household that cannot have broadband signs up for energy only', async (t) => {
  const { baseUrl } = await startAlteringProxy(t, service.baseUrl, (call, answer) => {
    if (!call.includes('/run-broadband-availability-check/')) return
    alterJson(answer, (body) => Object.assign(body, { available: false, maxSpeed: 0, products: [] }))
  })
  const run = await journey('--base-url', baseUrl, '--tenants', '1')
  assertSucceeded(run)
  assert.match(run.stdout, /^ {4}no broadband at this address; continuing without it$/m)
  assert.doesNotMatch(run.stdout, /add-broadband-products/)
})

test('without a sandbox to confirm a card, the journey stops cleanly after the setup intent and names the remaining steps', async (t) => {
  const { baseUrl, calls } = await startAlteringProxy(t, service.baseUrl, (call, answer) => {
    if (!call.includes('/Sandbox/')) return
    answer.status = 404
    answer.contentType = 'application/problem+json'
    answer.body = Buffer.from(
      JSON.stringify({ title: 'The id or path does not exist', status: 404, code: 'not_found' }),
    )
  })
  const run = await journey('--base-url', baseUrl)
  assertSucceeded(run)
  assertTellsNoSecret(run)
  assert.match(run.stdout, /Create a setup intent +200 .*\n.*\n\nThis deployment is not a sandbox/)
  const [, quoteId = ''] = /POST \/partner-api\/Quotes\/(quote_\w+)\/cancel$/m.exec(run.stdout) ?? []
  assert.ok(!calls.some((call) => call.endsWith('/accept-terms')))
  assert.deepEqual(await readdir(join(folder, String(journeys))), [])
  const partner = await connectPartner(service.baseUrl, service.credentials)
  assert.equal((await partner.post(`/Quotes/${quoteId}/cancel`)).status, 200)

  const asJson = await journey('--base-url', baseUrl, '--json')
  assertSucceeded(asJson)
  assert.equal(asJson.json(JourneyOutput).outcome, 'card_needed')
  assert.deepEqual(asJson.json(JourneyOutput).contracts, [])
  assert.equal(asJson.json(JourneyOutput).steps.at(-1)?.name, 'Create a setup intent')
})

test('in a sandbox with a real processor, the journey stops without an error after the setup intent and says how to continue', async (t) => {
  const processor = await startServiceWithProcessor()
  t.after(() => processor.stop())
  const { service } = processor
  const journey = (...args: string[]) =>
    housebill(
      ['journey', '--tenants', '1', '--no-broadband', '--out', join(folder, 'real'), ...args],
      service.environment,
    )

  const run = await journey()
  assertSucceeded(run)
  assert.match(run.stdout, /Create a setup intent +200 .*\n.*\n\nThis sandbox uses a real payment processor/)
  const [, setupIntentId = ''] =
    /stripe setup_intents confirm (seti_\w+) --payment-method=pm_card_visa$/m.exec(run.stdout) ?? []
  const [, customerId = ''] = /POST \/partner-api\/Customers\/(tenant_\w+)\/accept-terms$/m.exec(run.stdout) ?? []
  assert.match(run.stdout, /POST \/partner-api\/Quotes\/quote_\w+\/cancel$/m)
  assert.deepEqual(await readdir(join(folder, 'real')), [])
  assert.equal((await processor.confirm(setupIntentId, 'pm_card_visa')).status, 'succeeded')
  const partner = await connectPartner(service.baseUrl, service.credentials)
  assert.equal(succeeded(await partner.post(`/Customers/${customerId}/accept-terms`)).status, 'OnboardingComplete')

  const asJson = await journey('--json')
  assertSucceeded(asJson)
  const { outcome, cardNeeded, contracts, steps } = asJson.json(JourneyOutput)
  assert.deepEqual([outcome, cardNeeded?.because, contracts], ['card_needed', 'real_processor', []])
  assert.match(`${cardNeeded?.customerId} ${cardNeeded?.setupIntentId}`, /^tenant_\w+ seti_\w+$/)
  assert.equal(steps.at(-1)?.name, 'Create a setup intent')
})

test('the step that confirms a card fails if the simulated processor is down', async (t) => {
  const { baseUrl } = await startAlteringProxy(t, service.baseUrl, (call, response) => {
    if (!call.endsWith('/confirm')) return
    response.status = 503
    response.contentType = 'application/problem+json'
    const problem = {
      ...{ title: 'Not now', status: 503, code: 'service_unavailable', detail: 'Repeat it shortly.' },
      ...{ type: 'about:blank', requestId: 'request_1' },
    }
    response.body = Buffer.from(JSON.stringify(problem))
  })
  const args = ['journey', '--tenants', '1', '--no-broadband', '--out', join(folder, 'down'), '--base-url', baseUrl]
  const run = await housebill(args, environment)
  assert.equal(run.code, 1)
  assert.match(run.stderr, /Confirm a test card, failed: responded with 503: Not now/)
  assert.match(run.stderr, /What to do: Repeat it shortly\./)
})

/** What the APIs show of each state: the quote's status, then the first tenant's payments and contract. */
const shown: Readonly<Record<string, [quote: RegExp, payment?: string, contract?: string | null]>> = {
  active: [/completed/, 'paid', 'in_force'],
  invited: [/Added/, 'not_started', null],
  'tenancy end reported': [/completed/, 'ready', 'in_force'],
  'card declined': [/active/, 'setup_failed', null],
  expired: [/Added/, 'not_started', null],
  open: [/PackagesSelected/],
  reopened: [/Added/, 'ready', null],
  'partly through': [/active/],
  signed: [/completed/, 'ready', 'in_force'],
  'quote cancelled': [/cancelled/, 'not_started', null],
  ended: [/completed/, 'ready', 'ended'],
  'ending early': [/completed/, 'ready', 'in_force'],
  'contract cancelled': [/completed/, 'ready', 'cancelled'],
  'e-mail rejected': [/Added/, 'not_started', null],
  'death held': [/completed/, 'ready', 'in_force'],
  'start moved': [/Added/, 'ready', 'ended'],
  'waiting for supply': [/completed/, 'ready', 'in_force'],
  'supply rejected': [/completed/, 'ready', 'in_force'],
  'payment failed': [/completed/, 'failed', 'in_force'],
  'housemate replaced': [/completed/, 'ready', 'in_force'],
  'card waits for the bank': [/active/, 'setup_started', null],
}

const demoSize = isFullSize ? 200 : 5
test(`the demo has ${demoSize} households of two partners, and the APIs show each in the state that it names`, async () => {
  const dealt = dealStates(200)
  for (const { name, of200 } of states) assert.equal(dealt.filter((state) => state.name === name).length, of200, name)
  const operator = await connectOperator(service)
  const { baseUrl } = service
  const { partners, households } = await makeDemo({ baseUrl, operator }, demoSize, () => undefined)
  assert.equal(partners.length, 2)
  // Here no job does this by itself.
  await withDatabaseKeys(service, (opened) =>
    endDueContracts({ ...opened, clock: systemClock }, { batch: 100, isStopping: () => false }),
  )
  const own = await Promise.all(partners.map((credentials) => connectPartner(baseUrl, credentials)))
  const names: string[] = []
  for (const { state, partnerId, quoteId, customerIds } of households) {
    const partner = own[partners.findIndex((each) => each.partnerId === partnerId)] ?? assert.fail()
    const { status, branch, soldBy, expiresAt } = succeeded(await partner.get(`/Quotes/${quoteId}`))
    const [quote, payment, contract] = shown[state] ?? assert.fail(state)
    assert.match(status, quote, state)
    assert.ok(branch !== null && soldBy !== null)
    const { now } = succeeded(await partner.get('/Sandbox/clock'))
    if (state === 'expired') assert.ok(expiresAt < now)
    names.push(state)
    const [id] = customerIds
    if (id === undefined) continue
    const customer = succeeded(await partner.get(`/Customers/${id}`))
    if (payment !== undefined)
      assert.deepEqual([customer.paymentStatus, customer.contract?.status ?? null], [payment, contract], state)
  }
  const expected = dealStates(demoSize).map(({ name }) => name)
  assert.deepEqual(names.sort(), expected.sort())
})

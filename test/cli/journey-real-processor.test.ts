import assert from 'node:assert/strict'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { connectPartner } from '../support/client.ts'
import { startServiceWithProcessor } from '../support/processor.ts'
import { succeeded } from '../support/responses.ts'
import { startTestService } from '../support/service.ts'
import { startAlteringProxy } from './altering-proxy.ts'
import { assertSucceeded, housebill } from './cli-fixture.ts'
import { JourneyOutput } from './command-output.ts'

const folder = await mkdtemp(join(tmpdir(), 'housebill-journey-'))
after(() => rm(folder, { recursive: true, force: true }))

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
  const service = await startTestService()
  t.after(() => service.stop())
  const { baseUrl } = await startAlteringProxy(t, service.baseUrl, (call, response) => {
    if (!call.endsWith('/confirm')) return
    response.status = 503
    response.contentType = 'application/problem+json'
    const problem = { title: 'Not now', status: 503, code: 'service_unavailable', detail: 'Repeat it shortly.' }
    response.body = Buffer.from(JSON.stringify(problem))
  })
  const args = ['journey', '--tenants', '1', '--no-broadband', '--out', join(folder, 'down'), '--base-url', baseUrl]
  const run = await housebill(args, service.environment)
  assert.equal(run.code, 1)
  assert.match(run.stderr, /Confirm a test card, failed: responded with 503: Not now/)
  assert.match(run.stderr, /What to do: Repeat it shortly\./)
})

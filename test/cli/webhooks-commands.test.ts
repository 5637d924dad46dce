import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { connectPartner } from '../support/client.ts'
import { rawRows } from '../support/customer-fixtures.ts'
import { eventsOf } from '../support/deliveries.ts'
import { createQuote } from '../support/quote-fixtures.ts'
import { succeeded } from '../support/responses.ts'
import { startTestService } from '../support/service.ts'
import { waitFor } from '../support/wait-for.ts'
import { startReceiver } from '../webhooks/receiver-fixture.ts'
import { assertFailed, assertFailedAsJson, assertSucceeded, housebill } from './cli-fixture.ts'
import { CommandError, StartedReplays, Webhooks } from './command-output.ts'

const service = await startTestService({ WEBHOOK_ALLOW_LOOPBACK: 'true', WEBHOOK_RETRY_SECONDS: '1' })
after(() => service.stop())
const partner = await connectPartner(service.baseUrl, service.credentials)
const webhooks = (...args: string[]) => housebill(['webhooks', ...args], service.environment)
const ago = (seconds: number) => new Date(Date.now() - seconds * 1_000).toISOString()
const since = ago(3_600)

const register = async (port: number) =>
  succeeded(await partner.post('/Webhooks', { url: `https://127.0.0.1:${port}/in`, events: ['quote.status.changed'] }))
const setStatus = async (webhookId: string, status: string) =>
  succeeded(await partner.patch(`/Webhooks/${webhookId}`, { status }))
const partnerId = async () => String((await rawRows(service, 'select partner_id from partners'))[0]?.partner_id)

test('if there are no webhooks, the list says that there are none', async () => {
  const run = await webhooks('list')
  assertSucceeded(run)
  assert.equal(run.stdout, 'There are no webhooks yet.\n')
})

test('webhooks replay makes the running server send the events that a webhook missed', async (t) => {
  const receiver = await startReceiver(t)
  const { webhookId } = await register(receiver.port)
  await setStatus(webhookId, 'disabled')
  const { quoteId } = await createQuote(partner)
  await eventsOf(partner)
  const rejected = await webhooks('replay', '--webhook', webhookId, '--since', since)
  assertFailed(rejected, /The webhook is disabled/)
  await setStatus(webhookId, 'active')

  const run = await webhooks('replay', '--webhook', webhookId, '--since', since, '--json')
  assertSucceeded(run)
  const { replays, disabled } = run.json(StartedReplays)
  assert.deepEqual(disabled, [])
  const [{ replayId, until, ...rest } = assert.fail('none has begun')] = replays
  assert.deepEqual(rest, { webhookId, partnerId: await partnerId(), status: 'running', since })
  assert.ok(Math.abs(Date.parse(until) - Date.now()) < 60_000)
  await waitFor(
    'the replayed event arrives',
    async () => receiver.events(),
    ({ length }) => length === 1,
  )
  assert.equal(receiver.events()[0]?.message.data.quoteId, quoteId)
  assert.equal(succeeded(await partner.get(`/Replays/${replayId}`)).missed, 1)

  const listed = (await webhooks('list', '--json')).json(Webhooks).webhooks
  const [{ createdAt, partnerName, latestReplay, ...shown } = assert.fail('none is listed')] = listed
  assert.deepEqual(shown, {
    webhookId,
    partnerId: await partnerId(),
    url: `https://127.0.0.1:${receiver.port}/in`,
    events: ['quote.status.changed'],
    status: 'active',
    disabledReason: null,
    disabledAt: null,
    failingSince: null,
    previousSecretValidUntil: null,
    verification: shown.verification,
  })
  assert.ok(partnerName !== '' && Math.abs(Date.parse(createdAt) - Date.now()) < 600_000)
  assert.deepEqual(latestReplay, { replayId, status: 'completed', redelivered: 0, missed: 1 })
})

test('a replay for all webhooks of a partner skips disabled ones and names them', async () => {
  const [other, off] = [await register(9), await register(9)]
  await setStatus(off.webhookId, 'disabled')
  const run = await webhooks('replay', '--partner', await partnerId(), '--since', since, '--until', ago(60))
  assertSucceeded(run)
  assert.match(run.stdout, new RegExp(`^${other.webhookId}: replay_\\w+ replays events from .* UTC to .* UTC\\.$`, 'm'))
  assert.match(run.stdout, new RegExp(`^${off.webhookId} is disabled and was skipped\\.$`, 'm'))
  assert.match(run.stdout, /webhooks list/)
  const listed = await webhooks('list', '--partner', await partnerId())
  assertSucceeded(listed)
  assert.match(listed.stdout, /^ {2}PARTNER +WEBHOOK ID +STATUS +VERIFICATION +LATEST REPLAY +URL\n/)
  assert.match(
    listed.stdout,
    new RegExp(`${off.webhookId} +disabled since \\S+ \\S+ UTC .* none +https://127\\.0\\.0\\.1:9/in\n`),
  )
  assert.equal(listed.stdout.includes('whsec_'), false)
})

test('a replay for an unknown webhook, or from a time whose events are no longer kept, is rejected', async () => {
  const asked = (...args: string[]) => webhooks('replay', ...args, '--json')
  assertFailedAsJson(await asked('--webhook', 'webhook_none', '--since', since), 'not_found')
  assertFailedAsJson(await asked('--partner', 'partner_none', '--since', since), 'not_found')
  const { webhookId } = await register(9)
  const old = await asked('--webhook', webhookId, '--since', ago(31 * 86_400))
  assertFailedAsJson(old, 'validation_failed')
  assert.match(old.json(CommandError).error.message, /30 days/)
  assert.match((await webhooks('list', '--partner', 'partner_none')).stdout, /partner_none has no webhooks/)
})

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import Type from 'typebox'
import { assertFailedAsJson, assertSucceeded, housebill } from '../cli/cli-fixture.ts'
import { Webhooks } from '../cli/command-output.ts'
import { connectPartner } from '../support/client.ts'
import { rawRows } from '../support/customer-fixtures.ts'
import { onboard, startHousehold } from '../support/household.ts'
import { connectOperator, type Feed, followFeed } from '../support/operator.ts'
import { rejected, succeeded } from '../support/responses.ts'
import { startTestService } from '../support/service.ts'
import { waitFor } from '../support/wait-for.ts'
import { startReceiver } from '../webhooks/receiver-fixture.ts'

const service = await startTestService({ WEBHOOK_ALLOW_LOOPBACK: 'true', WEBHOOK_RETRY_SECONDS: '1' })
after(() => service.stop())
const partner = await connectPartner(service.baseUrl, service.credentials)
const operator = await connectOperator(service, ['contracts:read', 'partners:read', 'partners:write'])
const webhook = (...args: string[]) => housebill(['operator', 'webhook', ...args, '--json'], service.environment)
const Added = Type.Object({ webhookId: Type.String(), secret: Type.String() })
const verificationOf = async (webhookId: string) =>
  (await rawRows(service, `select verification from webhooks where webhook_id = '${webhookId}'`))[0]?.verification

test('every version of a contract is told to the operator, signed, with its number, version and position only', async (t) => {
  const receiver = await startReceiver(t)
  const added = await webhook('add', `https://127.0.0.1:${receiver.port}/in`)
  assertSucceeded(added)
  const { webhookId, secret } = added.json(Added)
  await waitFor('it is verified', async () => (await verificationOf(webhookId)) === 'verified')
  const { lead } = await startHousehold(partner, { tenants: 1 })
  const { nextCursor } = await followFeed(operator)
  await onboard(partner, lead)
  const { data } = await waitFor(
    'the contract is in force',
    async () => succeeded(await operator.get<Feed>(`/Contracts?after=${nextCursor}&limit=500`)),
    (page) => page.data.some(({ change }) => change === 'in_force'),
  )
  await waitFor('every version was told', () => receiver.events().length >= data.length)
  const told = receiver.events().map(({ message }) => message.data)
  assert.deepEqual(
    told.map(({ contractNumber, version }) => `${contractNumber} ${version}`).sort(),
    data.map(({ contractNumber, version }) => `${contractNumber} ${version}`).sort(),
  )
  for (const { body, headers } of receiver.events()) new Webhook(secret).verify(body, headers as Record<string, string>)
  const last = told.find(({ version }) => version === data.at(-1)?.version)
  const rest = succeeded(await operator.get<Feed>(`/Contracts?after=${String(last?.position)}`))
  assert.deepEqual(rest.data, [])
})

test("the operator's webhooks are listed beside the partners', and their account is no partner", async () => {
  const { webhooks } = (await housebill(['webhooks', 'list', '--json'], service.environment)).json(Webhooks)
  assert.deepEqual(
    webhooks.map(({ partnerName }) => partnerName),
    ['Operator'],
  )
  const partners = succeeded(await operator.get<{ data: unknown[] }>('/Partners'))
  assert.equal(partners.data.length, 1)
  const [row] = await rawRows(service, `select partner_id from webhooks limit 1`)
  const account = String(row?.partner_id)
  for (const action of ['suspend', 'disable'])
    rejected(await operator.post(`/Partners/${account}/${action}`), 404, 'not_found')
  rejected(await operator.patch(`/Partners/${account}`, { name: 'x' }), 404, 'not_found')
})

test('a webhook gets a second secret, is disabled by its receiver, enabled again, and removed', async (t) => {
  let status = 200
  const receiver = await startReceiver(t, ({ message }, response) =>
    response.writeHead(status).end(String(message.data.challenge ?? '')),
  )
  const { webhookId } = (await webhook('add', `https://127.0.0.1:${receiver.port}/in`)).json(Added)
  await waitFor('it is verified', async () => (await verificationOf(webhookId)) === 'verified')
  const { secret } = (await webhook('rotate', webhookId)).json(Added)
  status = 410
  const { lead } = await startHousehold(partner)
  await onboard(partner, lead)
  const statusNow = async () =>
    (await rawRows(service, `select status from webhooks where webhook_id = '${webhookId}'`))[0]?.status
  await waitFor('it is disabled', async () => (await statusNow()) === 'disabled')
  const [event] = receiver.events()
  new Webhook(secret).verify(event?.body ?? '', event?.headers as Record<string, string>)
  assertSucceeded(await webhook('enable', webhookId))
  assert.equal(await statusNow(), 'active')
  assertSucceeded(await webhook('remove', webhookId))
  for (const command of ['remove', 'enable', 'rotate'])
    assertFailedAsJson(await webhook(command, webhookId), 'not_found')
})

test('a URL that leads inside, or one too many of the same, is rejected and says why', async () => {
  assertFailedAsJson(await webhook('add', 'http://127.0.0.1/in'), 'webhook_url_not_allowed')
  assertFailedAsJson(await webhook('add', 'https://10.0.0.1/in'), 'webhook_url_not_allowed')
})

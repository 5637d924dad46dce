import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { Webhook } from 'standardwebhooks'
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
const add = (url: string) => operator.post<{ webhookId: string; secret: string }>('/Webhooks', { url })
const verificationOf = async (webhookId: string) =>
  (await rawRows(service, `select verification from webhooks where webhook_id = '${webhookId}'`))[0]?.verification

test('every version of a contract is told to the operator, signed, with its number, version and position only', async (t) => {
  const receiver = await startReceiver(t)
  const { webhookId, secret } = succeeded(await add(`https://127.0.0.1:${receiver.port}/in`))
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
  const url = 'https://127.0.0.1:9/in'
  const { webhookId } = succeeded(await partner.post('/Webhooks', { url, events: ['quote.status.changed'] }))
  type Listed = { data: { partnerName: string; partnerId: string; webhookId: string }[] }
  const { data } = succeeded(await operator.get<Listed>('/Webhooks'))
  const [own, others] = data
  assert.deepEqual([own?.partnerName, data.length], ['Operator', 2])
  const of = succeeded(await operator.get<Listed>(`/Webhooks?partnerId=${others?.partnerId}`))
  // The challenge to it fails meanwhile, so only what does not change is compared.
  assert.deepEqual(
    of.data.map((each) => each.webhookId),
    [webhookId],
  )
  for (const method of ['PATCH', 'DELETE'] as const)
    rejected(await operator.send(method, `/Webhooks/${webhookId}`, { status: 'active' }), 404, 'not_found')
  const { replayId } = succeeded(await operator.post<{ replayId: string }>(`/Webhooks/${webhookId}/replay`))
  assert.equal(succeeded(await partner.get(`/Replays/${replayId}`)).webhookId, webhookId)
  rejected(await operator.post('/Webhooks/webhook_none/replay'), 404, 'not_found')
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
  const { webhookId } = succeeded(await add(`https://127.0.0.1:${receiver.port}/in`))
  await waitFor('it is verified', async () => (await verificationOf(webhookId)) === 'verified')
  const { secret } = succeeded(await operator.post<{ secret: string }>(`/Webhooks/${webhookId}/rotate-secret`))
  status = 410
  const { lead } = await startHousehold(partner)
  await onboard(partner, lead)
  const statusNow = async () =>
    (await rawRows(service, `select status from webhooks where webhook_id = '${webhookId}'`))[0]?.status
  await waitFor('it is disabled', async () => (await statusNow()) === 'disabled')
  const [event] = receiver.events()
  new Webhook(secret).verify(event?.body ?? '', event?.headers as Record<string, string>)
  succeeded(await operator.patch(`/Webhooks/${webhookId}`, { status: 'active' }))
  assert.equal(await statusNow(), 'active')
  succeeded(await operator.send('DELETE', `/Webhooks/${webhookId}`))
  rejected(await operator.send('DELETE', `/Webhooks/${webhookId}`), 404, 'not_found')
})

test('a URL that leads inside is rejected and says why', async () => {
  for (const url of ['http://127.0.0.1/in', 'https://10.0.0.1/in'])
    rejected(await add(url), 422, 'webhook_url_not_allowed')
})

import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import type { ReapitEvent, StreetEvent } from '../../examples/crm-connector/tenancies.ts'
import { newWebhookSecret, signMessage } from '../../src/webhooks/secrets/secret.ts'
import { connectPartner, type Partner } from '../support/client.ts'
import { loopbackOnlyEnvironment } from '../support/loopback-only.ts'
import { succeeded } from '../support/responses.ts'
import { findFreePort } from '../support/service.ts'
import { shareTestService } from '../support/shared-service.ts'

const service = await shareTestService()
const program = fileURLToPath(new URL('../../examples/crm-connector/start.ts', import.meta.url))
const secret = newWebhookSecret()

/** A CRM that keeps the notes of its tenancies, and can be down. */
const notes = new Map<string, string[]>()
let crmStatus = 204
const crm = createServer(async (request, response) => {
  assert.equal(request.headers.authorization, 'Bearer crm-token')
  const id = (request.url ?? '').replace('/tenancies/', '')
  const { note } = JSON.parse(await text(request)) as { note: string }
  if (crmStatus === 204) notes.set(id, [...(notes.get(id) ?? []), note])
  response.writeHead(crmStatus).end()
})

let partner: Partner
let connector: ChildProcess
let address: string
before(async () => {
  crm.listen(0, '127.0.0.1')
  await once(crm, 'listening')
  partner = await connectPartner(service.baseUrl, service.credentials)
  address = `http://127.0.0.1:${await findFreePort()}`
  const { clientId, clientSecret } = service.credentials
  const env = {
    ...loopbackOnlyEnvironment,
    ...{ PATH: process.env.PATH, PORT: new URL(address).port, WEBHOOK_SECRET: secret, CRM_TOKEN: 'crm-token' },
    CRM_URL: `http://127.0.0.1:${(crm.address() as AddressInfo).port}`,
    ...{ HOUSEBILL_URL: service.baseUrl, HOUSEBILL_CLIENT_ID: clientId, HOUSEBILL_CLIENT_SECRET: clientSecret },
  }
  connector = spawn(process.execPath, [program], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  assert.ok(connector.stdout)
  await once(createInterface(connector.stdout), 'line')
})
after(async () => {
  connector.kill('SIGKILL')
  await once(connector, 'exit')
  crm.close()
})

const post = async (path: string, body: string, headers = {}) =>
  (await fetch(`${address}${path}`, { method: 'POST', body, headers })).status

const person = { forename: 'Ada', surname: 'Lovelace', email: 'ada@example.com' }
const reapit = (id: string, line1: string, contacts = [person]): ReapitEvent => ({
  entityType: 'tenancies',
  new: {
    ...{ id, startDate: '2027-02-01', officeId: 'LDS', negotiatorId: 'KIM' },
    _embedded: { property: { address: { buildingNumber: '', line1, postcode: 'LS2 9JT' } }, contacts },
  },
})

async function addressLine(): Promise<string> {
  const [property] = succeeded(await partner.get('/Addresses/lookup?postcode=LS2+9JT'))
  return property?.addressLine1 ?? ''
}

test('a tenancy of either CRM becomes one household, however often it is sent, and the links are written back', async () => {
  const line = await addressLine()
  for (let time = 0; time < 2; time += 1) assert.equal(await post('/crm', JSON.stringify(reapit('LDS210', line))), 204)
  const street: StreetEvent = {
    data: { type: 'tenancy', id: 'street-7', attributes: { start_date: '2027-03-01' } },
    included: [
      { type: 'property', attributes: { inline_address: `${line}, Leeds`, postcode: 'LS2 9JT' } },
      { type: 'branch', attributes: { name: 'Leeds' } },
      { type: 'tenant', attributes: { full_name: 'Grace Hopper', email_address: 'grace@example.com' } },
    ],
  }
  assert.equal(await post('/crm', JSON.stringify(street)), 204)
  const quotes = succeeded(await partner.get('/Quotes?soldBy=KIM')).data
  assert.deepEqual(
    quotes.map(({ reference, branch, contractStartDate }) => [reference, branch, contractStartDate]),
    [['LDS210', 'LDS', '2027-02-01']],
  )
  assert.equal(succeeded(await partner.get('/Quotes?reference=street-7')).data[0]?.branch, 'Leeds')
  for (const [id, name] of [
    ['LDS210', 'Ada Lovelace'],
    ['street-7', 'Grace Hopper'],
  ] as const)
    assert.match(notes.get(id)?.[0] ?? '', new RegExp(`^Bills: send each tenant their link\n${name}: http.*/my-bills/`))
})

test('what is wrong is written back and creates nothing: an unknown home, or a tenant without an address', async () => {
  assert.equal(await post('/crm', JSON.stringify(reapit('LDS211', '999 Nowhere Street'))), 204)
  assert.deepEqual(notes.get('LDS211'), ['Bills: which home is 999 Nowhere Street?'])
  const message = JSON.stringify(reapit('LDS212', await addressLine(), [{ ...person, email: 'TBC' }]))
  assert.equal(await post('/crm', message), 204)
  assert.match(notes.get('LDS212')?.[0] ?? '', /^Bills: \/tenants\/0\/email: /)
  for (const id of ['LDS211', 'LDS212'])
    assert.deepEqual(succeeded(await partner.get(`/Quotes?reference=${id}`)).data, [])
})

test('a status is written back if its message is signed; while the CRM is down, the message is asked for again', async () => {
  const data = { quoteId: 'quote_1', reference: 'LDS210', branch: null, soldBy: null, status: 'completed' }
  const body = JSON.stringify({ id: 'event_1', type: 'quote.status.changed', timestamp: '2026-12-01T09:00:00Z', data })
  const headers = signMessage([secret], { id: 'event_1', timestamp: new Date(), body })
  crmStatus = 503
  assert.equal(await post('/housebill', body, headers), 502)
  crmStatus = 204
  assert.equal(await post('/housebill', body, headers), 204)
  assert.equal(notes.get('LDS210')?.at(-1), 'Bills: quote completed')
  assert.equal(await post('/housebill', body.replace('LDS210', 'LDS211'), headers), 400)
})

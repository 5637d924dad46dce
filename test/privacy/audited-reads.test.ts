import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { routes } from '../../src/app/http/routes.ts'
import { connectPartner, type Partner } from '../support/client.ts'
import { rawRows } from '../support/customer-fixtures.ts'
import { attachCard, finalise, onboard, startHousehold } from '../support/household.ts'
import { connectNewPartner } from '../support/partners.ts'
import { rejected, succeeded } from '../support/responses.ts'
import { startTestService } from '../support/service.ts'

const service = await startTestService()
after(() => service.stop())
const partner = await connectPartner(service.baseUrl, service.credentials)
const { tenants } = await startHousehold(partner)
const [signed = '', open = ''] = tenants
await onboard(partner, signed)
succeeded(await finalise(partner, open))
await attachCard(partner, open)

/** The entries for reads that were written since the last call, as text. */
async function newReads(): Promise<string[]> {
  const rows = await rawRows(
    service,
    `select entry_number, actor, credential, operation, subject_type, customer_id, request_id, quote_id, fields
       from audit_log where action = 'read' and entry_number > $1 order by 1`,
    [seen],
  )
  seen = Number(rows.at(-1)?.entry_number ?? seen)
  for (const { subject_type: type, quote_id: quoteId, fields } of rows)
    assert.deepEqual([/^(customer|contract)$/.test(String(type)), quoteId, fields], [true, null, []])
  return rows.map((row) => `${row.actor} ${row.credential} ${row.operation} ${row.subject_type} ${row.customer_id}`)
}
let seen = 0
const own = (operation: string, type: string, customerId = signed) =>
  `client ${service.credentials.clientId} ${operation} ${type} ${customerId}`

const reading = routes.filter(
  ({ method, path, scope }) => method === 'GET' && path.startsWith('/Customers/{id}') && scope !== 'customers:export',
)

test("there are operations that read a customer's data", () => {
  assert.ok(reading.length >= 8, String(reading.length))
})

for (const { operationId, path } of reading) {
  test(`${operationId}: reading writes an audit entry; HEAD and an unknown customer write none`, async () => {
    const customerId = operationId.includes('Preview') ? open : signed
    await newReads()
    const url = path.replace('{id}', customerId) as '/Customers/x'
    succeeded(await partner.get(url))
    assert.deepEqual(await newReads(), [
      own(operationId, /contract|pci/i.test(path) ? 'contract' : 'customer', customerId),
    ])
    assert.equal((await head(url)).status, 200)
    const unknown = path.replace('{id}', 'tenant_01h455vb4pex5vsknk084sn02q') as '/Customers/x'
    rejected(await partner.get(unknown), 404, 'not_found')
    assert.deepEqual(await newReads(), [])
  })
}

function head(path: string): Promise<Response> {
  return fetch(new URL(`/partner-api${path}`, service.baseUrl), {
    method: 'HEAD',
    headers: { authorization: `Bearer ${partner.token}` },
  })
}

test('a PATCH or POST that changes nothing, and a repeated POST, show the customer, so they write an audit entry as well', async () => {
  const { phone } = succeeded(await partner.get(`/Customers/${signed}`)).personalDetails
  await newReads()
  succeeded(await partner.patch(`/Customers/${signed}`, { phone }))
  const options = { headers: { 'Idempotency-Key': 'read-again' } }
  for (const _ of ['first', 'repeated'])
    succeeded(await partner.post(`/Customers/${open}/create-setup-intent`, undefined, options))
  succeeded(await partner.post(`/Customers/${open}/create-setup-intent`))
  const shown = own('createSetupIntent', 'customer', open)
  assert.deepEqual(await newReads(), [own('updateCustomer', 'customer'), shown, shown, shown])
})

test('opening a document with a link writes an audit entry without a credential', async () => {
  const { contractUrl } = succeeded(await partner.get(`/Customers/${signed}/pci-contract-url-html`))
  const { previewUrl } = succeeded(await partner.get(`/Customers/${open}/pci-preview-url-html`))
  await newReads()
  for (const method of ['HEAD', 'GET'])
    for (const url of [contractUrl, previewUrl]) assert.equal((await fetch(url, { method })).status, 200)
  assert.deepEqual(await newReads(), [
    `link null viewContract contract ${signed}`,
    `link null viewPreview contract ${open}`,
  ])
})

test('simultaneous reads of two partners share commits, and each entry has its own partner, credential and request', async () => {
  const other = await connectNewPartner(service)
  const foreign = (await startHousehold(other)).lead
  await newReads()
  const read = (as: Partner, customerId: string) => as.get(`/Customers/${customerId}`)
  const responses = await Promise.all(
    Array.from({ length: 40 }, (_, n) => (n % 2 === 0 ? read(partner, signed) : read(other, foreign))),
  )
  for (const response of responses) succeeded(response)
  const found = await rawRows(
    service,
    `select customer_id, count(*)::int as reads, count(distinct partner_id)::int as partners,
     count(distinct request_id)::int as requests,
            count(distinct credential)::int as credentials
       from audit_log where action = 'read' and entry_number > $1 group by 1`,
    [seen],
  )
  const expected = { reads: 20, partners: 1, requests: 20, credentials: 1 }
  assert.deepEqual(
    new Map(found.map(({ customer_id: id, ...counts }) => [id, counts])),
    new Map([signed, foreign].map((id) => [id, expected])),
  )
})

test('if the entry cannot be written, the response is an error and shows nothing', async () => {
  await rawRows(service, 'revoke insert on audit_log from housebill_system')
  const failed = await partner.get(`/Customers/${signed}`)
  await rawRows(service, 'grant insert on audit_log to housebill_system')
  assert.equal(failed.status, 500)
  assert.ok(!JSON.stringify(failed.body).includes(signed))
})

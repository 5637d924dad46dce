import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connectPartner } from '../support/client.ts'
import { rawRows } from '../support/customer-fixtures.ts'
import { startHousehold } from '../support/household.ts'
import { connectNewPartner, connectWithScopes } from '../support/partners.ts'
import { createQuote } from '../support/quote-fixtures.ts'
import { assertProblem, rejected, succeeded } from '../support/responses.ts'
import { shareTestService } from '../support/shared-service.ts'

const service = await shareTestService()
const partner = await connectPartner(service.baseUrl, service.credentials)

test('with include=customers, each quote has its customers as GET /Customers lists them, in the order in which they joined', async () => {
  const own = await connectNewPartner(service)
  const { quoteId: empty } = await createQuote(own)
  const { quoteId, tenants } = await startHousehold(own)
  const listed = succeeded(await own.get(`/Customers?quoteId=${quoteId}`)).data.reverse()
  assert.deepEqual(
    listed.map(({ customerId }) => customerId),
    tenants,
  )
  const read = async (path: string) => succeeded(await own.get(path)) as unknown as Record<string, unknown>
  for (const path of [`/Quotes/${quoteId}`, `/Quotes/${empty}`]) {
    const without = await read(path)
    assert.ok(!('customers' in without))
    assert.deepEqual(await read(`${path}?include=customers`), {
      ...without,
      customers: path.endsWith(empty) ? [] : listed,
    })
  }
  const page = succeeded(await own.get('/Quotes'))
  assert.deepEqual(succeeded(await own.get('/Quotes?include=customers')), {
    ...page,
    data: page.data.map((quote) => ({ ...quote, customers: quote.quoteId === quoteId ? listed : [] })),
  })
})

test('a tenant who was removed from the quote is not among its customers', async () => {
  const { quoteId, tenants } = await startHousehold(partner)
  const [first, ...others] = tenants
  succeeded(await partner.post(`/Quotes/${quoteId}/remove-tenants`, { tenantIds: others }))
  const { customers = [] } = succeeded(await partner.get(`/Quotes/${quoteId}?include=customers`)) as {
    customers?: { customerId: string }[]
  }
  assert.deepEqual(
    customers.map(({ customerId }) => customerId),
    [first],
  )
})

test('customers who are included get an audit entry of the read; without include, and for HEAD, none is written', async () => {
  const { quoteId, tenants } = await startHousehold(partner)
  const reads = async () =>
    (
      await rawRows(service, `select customer_id from audit_log where action = 'read' and customer_id = any($1)`, [
        tenants,
      ])
    ).map(({ customer_id }) => customer_id)
  succeeded(await partner.get(`/Quotes/${quoteId}`))
  await partner.send('HEAD', `/Quotes/${quoteId}?include=customers`)
  assert.deepEqual(await reads(), [])
  succeeded(await partner.get(`/Quotes/${quoteId}?include=customers`))
  assert.deepEqual((await reads()).sort(), [...tenants].sort())
})

test('include=customers without the scope customers:read is rejected, and another value is invalid', async () => {
  const limited = await connectWithScopes(service, ['quotes:read'])
  succeeded(await limited.get('/Quotes'))
  rejected(await limited.get('/Quotes?include=customers'), 403, 'insufficient_scope')
  const { quoteId } = await createQuote(partner)
  for (const path of ['/Quotes', `/Quotes/${quoteId}`])
    assertProblem(await partner.get(`${path}?include=tenants`), 'validation_failed', ['/query/include not_allowed'])
})

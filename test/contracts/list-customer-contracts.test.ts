import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connectPartner, type Partner } from '../support/client.ts'
import { finalise, onboard, startHousehold } from '../support/household.ts'
import { connectNewPartner } from '../support/partners.ts'
import { createLeadOnboardedQuote, testTime } from '../support/quote-fixtures.ts'
import { assertProblem, rejected, succeeded } from '../support/responses.ts'
import { shareTestService } from '../support/shared-service.ts'

const service = await shareTestService({}, { startAt: testTime })
const partner = await connectPartner(service.baseUrl, service.credentials)

async function contractsOf(customerId: string) {
  return succeeded(await partner.get(`/Customers/${customerId}/contracts`)).contracts
}

/** A household whose lead tenant accepted twice, with a reopening in between. */
async function acceptTwice() {
  const { quoteId, lead } = await createLeadOnboardedQuote(partner)
  const { contractUrl: firstUrl } = succeeded(await partner.get(`/Customers/${lead}/pci-contract-url-html`))
  succeeded(await partner.post(`/Quotes/${quoteId}/reopen`))
  succeeded(await partner.post(`/Customers/${lead}/accept-terms`))
  const [second, first] = await contractsOf(lead)
  return { lead, first: first?.contractNumber ?? '', second: second?.contractNumber ?? '', firstUrl }
}

const linkTo = (customerId: string, contractNumber: string, format: 'html' | 'pdf' = 'html', from: Partner = partner) =>
  from.get(`/Customers/${customerId}/pci-contract-url-${format}?contractNumber=${contractNumber}`)

test('a customer who has accepted nothing has no contracts', async () => {
  const { lead } = await startHousehold(partner)
  assert.deepEqual(await contractsOf(lead), [])
  succeeded(await finalise(partner, lead))
  assert.deepEqual(await contractsOf(lead), [])
  assert.equal(succeeded(await partner.get(`/Customers/${lead}`)).contract, null)
})

test('a contract is agreed until every tenant has accepted, and then in force with 14 days to cancel', async () => {
  const { lead, tenants } = await createLeadOnboardedQuote(partner)
  const [agreed] = await contractsOf(lead)
  assert.deepEqual(agreed, {
    contractNumber: agreed?.contractNumber,
    status: 'agreed',
    agreedAt: agreed?.agreedAt,
    effectiveAt: null,
    cancellableUntil: null,
    confirmationSentAt: null,
    startsOn: '2027-01-13',
    endsOn: '2028-01-12',
    endedOn: null,
    endReason: null,
  })
  assert.match(agreed?.contractNumber ?? '', /^\d{4}-\d{4}-\d{4}$/)
  await onboard(partner, tenants[1] ?? '')
  const [inForce] = await contractsOf(lead)
  const [last] = await contractsOf(tenants[1] ?? '')
  assert.equal(inForce?.effectiveAt, last?.effectiveAt)
  assert.deepEqual(inForce, {
    ...agreed,
    status: 'in_force',
    effectiveAt: last?.agreedAt,
    cancellableUntil: '2026-12-15T23:59:59.999Z',
  })
  assert.deepEqual(succeeded(await partner.get(`/Customers/${lead}`)).contract, inForce)
})

test('a customer who accepts again after a reopening has two contracts, the latest first', async () => {
  const { lead, first, second } = await acceptTwice()
  assert.notEqual(first, second)
  assert.deepEqual(
    (await contractsOf(lead)).map(({ contractNumber, status, endReason }) => [contractNumber, status, endReason]),
    [
      [second, 'agreed', null],
      [first, 'superseded', 'reopened'],
    ],
  )
})

for (const format of ['html', 'pdf'] as const)
  test(`the ${format} link opens the contract that the customer has accepted, or that of contractNumber, even a superseded one`, async () => {
    const { lead, first, second, firstUrl } = await acceptTwice()
    const { contractNumber } = succeeded(await partner.get(`/Customers/${lead}/pci-contract-url-${format}`))
    assert.equal(contractNumber, second)
    const open = async (url: string) => {
      const response = await fetch(url)
      assert.equal(response.status, 200)
      return { digest: response.headers.get('repr-digest'), bytes: Buffer.from(await response.arrayBuffer()) }
    }
    const openNumber = async (number: string) => {
      const link = succeeded(await linkTo(lead, number, format))
      assert.equal(link.contractNumber, number)
      return open(link.contractUrl)
    }
    const [old, current] = [await openNumber(first), await openNumber(second)]
    assert.notEqual(old.digest, null)
    assert.notEqual(old.digest, current.digest)
    assert.notDeepEqual(old.bytes, current.bytes)
    if (format === 'html') assert.deepEqual(await open(firstUrl), old, 'an earlier link keeps opening its contract')
  })

test("a contract number that is unknown or another customer's is rejected, and the error says where to find the right one", async () => {
  const { lead } = await createLeadOnboardedQuote(partner)
  const other = await createLeadOnboardedQuote(partner)
  const [others] = await contractsOf(other.lead)
  for (const number of ['0000-0000-0000', 'x', others?.contractNumber ?? '']) {
    const problem = rejected(await linkTo(lead, number), 422, 'validation_failed')
    assert.equal(problem.errors?.[0]?.pointer, '/query/contractNumber')
    assert.match(problem.errors?.[0]?.detail ?? '', /GET \/Customers\/\{id\}\/contracts/)
  }
  const foreign = await connectNewPartner(service)
  assertProblem(await linkTo(other.lead, others?.contractNumber ?? '', 'html', foreign), 'not_found')
})

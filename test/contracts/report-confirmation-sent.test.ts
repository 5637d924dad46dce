import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { connectPartner } from '../support/client.ts'
import { rawRows } from '../support/customer-fixtures.ts'
import { onboard, startHousehold } from '../support/household.ts'
import { connectOperator } from '../support/operator.ts'
import { connectAnotherPartner, connectNewPartner } from '../support/partners.ts'
import { advanceClock, createLeadOnboardedQuote, testTime } from '../support/quote-fixtures.ts'
import { rejected, succeeded } from '../support/responses.ts'
import { movableClock, startTestService } from '../support/service.ts'

const service = await startTestService({}, { clock: movableClock(testTime) })
after(() => service.stop())
const operator = await connectOperator(service)

/** A partner that sends the confirmations itself, with the contract of a sole tenant. */
async function confirmingPartner() {
  const own = await connectNewPartner(service)
  const { lead } = await startHousehold(own, { tenants: 1 })
  const [row] = await rawRows(service, 'select partner_id from customers where customer_id = $1', [lead])
  const partnerId = String(row?.partner_id)
  succeeded(await operator.patch(`/Partners/${partnerId}`, { confirmations: 'partner' }))
  const { contract } = await onboard(own, lead)
  assert.ok(contract?.effectiveAt)
  const report = (sentAt: string) =>
    own.post(`/Customers/${lead}/contracts/${contract.contractNumber}/confirmation-sent`, { sentAt })
  return { own, lead, report, contractNumber: contract.contractNumber, effectiveAt: contract.effectiveAt }
}

const missing = async () =>
  (succeeded(await operator.get('/Confirmations/missing')) as { data: { contractNumber: string }[] }).data

test('if the partner confirms, Housebill sends nothing, and the right to cancel ends 14 days after the first report', async () => {
  const { own, lead, report } = await confirmingPartner()
  assert.deepEqual(await rawRows(service, 'select from tenant_mails where customer_id = $1', [lead]), [])
  await advanceClock(own, { days: 20 })
  const { confirmationSentAt, cancellableUntil } = succeeded(await report('2026-12-18T10:00:00Z'))
  assert.deepEqual([confirmationSentAt, cancellableUntil], ['2026-12-18T10:00:00.000Z', '2027-01-01T23:59:59.999Z'])
  assert.equal(succeeded(await report('2026-12-20T10:00:00Z')).confirmationSentAt, '2026-12-18T10:00:00.000Z')
  assert.equal(succeeded(await report('2026-12-17T10:00:00Z')).cancellableUntil, '2026-12-31T23:59:59.999Z')
  await advanceClock(own, { days: 10 })
  assert.equal(succeeded(await own.post(`/Customers/${lead}/cancel-contract`)).contract.status, 'cancelled')
})

test('the operator lists what was not sent within a day or was rejected, until it is reported', async () => {
  const { own, contractNumber, report } = await confirmingPartner()
  const isListed = async () => (await missing()).some((each) => each.contractNumber === contractNumber)
  assert.equal(await isListed(), false)
  await advanceClock(own, { days: 1, seconds: 1 })
  assert.equal(await isListed(), true)
  succeeded(await report('2026-12-02T09:00:00Z'))
  assert.equal(await isListed(), false)
  const rejected = await connectNewPartner(service)
  const { lead } = await startHousehold(rejected, { tenants: 1 })
  const { contract } = await onboard(rejected, lead)
  await rawRows(
    service,
    `update tenant_mails set outcome = 'given_up', next_attempt_at = null, ended_at = now() where customer_id = $1`,
    [lead],
  )
  const listed = (await missing()).find((each) => each.contractNumber === contract?.contractNumber)
  assert.ok(listed !== undefined && 'isGivenUp' in listed && listed.isGivenUp === true)
  const path = `/Customers/${lead}/contracts/${contract?.contractNumber}/confirmation-sent`
  succeeded(await operator.post(path, { sentAt: contract?.effectiveAt }))
  assert.equal(
    (await missing()).some((each) => each.contractNumber === contract?.contractNumber),
    false,
  )
})

test('a contract that is not in force, an unknown one, and a time that is not possible are rejected', async () => {
  const { own, lead, report } = await confirmingPartner()
  for (const sentAt of ['2026-11-30T09:00:00Z', '2027-01-01T00:00:00Z']) {
    const problem = rejected(await report(sentAt), 422, 'validation_failed')
    assert.deepEqual(problem.errors?.[0]?.pointer, '/sentAt')
  }
  const sentAt = '2026-12-01T09:00:00Z'
  rejected(
    await own.post(`/Customers/${lead}/contracts/0000-0000-0000/confirmation-sent`, { sentAt }),
    404,
    'not_found',
  )
  const waiting = await createLeadOnboardedQuote(own)
  const { contract } = succeeded(await own.get(`/Customers/${waiting.lead}`))
  const path = `/Customers/${waiting.lead}/contracts/${contract?.contractNumber}/confirmation-sent`
  rejected(await own.post(path, { sentAt }), 422, 'contract_not_in_force')
  const foreign = await connectAnotherPartner(service)
  rejected(await foreign.post(path, { sentAt }), 404, 'not_found')
})

test('the default partner is confirmed to by the operator, because a sandbox writes e-mails to files', async () => {
  const partner = await connectPartner(service.baseUrl, service.credentials)
  const { lead } = await startHousehold(partner, { tenants: 1 })
  await onboard(partner, lead)
  const [contract] = await rawRows(service, 'select confirmed_by from contracts where customer_id = $1', [lead])
  assert.equal(contract?.confirmed_by, 'operator')
})

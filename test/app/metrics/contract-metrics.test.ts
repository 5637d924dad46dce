import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { connectPartner } from '../../support/client.ts'
import { rawRows } from '../../support/customer-fixtures.ts'
import { finalise, onboard, startHousehold, startPaymentSetup } from '../../support/household.ts'
import { type ContractRecord, connectOperator } from '../../support/operator.ts'
import { connectNewPartner } from '../../support/partners.ts'
import { advanceClock } from '../../support/quote-fixtures.ts'
import { succeeded } from '../../support/responses.ts'
import { startSecondService } from '../../support/second-service.ts'
import { startTestService } from '../../support/service.ts'
import { readExposition } from './exposition.ts'

const service = await startTestService()
after(() => service.stop())
const partner = await connectPartner(service.baseUrl, service.credentials)

/** The metric as a process shows it that has just started: it counts at most every 30 seconds. */
async function unacknowledged(): Promise<number | undefined> {
  const fresh = await startSecondService(service)
  try {
    const samples = readExposition(await (await fetch(`${fresh.baseUrl}/metrics`)).text())
    return samples.value('housebill_contracts_unacknowledged')
  } finally {
    await fresh.stop()
  }
}

test('contracts in force count as unacknowledged after a day, until their latest version is acknowledged', async () => {
  const { lead } = await startHousehold(partner, { tenants: 1 })
  await onboard(partner, lead)
  const agreedOnly = await startHousehold(partner)
  await onboard(partner, agreedOnly.lead)
  assert.equal(await unacknowledged(), 0)
  await rawRows(service, `update contract_versions set recorded_at = recorded_at - interval '25 hours'`)
  assert.equal(await unacknowledged(), 1)
  const operator = await connectOperator(service)
  const [{ contractNumber } = { contractNumber: '' }] = succeeded(
    await partner.get(`/Customers/${lead}/contracts`),
  ).contracts
  const { record } = succeeded(await operator.get<{ record: ContractRecord }>(`/Contracts/${contractNumber}`))
  const acknowledge = (version: number) =>
    operator.post(`/Contracts/${contractNumber}/acknowledge`, { version, reference: 'SUP-1' })
  succeeded(await acknowledge(1))
  assert.equal(await unacknowledged(), record.version > 1 ? 1 : 0)
  succeeded(await acknowledge(record.version))
  assert.equal(await unacknowledged(), 0)
})

test('a lock that ended before everybody accepted is counted once, when that is stored', async () => {
  const ended = async () =>
    readExposition(await (await fetch(`${service.baseUrl}/metrics`)).text()).value('housebill_locks_ended_total')
  const own = await connectNewPartner(service)
  const { quoteId, lead } = await startHousehold(own, { tenants: 1 })
  await startPaymentSetup(own, lead)
  await advanceClock(own, { days: 15 })
  succeeded(await own.get(`/Quotes/${quoteId}`))
  succeeded(await finalise(own, lead))
  assert.equal(await ended(), 1)
})

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { addDays, isoDate, londonDate } from '../../src/platform/kernel/dates.ts'
import { readExposition } from '../app/metrics/exposition.ts'
import { connectPartner } from '../support/client.ts'
import { rawRows } from '../support/customer-fixtures.ts'
import { onboard, startHousehold } from '../support/household.ts'
import { connectOperator } from '../support/operator.ts'
import { advanceClock, createCompletedQuote } from '../support/quote-fixtures.ts'
import { rejected, succeeded } from '../support/responses.ts'
import { startSecondService, startTestService } from '../support/service.ts'

/** One deployment, served by a process that presumes supply and by one that does not. */
const reporting = await startTestService({ SUPPLY_STATUS: 'reported' })
const presuming = await startSecondService({
  ...reporting,
  environment: { ...reporting.environment, SUPPLY_STATUS: 'presumed' },
})
after(async () => {
  await presuming.stop()
  await reporting.stop()
})

/** What GET /Customers/{id} shows with and without presumption. */
async function shown(customerId: string) {
  const read = async (baseUrl: string) => {
    const { services } = succeeded(
      await (await connectPartner(baseUrl, reporting.credentials)).get(`/Customers/${customerId}`),
    )
    return services.map(({ serviceId, status, statusSource }) => `${serviceId} ${status} ${statusSource}`)
  }
  return { presumed: await read(presuming.baseUrl), reported: await read(reporting.baseUrl) }
}

/** The number of services that a process that has just started counts as unreported. */
async function unreported(supplyStatus: string): Promise<number | undefined> {
  const environment = { ...reporting.environment, SUPPLY_STATUS: supplyStatus }
  const fresh = await startSecondService({ ...reporting, environment })
  try {
    return readExposition(await (await fetch(`${fresh.baseUrl}/metrics`)).text()).value('housebill_services_unreported')
  } finally {
    await fresh.stop()
  }
}

test('supply that nobody reports is presumed from its own first day, which changes only what customers are shown', async () => {
  const partner = await connectPartner(reporting.baseUrl, reporting.credentials)
  // A process caches other processes' changes of the clock for two seconds, and only this one shows what depends on it.
  const clock = await connectPartner(presuming.baseUrl, reporting.credentials)
  const today = londonDate(new Date())
  const { quoteId, lead } = await createCompletedQuote(partner, {
    tenants: 1,
    packages: ['electricity', 'gas', 'broadband'],
    products: ['fibre-150'],
    contractStartDate: addDays(today, 40),
    contractEndDate: addDays(today, 339),
  })
  await rawRows(
    reporting,
    `update quotes set price = jsonb_set(price::jsonb, '{lines,2,startDate}', $2)::json where quote_id = $1`,
    [quoteId, JSON.stringify(addDays(today, 50))],
  )
  await rawRows(
    reporting,
    `update contracts set price = jsonb_set(price, '{lines,2,startDate}', $2) where quote_id = $1`,
    [quoteId, JSON.stringify(addDays(today, 50))],
  )
  const never = await createCompletedQuote(partner, { tenants: 1, contractStartDate: addDays(today, 40) })
  succeeded(await partner.post(`/Customers/${never.lead}/cancel-contract`))
  const agreedOnly = await startHousehold(partner, { tenants: 2, contractStartDate: addDays(today, 40) })
  await onboard(partner, agreedOnly.lead)
  const pending = ['electricity-standard', 'gas-standard', 'fibre-150'].map((id) => `${id} pending reported`)
  const stored = () =>
    rawRows(
      reporting,
      `select (select count(*) from events where type = 'customer.service.changed') as events,
              (select count(*) from contract_versions) as versions, (select count(*)
                from commission_entries) as commission`,
    )

  await advanceClock(clock, { days: 39 })
  assert.deepEqual(await shown(lead), { presumed: pending, reported: pending })
  await advanceClock(clock, { days: 1 })
  const before = await stored()
  const [, gas, broadband] = pending
  const presumedGas = 'gas-standard active presumed'
  assert.deepEqual(await shown(lead), {
    presumed: ['electricity-standard active presumed', presumedGas, broadband],
    reported: pending,
  })
  assert.deepEqual(await stored(), before)
  assert.equal(await unreported('reported'), 0, 'the first day has not passed')
  await advanceClock(clock, { days: 1 })
  assert.equal(await unreported('reported'), 2)
  await assert.rejects(unreported('presumed'), /there is no housebill_services_unreported/)

  const operator = await connectOperator(reporting)
  const [{ contractNumber } = { contractNumber: '' }] = succeeded(
    await (await connectPartner(reporting.baseUrl, reporting.credentials)).get(`/Customers/${lead}/contracts`),
  ).contracts
  const { record } = succeeded(
    await operator.get<{ record: { services: { status: string }[] } }>(`/Contracts/${contractNumber}`),
  )
  assert.deepEqual(
    record.services.map(({ status }) => status),
    ['pending', 'pending', 'pending'],
    'the operator still has to act',
  )
  const report = (status: string) =>
    operator.post(`/Quotes/${quoteId}/services/electricity-standard/status`, {
      status,
      effectiveDate: isoDate(addDays(today, 41)),
    })
  rejected(await report('active'), 422, 'service_status_not_allowed')
  succeeded(await report('requested'))
  assert.deepEqual(await shown(lead), {
    presumed: ['electricity-standard requested reported', presumedGas, broadband],
    reported: ['electricity-standard requested reported', gas, broadband],
  })
  assert.equal(await unreported('reported'), 1)

  await advanceClock(clock, { days: 30 })
  assert.equal((await shown(lead)).presumed[2], 'fibre-150 active presumed')
  assert.ok((await shown(never.lead)).presumed.every((service) => service.endsWith(' withdrawn reported')))
  assert.ok((await shown(agreedOnly.lead)).presumed.every((service) => service.endsWith(' pending reported')))
})

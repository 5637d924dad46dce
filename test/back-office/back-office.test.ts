import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { connectPartner } from '../support/client.ts'
import { rawRows } from '../support/customer-fixtures.ts'
import { finalise, onboard, startHousehold } from '../support/household.ts'
import { connectNewPartner } from '../support/partners.ts'
import { advanceClock } from '../support/quote-fixtures.ts'
import { succeeded } from '../support/responses.ts'
import { startTestService } from '../support/service.ts'
import { waitFor } from '../support/wait-for.ts'
import { BackOffice } from './back-office.ts'

const service = await startTestService()
const partner = await connectPartner(service.baseUrl, service.credentials)
const backOffice = await BackOffice.open(service)
after(async () => {
  await backOffice.close()
  await service.stop()
})

/** Breaks the connections of the service, as a database that restarts does. */
const breakConnections = () =>
  rawRows(
    service,
    `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database()
     and pid <> pg_backend_pid()`,
  )

test('the example back office ends with exactly the contracts that the database has, while households sign, lapse, reopen and leave', async () => {
  for (let round = 0; round < 4; round += 1) {
    const signed = await startHousehold(partner, { tenants: 2 })
    for (const tenant of signed.tenants) await onboard(partner, tenant)
    if (round % 2 === 0) await backOffice.kill()
    const reopened = await startHousehold(partner, { tenants: 2 })
    await onboard(partner, reopened.lead)
    succeeded(await partner.post(`/Quotes/${reopened.quoteId}/reopen`))
    if (round % 2 === 0) backOffice.start()
    else await breakConnections()
    await waitFor('the service answers again', async () => (await partner.get('/Quotes')).status === 200)
    succeeded(await partner.post(`/Customers/${signed.lead}/cancel-contract`))
    const report = { serviceId: 'gas-standard', status: 'requested' }
    succeeded(await partner.post(`/Sandbox/quotes/${signed.quoteId}/service-status`, report))
  }
  const late = await connectNewPartner(service)
  const lapsing = await startHousehold(late, { tenants: 2 })
  await onboard(late, lapsing.lead)
  await advanceClock(late, { days: 15 })
  succeeded(await finalise(late, lapsing.lead))
  const contracts = await backOffice.untilComplete()
  const statuses = Map.groupBy(contracts, (line) => line.split(' ')[2])
  assert.deepEqual([...statuses].map(([status, lines]) => [status, lines.length]).sort(), [
    ['cancelled', 4],
    ['in_force', 4],
    ['lapsed', 1],
    ['superseded', 4],
  ])
})

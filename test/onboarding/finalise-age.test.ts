import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { connectPartner } from '../support/client.ts'
import { finalise, startHousehold } from '../support/household.ts'
import { advanceClock } from '../support/quote-fixtures.ts'
import { invalidFields, rejected, succeeded } from '../support/responses.ts'
import { movableClock, startTestService } from '../support/service.ts'

// The last hour of 27 February in London, so that the day changes during the test.
const service = await startTestService({}, { clock: movableClock('2026-02-27T23:00:00Z') })
after(() => service.stop())
const partner = await connectPartner(service.baseUrl, service.credentials)
const { lead } = await startHousehold(partner)
const born = (dateOfBirth: string) => finalise(partner, lead, { dateOfBirth })
const day = { seconds: 86_400 }

test('a customer before their 18th birthday is rejected with customer_under_18', async () => {
  const problem = rejected(await born('2008-02-28'), 422, 'customer_under_18')
  assert.deepEqual(invalidFields(problem), [['/dateOfBirth', 'customer_under_18']])
  assert.match(problem.detail, /18th birthday/)
  for (const dateOfBirth of ['2008-02-29', '2026-02-27', '2100-01-01'])
    rejected(await born(dateOfBirth), 422, 'customer_under_18')
})

test('a customer counts as 18 from midnight in London on their 18th birthday', async () => {
  succeeded(await born('2008-02-27'))
  succeeded(await born('1900-01-01'))
  // It is now half past midnight on the sandbox clock. That clock determines the day, not the server's clock.
  await advanceClock(partner, { seconds: 5_400 })
  succeeded(await born('2008-02-28'))
  rejected(await born('2008-03-01'), 422, 'customer_under_18')
})

test('a customer born on 29 February turns 18 on 1 March if that year has no 29 February', async () => {
  rejected(await born('2008-02-29'), 422, 'customer_under_18')
  await advanceClock(partner, day)
  succeeded(await born('2008-02-29'))
  succeeded(await born('2008-03-01'))
})

test('a date of birth that is not a valid date in the format YYYY-MM-DD is rejected', async () => {
  for (const dateOfBirth of ['2000-02-30', '1999-2-3', '03/02/1999', '1999-02-03T00:00:00Z', '', '1899-12-31'])
    assert.deepEqual(invalidFields(rejected(await born(dateOfBirth), 422, 'validation_failed')), [
      ['/dateOfBirth', 'wrong_format'],
    ])
})

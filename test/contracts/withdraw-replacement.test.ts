import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connectPartner } from '../support/client.ts'
import { startPaymentSetup } from '../support/household.ts'
import { createCompletedQuote, getQuote, testTime } from '../support/quote-fixtures.ts'
import { join, replace, startReplacement } from '../support/replacements.ts'
import { rejected, succeeded } from '../support/responses.ts'
import { shareTestService } from '../support/shared-service.ts'

const service = await shareTestService({}, { startAt: testTime })
const partner = await connectPartner(service.baseUrl, service.credentials)
const withdraw = (customerId: string, own = partner) => own.post(`/Customers/${customerId}/withdraw-replacement`)

test('a replacement that is not accepted is withdrawn: the joiner is gone, and the contract goes on', async () => {
  const { quoteId, leaver, joiner } = await startReplacement(partner)
  await startPaymentSetup(partner, joiner)
  const before = succeeded(await partner.get(`/Customers/${leaver}`))
  assert.deepEqual(succeeded(await withdraw(leaver)), { customerId: leaver, withdrawn: joiner })
  rejected(await partner.get(`/Customers/${joiner}`), 404, 'not_found')
  assert.deepEqual(succeeded(await partner.get(`/Customers/${leaver}`)), before)
  assert.equal((await getQuote(partner, quoteId)).tenants.length, 1)
})

test('after a withdrawal, somebody else can take over, and the same person too', async () => {
  const { leaver } = await startReplacement(partner)
  succeeded(await withdraw(leaver))
  const joiner = await replace(partner, leaver, '2027-04-01')
  assert.equal((await join(partner, joiner)).contract?.startsOn, '2027-04-01')
})

test('a replacement that is accepted cannot be withdrawn, and neither can one that does not exist', async () => {
  const { leaver, joiner } = await startReplacement(partner)
  await join(partner, joiner)
  const accepted = rejected(await withdraw(leaver), 422, 'replacement_not_possible')
  assert.match(accepted.detail, /cancel-contract/)
  const { lead } = await createCompletedQuote(partner)
  rejected(await withdraw(lead), 422, 'replacement_not_possible')
})

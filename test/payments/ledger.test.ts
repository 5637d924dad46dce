import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { rawRows, readPaymentStatusHistory } from '../support/customer-fixtures.ts'
import { succeeded } from '../support/responses.ts'
import { startLedger } from './start-ledger.ts'

const ledger = await startLedger()
const { service, partner, notify, acceptedCustomer, schedule, entries, attempt } = ledger
after(() => ledger.stop())
const now = Math.floor(Date.now() / 1000)

const statuses = async (customerId: string) => (await schedule(customerId)).payments.map(({ status }) => status)

test('accepting the terms stores the plan as it was shown, and it is read from then on', async () => {
  const { lead, planned } = await acceptedCustomer()
  assert.deepEqual(await schedule(lead), planned)
  const stored = await entries(lead)
  assert.equal(stored.length, planned.payments.length)
  await rawRows(service, 'update payment_entries set amount_pence = amount_pence + 1 where entry_id = $1', [
    stored[0]?.entry_id,
  ])
  assert.equal((await schedule(lead)).payments[0]?.amount, (planned.payments[0]?.amount ?? 0) + 1)
  const exported = succeeded(await partner.get(`/Customers/${lead}/export`))
  assert.deepEqual(exported.payments, (await schedule(lead)).payments)
})

test('a payment marks the first entry with its amount that is still due, however often its notice arrives', async () => {
  const { lead, processorCustomerId, planned, amount } = await acceptedCustomer()
  const payment = attempt(processorCustomerId, amount)
  for (const id of ['evt_first', 'evt_first', 'evt_again'])
    succeeded(await notify('payment_intent.succeeded', payment, { id, happenedAt: now }))
  assert.deepEqual(
    await statuses(lead),
    planned.payments.map((_, index) => (index === 0 ? 'paid' : 'planned')),
  )
  assert.notEqual((await schedule(lead)).nextPaymentDate, planned.nextPaymentDate)
  const [first] = await entries(lead)
  assert.deepEqual([Number(first?.collected_pence), first?.collected_at], [amount, new Date(now * 1000)])
  assert.deepEqual(await readPaymentStatusHistory(service, lead), ['setup_started', 'ready', 'paid'])
})

test('each attempt is one event, and a payment that fails and is retried is collected once', async () => {
  const { lead, processorCustomerId, amount } = await acceptedCustomer()
  const tries = ['ch_try1', 'ch_try2', 'ch_try3'].map((charge) =>
    attempt(processorCustomerId, amount, { id: 'pi_retried', latest_charge: charge }),
  )
  const [first = {}, second = {}, third = {}] = tries
  succeeded(await notify('payment_intent.payment_failed', first, { happenedAt: now }))
  succeeded(await notify('payment_intent.payment_failed', first, { happenedAt: now }))
  assert.equal((await statuses(lead))[0], 'failed')
  succeeded(await notify('payment_intent.payment_failed', second, { happenedAt: now + 10 }))
  succeeded(await notify('payment_intent.succeeded', third, { happenedAt: now + 20 }))
  succeeded(await notify('payment_intent.payment_failed', second, { happenedAt: now + 10 }))
  assert.deepEqual((await statuses(lead)).slice(0, 2), ['paid', 'planned'])
  const history = await readPaymentStatusHistory(service, lead)
  assert.deepEqual(history, ['setup_started', 'ready', 'failed', 'failed', 'paid'])
})

test('a failed attempt that is reported after a later success changes neither the entry nor the status', async () => {
  const { lead, processorCustomerId, amount } = await acceptedCustomer()
  const failed = attempt(processorCustomerId, amount, { id: 'pi_late', latest_charge: 'ch_late1' })
  const paid = { ...failed, latest_charge: 'ch_late2' }
  succeeded(await notify('payment_intent.succeeded', paid, { happenedAt: now + 5 }))
  succeeded(await notify('payment_intent.payment_failed', failed, { happenedAt: now }))
  assert.equal((await statuses(lead))[0], 'paid')
  assert.deepEqual(await readPaymentStatusHistory(service, lead), ['setup_started', 'ready', 'paid'])
})

test('a payment marks the entry that it names if its amount is the same; with another amount or currency it marks none', async () => {
  const { lead, processorCustomerId } = await acceptedCustomer()
  const [, entry] = await entries(lead)
  const second = String(entry?.entry_id)
  const owed = Number(entry?.amount_pence)
  const metadata = { housebill_entry_id: second }
  for (const [amount, currency] of [
    [7, 'gbp'],
    [owed, 'eur'],
    [owed + 1, 'gbp'],
  ] as const)
    succeeded(await notify('payment_intent.succeeded', attempt(processorCustomerId, amount, { metadata, currency })))
  assert.deepEqual(new Set(await statuses(lead)), new Set(['planned']))
  succeeded(
    await notify('payment_intent.succeeded', attempt(processorCustomerId, owed, { metadata }), { happenedAt: now }),
  )
  succeeded(await notify('payment_intent.succeeded', attempt(processorCustomerId, 7), { happenedAt: now + 1 }))
  succeeded(await notify('payment_intent.succeeded', attempt(processorCustomerId, 7, { currency: 'eur' })))
  const found = await entries(lead)
  assert.deepEqual(
    found.slice(0, 3).map(({ status }) => status),
    ['planned', 'paid', 'planned'],
  )
  assert.equal(Number(found[1]?.collected_pence), owed)
})

test("another customer's entry cannot be marked by naming it", async () => {
  const one = await acceptedCustomer()
  const other = await acceptedCustomer()
  const foreign = String((await entries(one.lead))[0]?.entry_id)
  const payment = attempt(other.processorCustomerId, 7, { metadata: { housebill_entry_id: foreign } })
  succeeded(await notify('payment_intent.succeeded', payment))
  assert.equal((await statuses(one.lead))[0], 'planned')
})

test('a payment that was given up no longer makes the status failed, and the next one stays what it was', async () => {
  const { lead, processorCustomerId, planned, amount } = await acceptedCustomer()
  const paymentStatusOf = async () => succeeded(await partner.get(`/Customers/${lead}`)).paymentStatus
  succeeded(await notify('payment_intent.payment_failed', attempt(processorCustomerId, amount), { happenedAt: now }))
  assert.equal(await paymentStatusOf(), 'failed')
  const [first] = await entries(lead)
  succeeded(await ledger.operator.post(`/Payments/${first?.entry_id}/status`, { status: 'waived' }))
  assert.equal(await paymentStatusOf(), 'ready')
  assert.deepEqual(
    (await schedule(lead)).payments.map(({ kind }) => kind),
    planned.payments.slice(1).map(({ kind }) => kind),
  )
})

test('while one payment is failed or disputed, the status is failed, whatever was collected since', async () => {
  const { lead, processorCustomerId } = await acceptedCustomer()
  const paymentStatusOf = async () => succeeded(await partner.get(`/Customers/${lead}`)).paymentStatus
  const [one, two] = (await entries(lead)).map(({ entry_id, amount_pence }) =>
    attempt(processorCustomerId, Number(amount_pence), { metadata: { housebill_entry_id: entry_id } }),
  )
  assert.ok(one && two)
  succeeded(await notify('payment_intent.payment_failed', one, { happenedAt: now }))
  succeeded(await notify('payment_intent.succeeded', two, { happenedAt: now + 1 }))
  assert.equal(await paymentStatusOf(), 'failed')
  const again = { ...one, latest_charge: `${one.latest_charge}_again` }
  succeeded(await notify('payment_intent.succeeded', again, { happenedAt: now + 2 }))
  assert.equal(await paymentStatusOf(), 'paid')
  const dispute = { id: 'dp_status', charge: 'ch', payment_intent: two.id, currency: 'gbp', amount: two.amount }
  succeeded(await notify('charge.dispute.created', { ...dispute, status: 'needs_response' }, { happenedAt: now + 3 }))
  assert.equal(await paymentStatusOf(), 'failed')
  succeeded(await notify('charge.dispute.closed', { ...dispute, status: 'won' }, { happenedAt: now + 4 }))
  assert.equal(await paymentStatusOf(), 'paid')
})

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { after, beforeEach, test } from 'node:test'
import { payOpenRefunds } from '../../src/payments/refunding/pay-open-refunds.ts'
import { countRefundsDue } from '../../src/payments/refunding/refunding.store.ts'
import { addDays, isoDate, londonDate } from '../../src/platform/kernel/dates.ts'
import { pence } from '../../src/platform/kernel/money.ts'
import { rawRows } from '../support/customer-fixtures.ts'
import { openDatabases } from '../support/databases.ts'
import { rejected, succeeded } from '../support/responses.ts'
import { waitFor } from '../support/wait-for.ts'
import { createCollectingDependencies } from './reconcile.fixture.ts'
import { type Payment, startLedger } from './start-ledger.ts'

const ledger = await startLedger()
after(() => ledger.stop())
const { service, partner, processor, operator, acceptedCustomer, notify, paymentsOf } = ledger
const deps = await createCollectingDependencies(service, await openDatabases(service.connectionString))
const today = londonDate(new Date())
const run = (pounds = 1_000_000, from = isoDate('2020-01-01')) =>
  payOpenRefunds(deps, { from, dailyLimit: pence(pounds * 100), parallel: 20 }, { isStopping: () => false })
const refundsAsked = () => processor.requests.filter(({ operation }) => operation === 'POST /v1/refunds')

beforeEach(async () => {
  processor.setMode('up')
  processor.requests.length = 0
  await rawRows(service, `update payment_entries set status = 'cancelled' where kind = 'refund' and status <> 'paid'`)
  await rawRows(service, 'delete from refund_orders')
})

const refundOf = async (customerId: string) => {
  const refund = (await paymentsOf(customerId)).find(({ kind, status }) => kind === 'refund' && status !== 'cancelled')
  assert.ok(refund)
  return refund
}
const pay = ({ entryId }: Payment) => operator.post<Payment>(`/Payments/${entryId}/refund`)

/**
 * A customer who cancelled after payments were taken, by default from a card that takes refunds. With `byTransfer`, one
 * more came by bank.
 */
async function cancelled({ cards = ['pm_card_visa'], byTransfer = false } = {}) {
  const customer = await acceptedCustomer()
  const due = await paymentsOf(customer.lead)
  const payments: string[] = []
  for (const [index, card] of cards.entries()) {
    const { amount, entryId } = due[index] ?? {}
    const intent = (await processor.ask('/v1/payment_intents', {
      ...{ amount: String(amount), currency: 'gbp', customer: customer.processorCustomerId, payment_method: card },
      ...{ confirm: 'true', off_session: 'true', 'metadata[housebill_entry_id]': String(entryId) },
    })) as { id: string; created: number }
    succeeded(await notify('payment_intent.succeeded', intent, { happenedAt: intent.created }))
    payments.push(intent.id)
  }
  if (byTransfer) {
    const transfer = { status: 'paid', paymentId: `BACS-IN-${customer.lead}` }
    succeeded(await operator.post(`/Payments/${due[cards.length]?.entryId}/status`, transfer))
  }
  succeeded(await partner.post(`/Customers/${customer.lead}/cancel-contract`))
  processor.requests.length = 0
  return { ...customer, payments, due, refund: await refundOf(customer.lead) }
}

test('the operator has a refund paid: to the newest payments first, and once however often they ask', async () => {
  const { lead, refund, payments, due } = await cancelled({ cards: ['pm_card_visa', 'pm_card_visa'] })
  assert.deepEqual([refund.payBackBy, refund.payBy], [addDays(today, 14), 'card'])
  const responses = await Promise.all([pay(refund), pay(refund), pay(refund)])
  for (const response of responses) succeeded(response)
  const paid = succeeded(await pay(refund))
  assert.deepEqual([paid.status, paid.collectedAmount], ['paid', refund.amount])
  const orders = new Map(refundsAsked().map(({ idempotencyKey, form }) => [idempotencyKey, form]))
  assert.deepEqual(
    [...orders.values()].map((form) => [form.get('payment_intent'), form.get('amount')]),
    [
      [payments[1], String(due[1]?.amount)],
      [payments[0], String(due[0]?.amount)],
    ],
  )
  assert.deepEqual(
    (await paymentsOf(lead))
      .filter(({ kind }) => kind === 'plan')
      .slice(0, 2)
      .map(({ status }) => status),
    ['refunded', 'refunded'],
  )
})

test('a refund whose answer is lost is asked for again with the same key, and paid once', async () => {
  const { lead, refund } = await cancelled()
  processor.setMode('losing responses')
  assert.equal((await run()).unavailable, true)
  processor.setMode('up')
  assert.equal((await run()).outcomes.accepted, 1)
  assert.equal(new Set(refundsAsked().map(({ idempotencyKey }) => idempotencyKey)).size, 1)
  assert.equal((await refundOf(lead)).collectedAmount, refund.amount)
  await rawRows(service, 'delete from simulated_processor.idempotent_responses')
  assert.equal((await run()).asked, 0)
})

test('an order that the processor may have forgotten is looked for, and not paid again', async () => {
  const { lead, refund } = await cancelled()
  processor.setMode('losing responses')
  await run()
  processor.setMode('up')
  await rawRows(service, 'delete from simulated_processor.idempotent_responses')
  await rawRows(service, `update refund_orders set asked_at = asked_at - interval '2 days'`)
  const made = refundsAsked().length
  assert.equal((await run()).outcomes.accepted, 1)
  assert.equal(refundsAsked().length, made)
  assert.equal((await refundOf(lead)).collectedAmount, refund.amount)
})

test('the card part of a refund whose answer is lost is asked for again within the same limit, and only then the rest is to be paid by bank', async () => {
  const { lead, refund, due } = await cancelled({ byTransfer: true })
  const byCard = due[0]?.amount ?? 0
  const limit = Math.ceil(refund.amount / 100)
  assert.ok(byCard < refund.amount)
  processor.setMode('losing responses')
  assert.equal((await run(limit)).unavailable, true)
  assert.equal((await refundOf(lead)).payBy, 'card', 'nobody is to pay by bank what the processor may be paying')
  processor.setMode('up')
  const again = await run(limit)
  assert.deepEqual([again.asked, again.outcomes.accepted, again.waiting], [byCard, 1, null])
  const rest = await refundOf(lead)
  assert.deepEqual([rest.status, rest.payBy, rest.collectedAmount], ['scheduled', 'bank', byCard])
  const wired = { status: 'paid', paymentId: 'BACS-2', amount: refund.amount - byCard }
  assert.equal(succeeded(await operator.post<Payment>(`/Payments/${refund.entryId}/status`, wired)).status, 'paid')
})

test('a transfer is not reported for a refund that the processor may be paying, until it has answered', async () => {
  const { refund } = await cancelled()
  processor.setMode('losing responses')
  rejected(await pay(refund), 503, 'service_unavailable')
  for (const status of ['submitted', 'paid']) {
    const wired = { status, paymentId: 'BACS-3' }
    const response = await operator.post<Payment>(`/Payments/${refund.entryId}/status`, wired)
    rejected(response, 422, 'payment_status_not_allowed')
  }
  processor.setMode('up')
  const paid = succeeded(await pay(refund))
  assert.deepEqual([paid.status, paid.collectedAmount], ['paid', refund.amount])
})

test('what the processor did not answer is not asked for again once the refund is paid or cancelled, or while a payment is disputed', async () => {
  const { lead, refund, payments, due } = await cancelled()
  processor.setMode('losing responses')
  rejected(await pay(refund), 503, 'service_unavailable')
  processor.setMode('up')
  processor.requests.length = 0
  const setStatus = (status: string) =>
    rawRows(service, 'update payment_entries set status = $2 where entry_id = $1', [refund.entryId, status])
  await setStatus('cancelled')
  rejected(await pay(refund), 422, 'payment_status_not_allowed')
  await setStatus('paid')
  succeeded(await pay(refund))
  await setStatus('planned')
  const dispute = { id: `dp_${lead}`, payment_intent: payments[0], currency: 'gbp', amount: due[0]?.amount }
  succeeded(await notify('charge.dispute.created', { ...dispute, status: 'needs_response' }))
  rejected(await pay(refund), 422, 'payment_status_not_allowed')
  assert.equal(refundsAsked().length, 0)
})

test('nothing is paid while a payment of the contract is disputed, and the refund once the dispute is won', async () => {
  const { lead, refund, payments, due } = await cancelled()
  const dispute = { id: `dp_${lead}`, payment_intent: payments[0], currency: 'gbp', amount: due[0]?.amount }
  succeeded(await notify('charge.dispute.created', { ...dispute, status: 'needs_response' }))
  rejected(await pay(refund), 422, 'payment_status_not_allowed')
  assert.deepEqual((await run()).disputed, [refund.entryId])
  assert.equal(refundsAsked().length, 0)
  succeeded(await notify('charge.dispute.closed', { ...dispute, status: 'won' }))
  assert.equal((await run()).outcomes.accepted, 1)
})

test('what a card rejects, and what fails later, becomes "pay by bank"', async () => {
  const rejected = await cancelled()
  await processor.ask(`/v1/payment_intents/${rejected.payments[0]}/dispute`, {})
  const byBank = succeeded(await pay(rejected.refund))
  assert.deepEqual([byBank.status, byBank.payBy, byBank.collectedAmount], ['scheduled', 'bank', null])
  const failing = await cancelled()
  succeeded(await pay(failing.refund))
  const { data } = (await processor.ask(`/v1/refunds?payment_intent=${failing.payments[0]}`)) as {
    data: { id: string }[]
  }
  succeeded(await notify('refund.failed', (await processor.ask(`/v1/refunds/${data[0]?.id}/fail`, {})) as object))
  const open = await refundOf(failing.lead)
  assert.deepEqual([open.status, open.payBy, open.collectedAmount], ['scheduled', 'bank', null])
  assert.equal((await run()).asked, 0)
  const wired = { status: 'paid', paymentId: 'BACS-1' }
  assert.equal(succeeded(await operator.post<Payment>(`/Payments/${open.entryId}/status`, wired)).status, 'paid')
})

test('the job pays the earliest last day first, within its limit and from its start; what is above waits and is not passed over', async () => {
  const [first, second] = [await cancelled(), await cancelled()]
  await rawRows(service, `update payment_entries set due_on = due_on - 1 where entry_id = $1`, [second.refund.entryId])
  assert.equal((await run(1_000_000, addDays(today, 1))).asked, 0)
  const amount = second.refund.amount / 100
  const above = await run(Math.floor(amount) - 1)
  assert.deepEqual([above.asked, above.waiting], [0, { entryId: second.refund.entryId, isAboveWholeLimit: true }])
  const limited = await run(Math.ceil(amount))
  assert.deepEqual(
    [limited.asked, limited.waiting],
    [second.refund.amount, { entryId: first.refund.entryId, isAboveWholeLimit: false }],
  )
  assert.equal((await run()).asked, first.refund.amount)
})

test('while one answer is awaited other refunds are paid; a process killed then pays nothing twice and misses nothing', async () => {
  const customers = [await cancelled(), await cancelled(), await cancelled()]
  const [held = assert.fail(), ...others] = customers
  await rawRows(service, `update payment_entries set due_on = due_on - 1 where entry_id = $1`, [held.refund.entryId])
  const answer = processor.holdNext('POST /v1/refunds', 'response')
  const child = spawn(process.execPath, ['test/support/one-run-process.ts', service.connectionString, 'refunds'], {
    env: { ...process.env, ...service.environment },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  await answer.arrived
  for (const { lead } of others)
    await waitFor('the other refunds', async () => (await refundOf(lead)).status === 'paid')
  assert.equal((await refundOf(held.lead)).status, 'scheduled')
  child.kill('SIGKILL')
  await once(child, 'close')
  answer.release()
  assert.deepEqual((await run()).failures, [])
  for (const { lead, payments, refund } of customers) {
    assert.equal((await refundOf(lead)).status, 'paid')
    const { data } = (await processor.ask(`/v1/refunds?payment_intent=${payments[0]}`)) as {
      data: { amount: number }[]
    }
    assert.deepEqual(
      data.map(({ amount }) => amount),
      [refund.amount],
    )
  }
})

test('only a refund is paid back, and refunds that are due soon or overdue are counted', async () => {
  const { due, refund } = await cancelled()
  rejected(await pay(due[0] ?? refund), 422, 'payment_status_not_allowed')
  const inDays = (days: number) => new Date(deps.clock.now().getTime() + days * 86_400_000)
  const metrics = (days = 0) => countRefundsDue(deps.databases.system, inDays(days))
  assert.deepEqual(await metrics(), { overdue: 0, soon: 0 })
  await rawRows(service, 'update payment_entries set due_on = current_date + 3 where entry_id = $1', [refund.entryId])
  assert.deepEqual(await metrics(), { overdue: 0, soon: 1 })
  assert.deepEqual(await metrics(5), { overdue: 1, soon: 0 }, 'by the clock of the service')
  await rawRows(service, 'update payment_entries set due_on = current_date - 1 where entry_id = $1', [refund.entryId])
  assert.deepEqual(await metrics(), { overdue: 1, soon: 0 })
})

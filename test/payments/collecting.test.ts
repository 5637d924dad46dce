import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { after, beforeEach, test } from 'node:test'
import type { Static } from 'typebox'
import type { PaymentList } from '../../src/back-office/payments/payment.schema.ts'
import { type CollectingPolicy, collectDuePayments } from '../../src/payments/collecting/collect-due-payments.ts'
import { addDays, isoDate, laterOf, londonDate } from '../../src/platform/kernel/dates.ts'
import { pence } from '../../src/platform/kernel/money.ts'
import { rawRows, readPaymentStatusHistory } from '../support/customer-fixtures.ts'
import { openDatabases } from '../support/databases.ts'
import { finalise, startHousehold } from '../support/household.ts'
import { rejected, succeeded } from '../support/responses.ts'
import { waitFor } from '../support/wait-for.ts'
import { createCollectingDependencies } from './reconcile.fixture.ts'
import { startLedger } from './start-ledger.ts'

const ledger = await startLedger()
after(() => ledger.stop())
const { service, partner, operator, processor, acceptedCustomer, openReplacement, attachCard, replaceCard, entries } =
  ledger
const deps = await createCollectingDependencies(service, await openDatabases(service.connectionString))
const policy: CollectingPolicy = {
  ...{ mode: 'on', from: isoDate('2020-01-01'), dailyLimit: pence(1_000_000_000_000), parallel: 20 },
}
const collect = (changes: Partial<CollectingPolicy> = {}) =>
  collectDuePayments(deps, { ...policy, ...changes }, { isStopping: () => false })

const taken = () => processor.requests.filter(({ operation }) => operation === 'POST /v1/payment_intents')
beforeEach(async () => {
  processor.setMode('up')
  // Nothing of earlier tests is due.
  await rawRows(
    service,
    `update payment_entries set due_on = due_on + interval '20 years'
      where status in ('planned', 'submitted', 'failed') and due_on < '2040-01-01'`,
  )
  processor.requests.length = 0
})

/** A customer whose first payment is due today. */
async function owing(options?: Parameters<typeof acceptedCustomer>[0]) {
  const customer = await acceptedCustomer(options)
  const [first] = await entries(customer.lead)
  const entryId = String(first?.entry_id)
  await rawRows(service, 'update payment_entries set due_on = current_date where entry_id = $1', [entryId])
  processor.requests.length = 0
  return { ...customer, entryId }
}

async function entryOf(entryId: string) {
  const [entry] = await rawRows(service, 'select * from payment_entries where entry_id = $1', [entryId])
  assert.ok(entry)
  return entry
}

/** Moves the last attempt, and the day of the next one, back in time. */
async function ago(entryId: string, days: number): Promise<void> {
  await rawRows(
    service,
    `update payment_entries set attempted_at = attempted_at - make_interval(days => $2::int),
            retry_on = retry_on - $2::int where entry_id = $1`,
    [entryId, days],
  )
}

/** The payments that the processor took from the customer. */
async function paymentsAtProcessor(processorCustomerId: string): Promise<string[]> {
  const rows = await rawRows(
    service,
    `select object ->> 'status' as status from simulated_processor.payment_intents where object ->> 'customer' = $1`,
    [processorCustomerId],
  )
  return rows.map(({ status }) => String(status))
}

test('a payment that is due is taken once, and the customer and the partner learn of it', async () => {
  const { lead, entryId, amount } = await owing()
  const run = await collect()
  assert.deepEqual(
    [run.asked, run.outcomes],
    [
      { count: 1, amount },
      { paid: 1, failed: 0, pending: 0, rejected: 0, 'card missing': 0 },
    ],
  )
  const [request] = taken()
  assert.equal(request?.form.get('metadata[housebill_entry_id]'), entryId)
  assert.equal(processor.requests.length, 1, 'the card is not read again')
  assert.equal((await entryOf(entryId)).status, 'paid')
  assert.equal((await readPaymentStatusHistory(service, lead)).at(-1), 'paid')
  assert.equal((await collect()).asked.count, 0)
  assert.equal(taken().length, 1)
})

test('a notice about the same payment, before or after, changes nothing', async () => {
  const { lead, entryId, processorCustomerId } = await owing()
  await collect()
  const [payment] = await rawRows(
    service,
    `select object from simulated_processor.payment_intents where object ->> 'customer' = $1`,
    [processorCustomerId],
  )
  const intent = payment?.object as { created: number }
  succeeded(await processor.notify('payment_intent.succeeded', intent, { happenedAt: intent.created }))
  assert.equal((await entryOf(entryId)).status, 'paid')
  assert.equal((await readPaymentStatusHistory(service, lead)).filter((status) => status === 'paid').length, 1)
})

test('nothing is taken in a dry run, before the first day, beyond the daily limit, or of a contract that is not in force', async () => {
  const { entryId, amount } = await owing()
  assert.deepEqual((await collect({ mode: 'dry run' })).asked, { count: 1, amount })
  assert.equal((await collect({ from: isoDate('2039-01-01') })).asked.count, 0)
  const limited = await collect({ dailyLimit: pence(1) })
  assert.deepEqual([limited.asked.count, limited.aboveLimit], [0, [entryId]])
  assert.equal((await entryOf(entryId)).status, 'planned')
  await rawRows(service, `update payment_entries set due_on = '2040-01-01' where entry_id = $1`, [entryId])
  await owing({ tenants: 2 })
  assert.equal((await collect()).asked.count, 0)
  assert.equal(taken().length, 0)
})

/** A hold, as days from today, and whether a payment that is due today is taken today. */
const holds: readonly (readonly [string, { dueAfter?: number; until?: number; lifted?: number }, boolean])[] = [
  ['a hold that nobody lifted', {}, false],
  ['a hold until today', { until: 0 }, false],
  ['a hold of what is due after today', { dueAfter: 0 }, true],
  ['a hold of what is due after yesterday', { dueAfter: -1 }, false],
  ['a hold that ended before the payment was due', { lifted: -1 }, true],
  ['a hold that was lifted on the day', { lifted: 0 }, false],
  ['a hold whose last day was yesterday', { until: -1 }, false],
  ['a hold that was lifted after its last day', { until: -2, lifted: 0 }, true],
]

test('under a hold nothing is taken; what fell due meanwhile is taken ten days after it ended, without a fee', async () => {
  const { lead, entryId } = await owing({ card: 'pm_card_chargeCustomerFail' })
  const place = async ({ dueAfter, until, lifted }: (typeof holds)[number][1]) => {
    await rawRows(service, 'delete from collecting_holds where customer_id = $1', [lead])
    await rawRows(
      service,
      `insert into collecting_holds (partner_id, customer_id, cause, due_after, until, placed_at, lifted_at)
       select partner_id, $1, 'death', current_date + $2::int, current_date + $3::int, now(),
              now() + make_interval(days => $4::int) from customers where customer_id = $1`,
      [lead, dueAfter ?? null, until ?? null, lifted ?? null],
    )
  }
  for (const [what, hold, isTaken] of holds) {
    await place(hold)
    assert.equal((await collect({ mode: 'dry run' })).asked.count, isTaken ? 1 : 0, what)
  }
  for (const [days, isTaken] of [
    [9, false],
    [10, true],
  ] as const) {
    await rawRows(service, 'update payment_entries set due_on = current_date - $2::int where entry_id = $1', [
      entryId,
      days,
    ])
    await place({ lifted: -days })
    assert.equal((await collect({ mode: 'dry run' })).asked.count, isTaken ? 1 : 0, `${days} days after the end`)
  }
  const [, second] = await entries(lead)
  await rawRows(service, 'update payment_entries set due_on = current_date - 11 where entry_id = $1', [
    second?.entry_id,
  ])
  assert.equal((await collect()).outcomes.failed, 2)
  assert.equal((await entries(lead)).filter(({ kind }) => kind === 'fee').length, 0)
})

/** A customer with payments of these amounts that are due today, in this order. */
async function owingAmounts(amounts: readonly number[], card?: string) {
  const customer = await acceptedCustomer(card === undefined ? {} : { card })
  const found = (await entries(customer.lead)).slice(0, amounts.length).map(({ entry_id }) => String(entry_id))
  for (const [index, entryId] of found.entries())
    await rawRows(
      service,
      'update payment_entries set due_on = current_date - $3::int, amount_pence = $2 where entry_id = $1',
      [entryId, amounts[index], amounts.length - index],
    )
  await rawRows(service, 'update payment_entries set asked_on = null')
  processor.requests.length = 0
  return { ...customer, due: found }
}
const statusesOf = async (due: readonly string[]) => Promise.all(due.map(async (id) => (await entryOf(id)).status))

test('a payment above the limit of a day is named and passed over, and the others are taken up to the limit, oldest first', async () => {
  const { due } = await owingAmounts([8_000, 1_000, 4_500, 500])
  const run = await collect({ dailyLimit: pence(5_000) })
  assert.deepEqual([run.aboveLimit, run.limitReached], [[due[0]], true])
  assert.deepEqual(await statusesOf(due), ['planned', 'paid', 'planned', 'planned'])
  const again = await collect({ dailyLimit: pence(5_000) })
  assert.equal(again.asked.count, 0, 'what was asked for on this day counts in the next run')
})

test('the limit counts every request of the day, whatever came of it, and nothing that is not asked for', async () => {
  const { lead, due } = await owingAmounts([4_000, 1_000], 'pm_card_chargeCustomerFail')
  const [failing = '', next = ''] = due
  await rawRows(service, `update payment_entries set due_on = '2040-01-01' where entry_id = $1`, [next])
  assert.equal((await collect({ dailyLimit: pence(5_000) })).outcomes.failed, 1)
  await replaceCard(lead)
  await rawRows(service, `update payment_entries set due_on = current_date where entry_id = $1`, [next])
  assert.equal((await collect({ dailyLimit: pence(8_000) })).outcomes.paid, 1, 'the failed attempt and the new one')
  assert.deepEqual(await statusesOf(due), ['paid', 'planned'])
  const [{ asked_pence } = {}] = await rawRows(service, 'select asked_pence from payment_entries where entry_id = $1', [
    failing,
  ])
  assert.equal(asked_pence, '8000')
})

test('a failed payment that is not to be asked for yet takes nothing from the limit', async () => {
  const { due } = await owingAmounts([4_000, 1_000], 'pm_card_chargeCustomerFail')
  assert.equal((await collect({ dailyLimit: pence(4_000) })).outcomes.failed, 1)
  await rawRows(service, 'update payment_entries set asked_on = current_date - 1 where entry_id = $1', [due[0]])
  const run = await collect({ dailyLimit: pence(1_000) })
  assert.deepEqual([run.asked.count, run.limitReached, run.aboveLimit], [1, false, []])
})

test('while money received belongs to no payment, its customer and the payment that it names are not asked for', async () => {
  const { lead, entryId, processorCustomerId } = await owing()
  const other = await owing()
  for (const [amount, currency, id] of [
    [7, 'eur', 'eur'],
    [7, 'gbp', 'less'],
  ] as const) {
    const payment = ledger.attempt(processorCustomerId, amount, {
      currency,
      id: `pi_unmatched_${id}`,
      latest_charge: `ch_unmatched_${id}`,
      metadata: { housebill_entry_id: id === 'eur' ? other.entryId : entryId },
    })
    succeeded(await processor.notify('payment_intent.succeeded', payment))
  }
  assert.deepEqual(await statusesOf([entryId, other.entryId]), ['planned', 'planned'])
  assert.equal((await collect()).asked.count, 0)
  await rawRows(service, `update payment_reports set settlement = 'paid back' where payment_id = 'pi_unmatched_eur'`)
  assert.equal((await collect()).asked.count, 1, 'the other customer is asked again')
  await rawRows(service, `update payment_reports set settlement = 'paid back' where customer_id = $1`, [lead])
  assert.equal((await collect()).asked.count, 1)
})

async function deleteAtProcessor(processorCustomerId: string): Promise<void> {
  const deleted = await fetch(`${service.environment.STRIPE_API_BASE}/v1/customers/${processorCustomerId}`, {
    method: 'DELETE',
    headers: { authorization: `Bearer ${service.environment.STRIPE_SECRET_KEY}` },
  })
  assert.equal(deleted.status, 200)
}

test('when a customer was deleted at the processor, payments wait until the tenant gives a card, which makes the customer anew', async () => {
  const { lead, entryId, processorCustomerId } = await owing()
  await deleteAtProcessor(processorCustomerId)
  assert.equal((await collect()).outcomes['card missing'], 1)
  assert.equal((await entryOf(entryId)).status, 'planned')
  assert.equal((await collect()).asked.count, 0)
  assert.equal(succeeded(await partner.get(`/Customers/${lead}`)).paymentMethod, null)
  await replaceCard(lead)
  assert.equal((await collect()).outcomes.paid, 1)
  const [{ processor_customer_id: now } = {}] = await rawRows(
    service,
    'select processor_customer_id from customers where customer_id = $1',
    [lead],
  )
  assert.notEqual(now, processorCustomerId)
  assert.deepEqual(await paymentsAtProcessor(String(now)), ['succeeded'])
})

test('a tenant whose customer was deleted at the processor before they gave a card sets up payment as usual', async () => {
  const { lead } = await startHousehold(partner, { tenants: 1 })
  succeeded(await finalise(partner, lead))
  const first = succeeded(await partner.post(`/Customers/${lead}/create-setup-intent`))
  await deleteAtProcessor(first.processorCustomerId)
  const second = succeeded(await partner.post(`/Customers/${lead}/create-setup-intent`))
  assert.notEqual(second.setupIntentId, first.setupIntentId)
  assert.notEqual(second.processorCustomerId, first.processorCustomerId)
  succeeded(await processor.notify('setup_intent.succeeded', await processor.confirm(second.setupIntentId)))
  succeeded(await partner.post(`/Customers/${lead}/accept-terms`))
})

test('a declined payment is tried again once, after the working days that the terms promise, and then only with a new card', async () => {
  const { lead, entryId, processorCustomerId } = await owing({ card: 'pm_card_chargeCustomerFail' })
  assert.equal((await collect()).outcomes.failed, 1)
  assert.equal((await entryOf(entryId)).status, 'failed')
  assert.equal((await readPaymentStatusHistory(service, lead)).at(-1), 'failed')
  const [listed] = succeeded(
    await operator.get<Static<typeof PaymentList>>(`/Payments?customerId=${lead}&status=failed`),
  ).data
  assert.deepEqual([listed?.failureReason, listed?.attempts], ['card_declined', 1])
  const wait = Date.parse(listed?.nextAttemptDate ?? '') - Date.now()
  assert.ok(wait > 4 * 86_400_000 && wait < 14 * 86_400_000, 'five working days from today')
  assert.equal((await collect()).asked.count, 0)
  await ago(entryId, 4)
  assert.equal((await collect()).asked.count, 0, 'five working days are not over')
  await ago(entryId, 10)
  assert.equal((await collect()).outcomes.failed, 1)
  await ago(entryId, 30)
  assert.equal((await collect()).asked.count, 0)
  await replaceCard(lead)
  assert.equal((await collect()).outcomes.paid, 1)
  assert.deepEqual((await paymentsAtProcessor(processorCustomerId)).sort(), [
    'requires_payment_method',
    'requires_payment_method',
    'succeeded',
  ])
})

test('an attempt for which the processor had no card does not use up the one retry that the terms promise', async () => {
  const { lead, entryId, processorCustomerId } = await owing()
  await deleteAtProcessor(processorCustomerId)
  assert.equal((await collect()).outcomes['card missing'], 1)
  await replaceCard(lead, 'pm_card_chargeCustomerFail')
  assert.equal((await collect()).outcomes.failed, 1)
  assert.equal((await collect()).asked.count, 0)
  await ago(entryId, 20)
  assert.equal((await collect()).outcomes.failed, 1, 'the first decline is tried again')
  await ago(entryId, 20)
  assert.equal((await collect()).asked.count, 0)
})

test('a payment that failed while the tenant was entering another card is tried again once that card is attached', async () => {
  const { lead, entryId } = await owing({ card: 'pm_card_chargeCustomerFail' })
  const replacement = await openReplacement(lead)
  assert.equal((await collect()).outcomes.failed, 1)
  assert.equal((await collect()).asked.count, 0)
  await attachCard(replacement, 'pm_card_visa')
  assert.equal((await collect()).outcomes.paid, 1)
  assert.equal((await entryOf(entryId)).status, 'paid')
})

test('a payment that the bank wants confirmed is never tried again without a new card', async () => {
  const { lead, entryId } = await owing({ card: 'pm_card_authenticationRequired' })
  assert.equal((await collect()).outcomes.failed, 1)
  const { lastPaymentError } = succeeded(await partner.get(`/Customers/${lead}`))
  assert.equal(lastPaymentError?.code, 'authentication_required')
  await ago(entryId, 60)
  assert.equal((await collect()).asked.count, 0)
  await replaceCard(lead)
  assert.equal((await collect()).outcomes.paid, 1)
})

test('the failed payments that the terms leave free cost nothing; each further one adds one fee, which is announced', async () => {
  const { lead, entryId } = await owing({ card: 'pm_card_chargeCustomerFail' })
  const fees = async () => (await entries(lead)).filter(({ kind }) => kind === 'fee')
  await collect()
  await ago(entryId, 20)
  await collect()
  assert.deepEqual(await fees(), [], 'the first failed payment is free, however often it is tried')
  const [, second] = (await entries(lead)).filter(({ kind }) => kind !== 'fee')
  await rawRows(service, 'update payment_entries set due_on = current_date - 1 where entry_id = $1', [second?.entry_id])
  await collect()
  await ago(String(second?.entry_id), 20)
  await collect()
  const [fee, ...others] = await fees()
  assert.deepEqual([fee?.amount_pence, fee?.status, fee?.fee_for, others], ['500', 'planned', second?.entry_id, []])
  const [{ days } = {}] = await rawRows(
    service,
    'select due_on - current_date as days from payment_entries where entry_id = $1',
    [fee?.entry_id],
  )
  assert.ok(Number(days) >= 10)
  await replaceCard(lead, 'pm_card_chargeCustomerFail')
  assert.equal((await collect()).outcomes.failed, 2)
  assert.equal((await fees()).length, 1, 'the free one stays free when it is tried again after others have failed')
  const { payments } = succeeded(await partner.get(`/Customers/${lead}/payment-schedules`)).paymentSchedule
  assert.ok(payments.some(({ description, amount }) => description === 'Fee for a failed payment' && amount === 500))
})

test('a last payment that takes the place of a failed one is asked for ten days ahead, and fails for the same debt', async () => {
  const { lead, entryId } = await owing({ card: 'pm_card_chargeCustomerFail' })
  await rawRows(service, 'update payment_entries set due_on = current_date - 5 where entry_id = $1', [entryId])
  await collect()
  const { contract } = succeeded(await partner.get(`/Customers/${lead}`))
  const startsOn = isoDate(contract?.startsOn ?? '')
  const endDate = [addDays(startsOn, 2), addDays(londonDate(new Date()), 30)].reduce(laterOf)
  const { lastPayment } = succeeded(await partner.post(`/Customers/${lead}/end-contract`, { endDate })).finalStatement
  const last = (await entries(lead)).find(({ kind }) => kind === 'final')
  assert.deepEqual([last?.continues, last?.status, (await entryOf(entryId)).status], [entryId, 'planned', 'cancelled'])
  assert.ok((lastPayment?.date ?? '') >= addDays(londonDate(new Date()), 10))
  assert.equal((await collect()).asked.count, 0)
  await rawRows(
    service,
    `update payment_entries set due_on = current_date
      where customer_id = $1 and kind in ('final', 'exit_fee') and status = 'planned'`,
    [lead],
  )
  assert.equal((await collect()).outcomes.failed, 2)
  assert.deepEqual(
    (await entries(lead)).filter(({ kind }) => kind === 'fee'),
    [],
    'the first failed debt is free, whichever payment asks for it, and so is an exit fee',
  )
})

test('a fee that is planned can be given up, and is then not asked for', async () => {
  const { lead, entryId } = await owing()
  await rawRows(service, `update payment_entries set kind = 'fee' where entry_id = $1`, [entryId])
  const lateFees = async () =>
    succeeded(await partner.post(`/Customers/${lead}/cancel-contract?dryRun=true`)).finalStatement.lateFeeAmount
  assert.equal(await lateFees(), Number((await entryOf(entryId)).amount_pence))
  const path = `/Payments/${entryId}/status`
  assert.equal(succeeded(await operator.post<{ status: string }>(path, { status: 'waived' })).status, 'waived')
  assert.equal(await lateFees(), 0)
  assert.equal((await collect()).asked.count, 0)
  const [, next] = await entries(lead)
  rejected(
    await operator.post(`/Payments/${next?.entry_id}/status`, { status: 'waived' }),
    422,
    'payment_status_not_allowed',
  )
})

test('a fee that was paid counts neither as a payment for supply nor as something to pay back', async () => {
  const { lead, entryId } = await owing()
  await rawRows(
    service,
    `update payment_entries set kind = 'fee', status = 'paid', collected_pence = amount_pence, collected_at = now()
     where entry_id = $1`,
    [entryId],
  )
  const { contract } = succeeded(await partner.get(`/Customers/${lead}`))
  const endDate = addDays(isoDate(contract?.startsOn ?? ''), 120)
  const ended = succeeded(await partner.post(`/Customers/${lead}/end-contract`, { endDate }))
  assert.deepEqual([ended.finalStatement.alreadyPaid, ended.finalStatement.refundAmount], [0, 0])
})

test('a payment whose answer is lost is asked for again with the same key, and taken once', async () => {
  const { entryId, processorCustomerId } = await owing()
  processor.setMode('losing responses')
  assert.equal((await collect()).unavailable, true)
  assert.equal((await entryOf(entryId)).status, 'submitted')
  processor.setMode('up')
  assert.equal((await collect()).outcomes.paid, 1)
  assert.deepEqual(await paymentsAtProcessor(processorCustomerId), ['succeeded'])
  assert.equal(new Set(taken().map(({ idempotencyKey }) => idempotencyKey)).size, 1)
})

test('a repeated attempt charges the card that it began with, and a card that was not read yet is read first', async () => {
  const [repeated, unread] = [await owing(), await owing()]
  await rawRows(service, 'update payment_entries set due_on = due_on - 1 where entry_id = $1', [repeated.entryId])
  await rawRows(service, 'update setup_intents set payment_method_id = null where customer_id = $1', [unread.lead])
  const cards = () => taken().map(({ form }) => [form.get('customer'), form.get('payment_method')])
  processor.setMode('losing responses')
  assert.equal((await collect({ parallel: 1 })).unavailable, true)
  const [first] = cards()
  processor.setMode('up')
  await replaceCard(repeated.lead)
  processor.requests.length = 0
  assert.equal((await collect({ parallel: 1 })).outcomes.paid, 2)
  assert.deepEqual(cards()[0], first)
  const read = processor.requests.filter(({ operation }) => operation.startsWith('GET /v1/setup_intents/'))
  assert.equal(read.length, 1, 'only the one that was not read yet')
})

test('an attempt that the processor may have forgotten is looked for, and not taken again', async () => {
  const { entryId, processorCustomerId } = await owing()
  const answer = processor.holdNext('POST /v1/payment_intents', 'response')
  const running = collect()
  await answer.arrived
  await rawRows(service, 'delete from simulated_processor.idempotent_responses')
  processor.setMode('losing responses')
  answer.release()
  assert.equal((await running).unavailable, true)
  processor.setMode('up')
  await rawRows(service, 'delete from simulated_processor.idempotent_responses')
  await ago(entryId, 2)
  const before = await paymentsAtProcessor(processorCustomerId)
  assert.equal((await collect()).outcomes.paid, 1)
  assert.deepEqual(await paymentsAtProcessor(processorCustomerId), before)
})

test('while one answer is awaited others are taken; a process killed then takes nothing twice and misses nothing', async () => {
  const customers = [await owing(), await owing(), await owing(), await owing()]
  const [held = assert.fail(), ...others] = customers
  // The first waits until the two beside it have been replaced by the last one.
  await rawRows(service, 'update payment_entries set due_on = due_on - 1 where entry_id = $1', [held.entryId])
  const answer = processor.holdNext('POST /v1/payment_intents', 'response')
  const child = spawn(process.execPath, ['test/support/one-run-process.ts', service.connectionString, 'payments'], {
    env: { ...process.env, ...service.environment },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  await answer.arrived
  const statuses = () => statusesOf(customers.map(({ entryId }) => entryId))
  await waitFor('the others', async () => (await statuses()).slice(1).every((status) => status === 'paid'))
  child.kill('SIGKILL')
  await once(child, 'close')
  answer.release()
  assert.deepEqual(await paymentsAtProcessor(held.processorCustomerId), ['succeeded'])
  // The processor's notice may tell of it before the next run does.
  assert.deepEqual((await collect()).failures, [])
  for (const { processorCustomerId } of [held, ...others])
    assert.deepEqual(await paymentsAtProcessor(processorCustomerId), ['succeeded'])
  assert.deepEqual(
    await statuses(),
    customers.map(() => 'paid'),
  )
})

test('a payment that the processor refuses to try fails with its reason, and stops no other', async () => {
  const rejected = await owing()
  const other = await acceptedCustomer()
  await rawRows(service, 'update payment_entries set amount_pence = 2000000000 where entry_id = $1', [rejected.entryId])
  const [first] = await entries(other.lead)
  await rawRows(service, 'update payment_entries set due_on = current_date where entry_id = $1', [first?.entry_id])
  const run = await collect()
  assert.deepEqual([run.outcomes.rejected, run.outcomes.paid], [1, 1])
  assert.deepEqual(
    run.rejected.map(({ entryId }) => entryId),
    [rejected.entryId],
  )
  assert.equal((await entryOf(rejected.entryId)).status, 'failed')
  assert.equal((await collect()).asked.count, 0)
})

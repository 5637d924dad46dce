import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Static } from 'typebox'
import { readReferenceData } from '../../src/app/reference-data.ts'
import type { PaymentWithReports, UnmatchedList } from '../../src/back-office/payments/payment.schema.ts'
import type { TaskList } from '../../src/back-office/tasks/list-tasks.route.ts'
import type { EndedContractObject } from '../../src/contracts/ended-contract.schema.ts'
import { reconcileCollections } from '../../src/payments/reconcile-collections.ts'
import { addDays, londonDate } from '../../src/platform/kernel/dates.ts'
import { nextWorkingDay } from '../../src/platform/kernel/working-days.ts'
import { rawRows, readPaymentStatusHistory } from '../support/customer-fixtures.ts'
import { openDatabases } from '../support/databases.ts'
import { invalidFields, rejected, succeeded } from '../support/responses.ts'
import { createReconcileDependencies } from './reconcile.fixture.ts'
import { type Payment, startLedger } from './start-ledger.ts'

const ledger = await startLedger()
after(() => ledger.stop())
const { service, partner, operator, processor, acceptedCustomer, paymentsOf } = ledger
const deps = await createReconcileDependencies(service, await openDatabases(service.connectionString))
const today = londonDate(new Date())

/** Reads what happened at the processor, as the job does. */
const sweep = () => reconcileCollections(deps, { isStopping: () => false })
const ask = async (path: string, form: Record<string, string> = {}) =>
  (await processor.ask(path, form)) as { id: string }
const decide = (dispute: { id: string }, evidence: string) =>
  ask(`/v1/disputes/${dispute.id}`, { 'evidence[uncategorized_text]': evidence })

const find = async ({ entryId }: Payment) =>
  succeeded(await operator.get<Static<typeof PaymentWithReports>>(`/Payments/${entryId}`))
const report = ({ entryId }: Payment, body: object) => operator.post<Payment>(`/Payments/${entryId}/status`, body)
const correct = ({ entryId }: Payment, body: object) => operator.post<Payment>(`/Payments/${entryId}/corrections`, body)
const putBack = ({ entryId }: Payment, body: object) => operator.post<Payment>(`/Payments/${entryId}/put-back`, body)
const tooMuch = async (customerId: string) =>
  succeeded(await operator.get<Static<typeof UnmatchedList>>('/Payments/unmatched?limit=500')).data.filter(
    (each) => each.customerId === customerId,
  )

/** A customer whose first payment was taken from their card. */
async function paid() {
  const customer = await acceptedCustomer()
  const [first] = await paymentsOf(customer.lead)
  assert.ok(first)
  const { id } = await ask('/v1/payment_intents', {
    amount: String(first.amount),
    currency: 'gbp',
    customer: customer.processorCustomerId,
    payment_method: 'pm_card_visa',
    confirm: 'true',
    off_session: 'true',
    'metadata[housebill_entry_id]': first.entryId,
  })
  await sweep()
  return { ...customer, first, payment: id }
}

async function cancelled() {
  const customer = await paid()
  succeeded(await partner.post(`/Customers/${customer.lead}/cancel-contract`))
  return { ...customer, refund: await refundOf(customer.lead) }
}

async function refundOf(customerId: string): Promise<Payment> {
  const [refund] = (await paymentsOf(customerId, '&kind=refund')).filter(({ status }) => status !== 'cancelled')
  assert.ok(refund)
  return refund
}

const finalStatement = async (customerId: string) => {
  const path: string = `/Customers/${customerId}/end-contract?dryRun=true`
  const ended = succeeded(await partner.post(path, { endDate: addDays(today, 250) })) as Static<
    typeof EndedContractObject
  >
  const { totalCost, alreadyPaid, waivedAmount, owedAgainAmount, amountDue, refundAmount } = ended.finalStatement
  assert.equal(alreadyPaid + waivedAmount + owedAgainAmount + amountDue - refundAmount, totalCost)
  return ended.finalStatement
}

test('an inquiry moves nothing; once the bank takes the money the payment is disputed, and once it gives it back it is paid', async () => {
  const { lead, first, payment } = await paid()
  const history = await readPaymentStatusHistory(service, lead)
  const inquiry = await ask(`/v1/payment_intents/${payment}/dispute`, { inquiry: 'true' })
  await sweep()
  assert.equal((await find(first)).payment.status, 'paid')
  assert.deepEqual(await readPaymentStatusHistory(service, lead), history)
  await decide(inquiry, 'escalate_inquiry_evidence')
  await sweep()
  assert.equal((await find(first)).payment.status, 'disputed')
  assert.equal((await ledger.schedule(lead)).payments[0]?.status, 'disputed')
  await decide(inquiry, 'winning_evidence')
  await sweep()
  const { payment: won, reports } = await find(first)
  assert.deepEqual([won.status, won.owedAgainAmount], ['paid', 0])
  assert.deepEqual([...new Set(reports.map(({ outcome }) => outcome))], ['paid', 'disputed', 'dispute_won'])
  assert.equal((await finalStatement(lead)).alreadyPaid, first.amount)
})

test('what a lost dispute takes is owed again, but nothing asks for it until the operator puts it back at least ten days ahead', async () => {
  const { lead, first, payment } = await paid()
  const before = await finalStatement(lead)
  const dispute = await ask(`/v1/payment_intents/${payment}/dispute`)
  await sweep()
  assert.deepEqual(await finalStatement(lead), before)
  rejected(await putBack(first, { dueDate: addDays(today, 10) }), 422, 'payment_status_not_allowed')
  await decide(dispute, 'losing_evidence')
  await sweep()
  const lost = (await find(first)).payment
  assert.deepEqual([lost.status, lost.owedAgainAmount], ['disputed', first.amount])
  assert.deepEqual(
    (await paymentsOf(lead, '&owedAgain=true')).map(({ entryId }) => entryId),
    [first.entryId],
  )
  const statement = await finalStatement(lead)
  assert.deepEqual(
    [statement.alreadyPaid, statement.amountDue, statement.owedAgainAmount],
    [0, before.amountDue, first.amount],
    'the final statement does not ask for it',
  )
  const early = await putBack(first, { dueDate: addDays(today, 9) })
  assert.deepEqual(invalidFields(rejected(early, 422, 'validation_failed')), [['/dueDate', 'out_of_range']])
  const part = succeeded(await putBack(first, { dueDate: addDays(today, 10), amount: 100 }))
  const { bankHolidays } = await readReferenceData()
  const dueDate = nextWorkingDay(addDays(today, 10), 'england-and-wales', bankHolidays)
  assert.deepEqual([part.status, part.amount, part.againFor, part.dueDate], ['scheduled', 100, first.entryId, dueDate])
  const told = await rawRows(service, 'select kind from tenant_mails where customer_id = $1 order by created_at', [
    lead,
  ])
  assert.equal(told.at(-1)?.kind, 'payment_put_back')
  succeeded(await putBack(first, { dueDate: addDays(today, 12) }))
  rejected(await putBack(first, { dueDate: addDays(today, 12) }), 422, 'payment_status_not_allowed')
  const after = (await find(first)).payment
  assert.deepEqual([after.status, after.owedAgainAmount], ['reopened', 0])
  assert.equal((await finalStatement(lead)).amountDue, before.amountDue + first.amount)
})

test('a refund that fails later counts no longer, and a second refund of the same amount is another one', async () => {
  const { lead, first, payment } = await paid()
  const refund = await ask('/v1/refunds', { payment_intent: payment, amount: '100' })
  await sweep()
  assert.equal((await find(first)).payment.refundedAmount, 100)
  await ask(`/v1/refunds/${refund.id}/fail`)
  await sweep()
  assert.equal((await find(first)).payment.refundedAmount, 0)
  await ask('/v1/refunds', { payment_intent: payment, amount: '100' })
  await sweep()
  assert.equal((await find(first)).payment.refundedAmount, 100)
  await ask('/v1/refunds', { payment_intent: payment, amount: '50' })
  await sweep()
  assert.equal((await find(first)).payment.refundedAmount, 150)
  assert.deepEqual((await readPaymentStatusHistory(service, lead)).slice(2), Array(5).fill('paid'))
})

test('a planned refund is paid in parts, by card and by bank, and stays open for the rest', async () => {
  const { lead, first, payment, refund } = await cancelled()
  assert.deepEqual([refund.amount, refund.payBackBy], [first.amount, addDays(today, 14)])
  const more = await report(refund, { status: 'paid', paymentId: 'bank-1', amount: refund.amount + 1 })
  assert.deepEqual(invalidFields(rejected(more, 422, 'validation_failed')), [['/amount', 'out_of_range']])
  const penny = succeeded(await report(refund, { status: 'paid', paymentId: 'bank-1', amount: 1 }))
  assert.deepEqual([penny.status, penny.collectedAmount], ['scheduled', 1])
  succeeded(await report(refund, { status: 'paid', paymentId: 'bank-1', amount: 1 }))
  const other = await report(refund, { status: 'paid', paymentId: 'bank-1', amount: 2 })
  assert.deepEqual(invalidFields(rejected(other, 422, 'validation_failed')), [['/paymentId', 'not_allowed']])
  const card = await ask('/v1/refunds', { payment_intent: payment, amount: '1000' })
  await sweep()
  assert.equal((await refundOf(lead)).collectedAmount, 1_001)
  const schedule = await ledger.schedule(lead)
  assert.equal(schedule.refund?.amount, first.amount - 1_001)
  const file = (await operator.get('/Payments/export?format=ndjson')).text
  const line = file.split('\n').find((each) => each.includes(refund.entryId)) ?? '{}'
  assert.equal((JSON.parse(line) as { amount: number }).amount, first.amount - 1_001)
  await ask(`/v1/refunds/${card.id}/fail`)
  await sweep()
  assert.equal((await refundOf(lead)).collectedAmount, 1)
  const whole = succeeded(await report(refund, { status: 'paid', paymentId: 'bank-2' }))
  assert.deepEqual([whole.status, whole.collectedAmount], ['paid', first.amount])
  assert.equal((await find(first)).payment.status, 'refunded')
  assert.deepEqual(await tooMuch(lead), [])
})

test('money that is paid back twice is listed by what it exceeds, and asks nobody for anything', async () => {
  const { lead, first, payment, refund } = await cancelled()
  succeeded(await report(refund, { status: 'paid', paymentId: 'bank-1' }))
  const card = await ask('/v1/refunds', { payment_intent: payment })
  await sweep()
  assert.equal((await find(first)).payment.refundedAmount, first.amount)
  const [found, ...others] = await tooMuch(lead)
  assert.deepEqual([found?.reportId, found?.exceedsBy, others], [card.id, first.amount, []])
  const settle = (body: object) => operator.post(`/Payments/unmatched/${card.id}/settle`, body)
  rejected(await settle({ entryId: first.entryId }), 422, 'payment_status_not_allowed')
  await ask(`/v1/refunds/${card.id}/fail`)
  await sweep()
  assert.deepEqual(await tooMuch(lead), [])
})

test('a total above the payment is clamped and listed, and no final statement asks for what nobody ordered', async () => {
  const { lead, first, payment } = await paid()
  const before = await finalStatement(lead)
  const charge = { id: 'ch_above', payment_intent: payment, currency: 'gbp', amount_refunded: first.amount + 700 }
  succeeded(await ledger.notify('charge.refunded', charge))
  const { status, refundedAmount } = (await find(first)).payment
  assert.deepEqual([status, refundedAmount], ['refunded', first.amount])
  assert.deepEqual(
    (await tooMuch(lead)).map(({ exceedsBy }) => exceedsBy),
    [700],
  )
  const statement = await finalStatement(lead)
  assert.deepEqual([statement.alreadyPaid, statement.amountDue], [0, before.amountDue])
})

test('a correction names the report that it corrects and why; what is owed again waits, and can be reported anew', async () => {
  const { lead } = await acceptedCustomer()
  const [first] = await paymentsOf(lead)
  assert.ok(first)
  const before = await finalStatement(lead)
  succeeded(await report(first, { status: 'paid', paymentId: 'BACS-18' }))
  const [wrong] = (await find(first)).reports
  const body = { reportId: wrong?.reportId, reason: 'it was another tenant of this name' }
  for (const _ of ['first', 'repeated']) {
    const corrected: Payment = succeeded(await correct(first, body))
    assert.deepEqual(
      [corrected.status, corrected.collectedAmount, corrected.owedAgainAmount],
      ['reopened', 0, first.amount],
    )
  }
  const { reports } = await find(first)
  assert.deepEqual(
    reports.map(({ outcome, corrects, reason, correctedBy }) => [outcome, corrects, reason, correctedBy]),
    [
      ['paid', null, null, reports[1]?.reportId],
      ['withdrawn', wrong?.reportId, body.reason, null],
    ],
  )
  assert.equal(
    (await finalStatement(lead)).amountDue,
    before.amountDue - first.amount,
    'no final statement asks for it',
  )
  assert.equal(succeeded(await report(first, { status: 'paid', paymentId: 'BACS-19' })).status, 'paid')
})

test('a report of the processor, of nothing, or of another payment cannot be corrected', async () => {
  const { first } = await paid()
  const [notice] = (await find(first)).reports
  for (const reportId of [notice?.reportId, 'operator:none'])
    assert.deepEqual(
      invalidFields(rejected(await correct(first, { reportId, reason: 'wrong' }), 422, 'validation_failed')),
      [['/reportId', 'not_allowed']],
    )
})

test('after a cancellation, a lost dispute takes the refund away, a won one leaves it, and a corrected transfer opens it again', async () => {
  const lost = await cancelled()
  const dispute = await ask(`/v1/payment_intents/${lost.payment}/dispute`)
  await sweep()
  assert.equal((await refundOf(lost.lead)).amount, lost.first.amount)
  await decide(dispute, 'losing_evidence')
  await sweep()
  assert.deepEqual(
    (await paymentsOf(lost.lead, '&kind=refund')).map(({ status }) => status),
    ['cancelled'],
  )
  assert.equal((await find(lost.first)).payment.owedAgainAmount, 0, 'nothing was owed, so nothing is owed again')
  const won = await cancelled()
  const inDispute = await ask(`/v1/payment_intents/${won.payment}/dispute`)
  await sweep()
  await decide(inDispute, 'winning_evidence')
  await sweep()
  assert.deepEqual(await refundOf(won.lead), won.refund)
  succeeded(await report(won.refund, { status: 'paid', paymentId: 'bank-9' }))
  const [transfer] = (await find(won.refund)).reports
  succeeded(await correct(won.refund, { reportId: transfer?.reportId, reason: 'it went to another account' }))
  assert.deepEqual(await refundOf(won.lead), { ...won.refund, paymentId: null })
})

test('a dispute that the tenant wins before the contract is cancelled is no refund; one that the operator wins afterwards is', async () => {
  const { lead, first, payment } = await paid()
  const dispute = await ask(`/v1/payment_intents/${payment}/dispute`)
  await decide(dispute, 'losing_evidence')
  await sweep()
  succeeded(await partner.post(`/Customers/${lead}/cancel-contract`))
  assert.deepEqual(await paymentsOf(lead, '&kind=refund'), [])
  succeeded(
    await ledger.notify('charge.dispute.funds_reinstated', {
      ...{ id: dispute.id, payment_intent: payment, currency: 'gbp', amount: first.amount, status: 'won' },
    }),
  )
  const refund = await refundOf(lead)
  assert.deepEqual([refund.amount, refund.payBackBy], [first.amount, addDays(today, 14)])
})

/** What is paid, planned and owed again of the price, less what is to be paid back. */
async function totalOf(customerId: string): Promise<number> {
  const payments = await paymentsOf(customerId)
  const amounts = payments.map(({ kind, status, amount, collectedAmount, refundedAmount, owedAgainAmount }) => {
    const isOpen = ['scheduled', 'submitted', 'failed'].includes(status)
    if (kind === 'refund') return isOpen ? (collectedAmount ?? 0) - amount : 0
    const held = status === 'disputed' ? 0 : (collectedAmount ?? 0) - refundedAmount
    return (isOpen ? amount : status === 'reopened' ? 0 : held) + owedAgainAmount
  })
  return amounts.reduce((sum, amount) => sum + amount, 0)
}

/** A customer whose first payment was taken and lost in a dispute. Returns what puts it back, and the bank's decisions. */
async function lostPayment() {
  const customer = await paid()
  const { lead, first, payment } = customer
  const dispute = await ask(`/v1/payment_intents/${payment}/dispute`)
  await decide(dispute, 'losing_evidence')
  await sweep()
  const about = { id: dispute.id, payment_intent: payment, currency: 'gbp', amount: first.amount }
  let second = Math.floor(Date.now() / 1_000)
  return {
    ...customer,
    again: async (amount?: number) => succeeded(await putBack(first, { dueDate: addDays(today, 10), amount })),
    /** The bank decides on an appeal, or considers one. */
    async appeal(status: string, type = 'charge.dispute.closed') {
      second += 1
      succeeded(await ledger.notify(type, { ...about, status }, { happenedAt: second }))
    },
    total: () => totalOf(lead),
    owed: customer.planned.payments.reduce((sum, { amount }) => sum + amount, 0),
  }
}

for (const [state, makeSo, expected] of [
  ['scheduled', undefined, 'cancelled'],
  ['submitted', 'submitted', 'cancelled'],
  ['paid', 'paid', 'paid'],
] as const)
  test(`when a lost dispute is won after all, what was put back and is ${state} is ${expected}, and nothing is taken twice`, async () => {
    const { lead, first, again, appeal, total, owed } = await lostPayment()
    const added = await again()
    if (makeSo !== undefined) succeeded(await report(added, { status: makeSo, paymentId: 'pi_again' }))
    await appeal('won')
    assert.deepEqual([(await find(first)).payment.status, (await find(added)).payment.status], ['paid', expected])
    assert.equal(await total(), owed)
    if (state === 'scheduled') return assert.deepEqual(await paymentsOf(lead, '&kind=refund'), [])
    // What the processor took before it heard of the cancellation is paid back too.
    if (state === 'submitted') succeeded(await report(added, { status: 'paid', paymentId: 'pi_again' }))
    const refund = await refundOf(lead)
    assert.deepEqual(
      [refund.amount, refund.payBackBy, refund.refundKind, refund.refundOf],
      [first.amount, addDays(today, 14), 'payment_back', added.entryId],
    )
    const { data } = succeeded(await operator.get<Static<typeof TaskList>>('/Tasks?kind=refund_due&limit=500'))
    assert.ok(data.some(({ entryId }) => entryId === refund.entryId))
    assert.equal(await total(), owed)
    await appeal('lost')
    assert.deepEqual((await find(added)).payment.status, 'paid')
    assert.deepEqual(
      (await paymentsOf(lead, '&kind=refund')).map(({ status }) => status),
      ['cancelled'],
    )
    assert.equal(await total(), owed)
  })

test('a part that was put back is lessened when the cause becomes less, and a planned one can be waived', async () => {
  const { first, again, appeal, total, owed } = await lostPayment()
  const [part, rest] = [await again(100), await again()]
  assert.equal(succeeded(await report(part, { status: 'waived' })).status, 'waived')
  assert.equal(await total(), owed - 100)
  await appeal('won')
  assert.deepEqual([(await find(rest)).payment.status, (await find(first)).payment.status], ['cancelled', 'paid'])
  assert.equal(await total(), owed)
})

for (const when of ['before', 'after'] as const)
  test(`what was paid ${when} an agreement lapsed is paid back`, async () => {
    const { lead } = await acceptedCustomer({ tenants: 2 })
    const { quoteId } = succeeded(await partner.get(`/Customers/${lead}`))
    const [row] = await ledger.entries(lead)
    const [entry, paymentId] = [{ entryId: String(row?.entry_id) } as Payment, 'pi_early']
    const pay = async () => succeeded(await report(entry, { status: 'paid', paymentId }))
    succeeded(await report(entry, { status: 'submitted', paymentId }))
    if (when === 'before') await pay()
    succeeded(await partner.post(`/Quotes/${quoteId}/cancel`))
    if (when === 'after') await pay()
    const refund = await refundOf(lead)
    assert.deepEqual([refund.amount, refund.payBackBy], [Number(row?.amount_pence), addDays(today, 14)])
    assert.equal(await totalOf(lead), 0)
  })

for (const [by, path, body, which] of [
  ['operator', 'end-contract', { endDate: addDays(today, 250) }, 'plan'],
  ['processor', 'cancel-contract', undefined, 'plan'],
  ['processor', 'cancel-contract', undefined, 'final'],
] as const)
  test(`a ${which} payment that was submitted before ${path} and is taken afterwards, by the ${by}, is paid back`, async () => {
    const { lead, processorCustomerId } = await acceptedCustomer()
    if (which === 'final')
      succeeded(await partner.post(`/Customers/${lead}/end-contract`, { endDate: addDays(today, 250) }))
    const submitted = (await paymentsOf(lead, `&kind=${which}`)).findLast(({ status }) => status === 'scheduled')
    assert.ok(submitted)
    const paymentId = `pi_${submitted.entryId}`
    succeeded(await report(submitted, { status: 'submitted', paymentId }))
    const ended = succeeded(await partner.post(`/Customers/${lead}/${path}`, body)) as Static<
      typeof EndedContractObject
    >
    assert.equal((await find(submitted)).payment.status, 'cancelled')
    if (by === 'operator') succeeded(await report(submitted, { status: 'paid', paymentId }))
    else {
      const metadata = { housebill_entry_id: submitted.entryId }
      const taken = ledger.attempt(processorCustomerId, submitted.amount, { id: `${paymentId}_card`, metadata })
      succeeded(await ledger.notify('payment_intent.succeeded', taken))
    }
    assert.deepEqual(await tooMuch(lead), [])
    const refund = await refundOf(lead)
    assert.deepEqual(
      [refund.amount, refund.payBackBy, refund.refundKind],
      [submitted.amount, addDays(today, 14), 'payment_back'],
    )
    assert.equal(await totalOf(lead), ended.finalStatement.totalCost)
  })

test('a payment that was corrected, put back and turns up after all takes what was put back away', async () => {
  const { lead } = await acceptedCustomer()
  const [first] = await paymentsOf(lead)
  assert.ok(first)
  succeeded(await report(first, { status: 'paid', paymentId: 'BACS-18' }))
  const [wrong] = (await find(first)).reports
  succeeded(await correct(first, { reportId: wrong?.reportId, reason: 'it was another tenant of this name' }))
  const added = succeeded(await putBack(first, { dueDate: addDays(today, 10) }))
  succeeded(await report(first, { status: 'paid', paymentId: 'BACS-19' }))
  assert.deepEqual([(await find(first)).payment.status, (await find(added)).payment.status], ['paid', 'cancelled'])
})

test('the latest decision about a dispute counts, and the status decides, not that funds were reinstated', async () => {
  const { first, appeal } = await lostPayment()
  const stateOf = async () => {
    const { status, owedAgainAmount } = (await find(first)).payment
    return [status, owedAgainAmount]
  }
  const lost = ['disputed', first.amount]
  await appeal('lost', 'charge.dispute.funds_reinstated')
  assert.deepEqual(await stateOf(), lost, 'funds of a lost dispute are reinstated for what was refunded')
  await appeal('under_review', 'charge.dispute.funds_reinstated')
  assert.deepEqual(await stateOf(), ['disputed', 0], 'an appeal is not decided')
  await appeal('lost')
  assert.deepEqual(await stateOf(), lost)
  await appeal('won')
  assert.deepEqual(await stateOf(), ['paid', 0])
  await appeal('prevented', 'charge.dispute.funds_withdrawn')
  assert.deepEqual(await stateOf(), lost)
  succeeded(await report(first, { status: 'dispute_won', occurredAt: new Date(Date.now() + 60_000).toISOString() }))
  assert.deepEqual(await stateOf(), ['paid', 0])
})

test('an exit fee is a payment of its own, which can be waived alone, and a later settlement does not count that', async () => {
  const { lead } = await acceptedCustomer()
  const ended = succeeded(
    await partner.post(`/Customers/${lead}/end-contract`, { endDate: addDays(today, 250) }),
  ) as Static<typeof EndedContractObject>
  const { totalCost, exitFee, exitFeePayment } = ended.finalStatement
  const [fee] = await paymentsOf(lead, '&kind=exit_fee')
  assert.ok(fee)
  assert.deepEqual([fee.amount, fee.dueDate, fee.description], [exitFee, exitFeePayment?.date, 'Exit fee'])
  assert.equal(await totalOf(lead), totalCost)
  const kinds = async () => new Set((await ledger.schedule(lead)).payments.map(({ kind }) => kind))
  assert.deepEqual(await kinds(), new Set(['first', 'monthly', 'last', 'fee']))
  const replaced = async () => {
    const joiner = { name: 'Robin Example9', email: 'robin9@example.com', from: addDays(today, 200) }
    const path: string = `/Customers/${lead}/replacements?dryRun=true`
    const { leaver } = succeeded(await partner.post(path, joiner)) as { leaver: Static<typeof EndedContractObject> }
    return leaver.finalStatement
  }
  const before = await replaced()
  const why = { reason: 'Their landlord sold the home', comment: 'Kim Reed called.' }
  const commentOnly = rejected(await report(fee, { status: 'waived', comment: 'x' }), 422, 'validation_failed')
  assert.deepEqual(invalidFields(commentOnly), [['/comment', 'not_allowed']])
  const { status, waiver } = succeeded(await report(fee, { status: 'waived', ...why }))
  assert.deepEqual([status, waiver], ['waived', why])
  const stored = await rawRows(
    service,
    'select kind, (select json_agg(e) from payment_entries e where customer_id = $1) from tenant_mails where customer_id = $1 order by created_at',
    [lead],
  )
  assert.equal(stored.at(-1)?.kind, 'payment_waived')
  assert.doesNotMatch(JSON.stringify(stored), /landlord|Kim/)
  const [plan] = await paymentsOf(lead, '&status=scheduled')
  assert.ok(plan)
  rejected(await report(plan, { status: 'waived' }), 422, 'payment_status_not_allowed')
  assert.equal(await totalOf(lead), totalCost - exitFee)
  assert.deepEqual(await kinds(), new Set(['first', 'monthly', 'last']))
  assert.deepEqual(await replaced(), before)
  // It stays waived when its end is moved, or taken back and set again.
  for (const days of [260, null, 240, 255]) {
    const [deed, body] = days === null ? ['keep'] : ['end', { endDate: addDays(today, days) }]
    const path: string = `/Customers/${lead}/${deed}-contract`
    const { finalStatement: moved } = succeeded(await partner.post(path, body)) as typeof ended
    const owed = days === null ? 0 : exitFee
    assert.deepEqual([moved.exitFee, moved.waivedAmount, moved.exitFeePayment], [owed, owed, null])
    assert.equal((await find(fee)).payment.status, days === null ? 'cancelled' : 'waived')
    assert.equal(await totalOf(lead), moved.totalCost - owed)
  }
  succeeded(await partner.post(`/Customers/${lead}/cancel-contract`))
  assert.equal((await find(fee)).payment.status, 'cancelled')
})

for (const [kind, ofTotal, ofPaid, owedAgain] of [
  ['price_reduction', 998, 998, 0],
  ['compensation', 0, 0, 0],
  ['payment_back', 0, 998, 998],
] as const)
  test(`a ${kind} of a payment is ordered and paid, and no final statement asks for it again`, async () => {
    const { lead, first } = await paid()
    const before = await finalStatement(lead)
    const order = (body: object) => operator.post<Payment>(`/Payments/${first.entryId}/refunds`, body)
    const body = { kind, amount: 998, reason: 'The line was dead for a day.' }
    const tooHigh = await order({ ...body, amount: first.amount + 1 })
    assert.deepEqual(invalidFields(rejected(tooHigh, 422, 'validation_failed')), [['/amount', 'out_of_range']])
    const refund = succeeded(await order(body))
    assert.deepEqual(
      [refund.kind, refund.refundKind, refund.refundOf, refund.status, refund.orderReason, refund.vatAmount === null],
      ['refund', kind, first.entryId, 'scheduled', body.reason, kind !== 'price_reduction'],
    )
    const check = async () => {
      const { totalCost, alreadyPaid, amountDue, owedAgainAmount, refundAmount } = await finalStatement(lead)
      assert.deepEqual(
        [before.totalCost - totalCost, before.alreadyPaid - alreadyPaid, owedAgainAmount, refundAmount],
        [ofTotal, ofPaid, owedAgain, 0],
      )
      assert.equal(amountDue, before.amountDue, 'nothing of it is asked for')
    }
    await check()
    assert.equal(succeeded(await operator.post<Payment>(`/Payments/${refund.entryId}/refund`)).status, 'paid')
    await check()
    const schedule = await ledger.schedule(lead)
    assert.equal(schedule.refund, null)
    assert.deepEqual(
      schedule.refunds.map((each) => [each.kind, each.amount, each.paidAmount, each.status]),
      [[kind, 998, 998, 'paid']],
    )
    assert.equal((await find(first)).payment.owedAgainAmount, owedAgain)
  })

test('a compensation can be set off against the next payments instead, and then counts as paid', async () => {
  const { lead, first } = await paid()
  const before = await finalStatement(lead)
  const next = (await paymentsOf(lead, '&status=scheduled'))[0]
  assert.ok(next)
  const body = { kind: 'compensation', amount: 998, reason: 'The line was dead for a day.', setOff: true }
  const order = (more: object) => operator.post<Payment>(`/Payments/${first.entryId}/refunds`, { ...body, ...more })
  const reduction = rejected(await order({ kind: 'price_reduction' }), 422, 'validation_failed')
  assert.deepEqual(invalidFields(reduction), [['/setOff', 'out_of_range']])
  assert.equal(succeeded(await order({})).status, 'paid')
  assert.equal((await find(next)).payment.amount, next.amount - 998)
  const after = await finalStatement(lead)
  assert.deepEqual(
    [after.totalCost, after.alreadyPaid, after.amountDue],
    [before.totalCost, before.alreadyPaid + 998, before.amountDue - 998],
  )
  assert.deepEqual((await ledger.schedule(lead)).refunds, [])
})

test('a payment that was not collected has nothing to pay back, and a payment is no refund', async () => {
  const { lead } = await acceptedCustomer()
  const [first] = await paymentsOf(lead)
  const order = { kind: 'compensation', reason: 'none' }
  rejected(await operator.post(`/Payments/${first?.entryId}/refunds`, order), 422, 'payment_status_not_allowed')
  rejected(await operator.post(`/Payments/${first?.entryId}/refund`), 422, 'payment_status_not_allowed')
})

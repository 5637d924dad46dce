import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Static } from 'typebox'
import type { UnmatchedList } from '../../src/back-office/payments/payment.schema.ts'
import {
  type LedgerStatus,
  ledgerStatuses,
  paymentMayBecome,
  reportableStatuses,
} from '../../src/payments/ledger/ledger-status.ts'
import { type Payment, startLedger } from '../payments/start-ledger.ts'
import { rawRows, readPaymentStatusHistory } from '../support/customer-fixtures.ts'
import { readPages } from '../support/operator.ts'
import { invalidFields, rejected, succeeded } from '../support/responses.ts'

const ledger = await startLedger()
after(() => ledger.stop())
const { service, partner, operator, notify, acceptedCustomer, attempt, paymentsOf } = ledger
const now = Math.floor(Date.now() / 1000)

/** A customer with a contract in force, and their first payment. */
async function owing() {
  const customer = await acceptedCustomer()
  const [first, second] = await paymentsOf(customer.lead)
  assert.ok(first !== undefined && second !== undefined)
  return { ...customer, first, second }
}

const report = ({ entryId }: Payment, body: object) => operator.post<Payment>(`/Payments/${entryId}/status`, body)
const unmatched = async () =>
  succeeded(await operator.get<Static<typeof UnmatchedList>>('/Payments/unmatched?limit=500')).data
const settle = (reportId: string, body: object) =>
  operator.post(`/Payments/unmatched/${encodeURIComponent(reportId)}/settle`, body)

test('the list has what each customer owes by due date, the same as their plan, and its pages follow each other', async () => {
  const { lead, planned, processorCustomerId } = await owing()
  const listed = await paymentsOf(lead)
  assert.deepEqual(
    listed.map(({ dueDate, amount, status }) => [dueDate, amount, status]),
    planned.payments.map(({ date, amount }) => [date, amount, 'scheduled']),
  )
  assert.equal(listed[0]?.processorCustomerId, processorCustomerId)
  const dueBefore = planned.payments[2]?.date ?? ''
  assert.equal((await paymentsOf(lead, `&dueBefore=${dueBefore}`)).length, 2)
  assert.deepEqual(await paymentsOf(lead, '&status=paid'), [])
  assert.deepEqual(await readPages(operator, `/Payments?customerId=${lead}&limit=5`), listed)
  rejected(await operator.get('/Payments?cursor=abc'), 422, 'validation_failed')
})

test('payments of a household that has not agreed as a whole are not listed', async () => {
  const { lead } = await acceptedCustomer({ tenants: 2 })
  assert.deepEqual(await paymentsOf(lead), [])
})

test('a page is an audit entry that names the customers on it', async () => {
  const { lead } = await owing()
  const [read] = await rawRows(
    service,
    `select action, subject_type, fields from audit_log where operation = 'listPayments' order by entry_number desc
     limit 1`,
  )
  assert.deepEqual([read?.action, read?.subject_type, String(read?.fields).includes(lead)], ['read', 'payment', true])
})

test('what the operator reports is what the customer and the partner see', async () => {
  const { lead, first } = await owing()
  succeeded(await report(first, { status: 'submitted', paymentId: 'bank-1' }))
  assert.equal((await ledger.schedule(lead)).payments[0]?.status, 'planned')
  const failed = succeeded(await report(first, { status: 'failed', error: 'insufficient_funds' }))
  assert.deepEqual([failed.status, failed.paymentId], ['failed', 'bank-1'])
  assert.equal(succeeded(await partner.get(`/Customers/${lead}`)).lastPaymentError?.code, 'insufficient_funds')
  const paid = succeeded(await report(first, { status: 'paid', paymentId: 'bank-2' }))
  assert.deepEqual([paid.status, paid.collectedAmount], ['paid', first.amount])
  assert.equal((await ledger.schedule(lead)).payments[0]?.status, 'paid')
  const part = succeeded(await report(first, { status: 'refunded', amount: 100 }))
  assert.deepEqual([part.status, part.refundedAmount], ['paid', 100])
  assert.equal(succeeded(await report(first, { status: 'refunded' })).status, 'refunded')
  assert.equal((await ledger.schedule(lead)).payments[0]?.status, 'refunded')
  const history = await readPaymentStatusHistory(service, lead)
  assert.deepEqual(history.slice(2), ['ready', 'failed', 'paid', 'paid', 'paid'])
})

test('a failed payment says why, how often it was tried and when it is tried again, also while the customer’s latest attempt is another', async () => {
  const { lead, first, second } = await owing()
  const said = async () =>
    (await paymentsOf(lead))
      .slice(0, 2)
      .map(({ failureReason, attempts, nextAttemptDate }) => [failureReason, attempts, nextAttemptDate])
  assert.deepEqual(await said(), [
    [null, 0, null],
    [null, 0, null],
  ])
  succeeded(await report(first, { status: 'failed', paymentId: 'bank-f1', error: 'insufficient_funds' }))
  succeeded(await report(second, { status: 'failed', paymentId: 'bank-f2', error: 'expired_card' }))
  assert.deepEqual(await said(), [
    ['insufficient_funds', 1, null],
    ['expired_card', 1, null],
  ])
  const read = succeeded(await operator.get<{ payment: Payment }>(`/Payments/${first.entryId}`))
  assert.equal(read.payment.failureReason, 'insufficient_funds')
  succeeded(await report(second, { status: 'paid', paymentId: 'bank-f3' }))
  assert.deepEqual(await said(), [
    ['insufficient_funds', 1, null],
    [null, 2, null],
  ])
  const stored = async () => {
    const query = 'select failure_encrypted as failure from payment_entries where entry_id = $1'
    return (await rawRows(service, query, [first.entryId]))[0]?.failure
  }
  const failure = await stored()
  assert.ok(typeof failure === 'string' && !failure.includes('insufficient'))
  succeeded(await partner.post(`/Customers/${lead}/cancel-contract`))
  succeeded(await partner.post(`/Customers/${lead}/erase`))
  assert.equal(await stored(), null)
})

test('repeating a report changes nothing, and says so with the same response', async () => {
  const { lead, first } = await owing()
  const reports = [
    { status: 'submitted', paymentId: 'bank-3' },
    { status: 'paid', paymentId: 'bank-3' },
    { status: 'refunded', amount: 100 },
  ]
  for (const body of reports) {
    const once = succeeded(await report(first, body))
    assert.deepEqual(succeeded(await report(first, body)), once)
  }
  assert.deepEqual((await readPaymentStatusHistory(service, lead)).slice(2), ['ready', 'paid', 'paid'])
})

test('each status may be followed by those of the table, and by no other', async () => {
  const { first } = await owing()
  for (const from of ledgerStatuses) {
    // What was submitted and is cancelled can have been taken all the same.
    const next = from === 'cancelled' ? ['paid'] : paymentMayBecome[from]
    for (const to of reportableStatuses) {
      if (from === to) continue
      const after = to === 'dispute_won' ? 'paid' : to === 'dispute_lost' ? 'disputed' : to
      await setStatus(first, from)
      const response = await report(first, { status: to, paymentId: 'bank-4' })
      if (next.includes(to)) assert.equal(succeeded(response).status, after, `${from} to ${to}`)
      else rejected(response, 422, 'payment_status_not_allowed')
    }
  }
})

/** Sets a status as if it had come about, with the reports that it is counted from. */
async function setStatus({ entryId, amount, customerId }: Payment, status: LedgerStatus): Promise<void> {
  const reports: Partial<Record<LedgerStatus, string[]>> = {
    paid: ['paid'],
    refunded: ['paid', 'refunded'],
    disputed: ['paid', 'disputed'],
    reopened: ['paid', 'withdrawn'],
  }
  const isCollected = status in reports
  await rawRows(service, 'delete from payment_reports where entry_id = $1', [entryId])
  await rawRows(
    service,
    `update payment_entries set status = $2, payment_id = 'bank-4', refunded_pence = 0, collected_at = $3,
     collected_pence = $4
      where entry_id = $1`,
    [entryId, status, isCollected ? new Date() : null, isCollected ? amount : null],
  )
  for (const outcome of reports[status] ?? [])
    await rawRows(
      service,
      `insert into payment_reports (report_id, partner_id, customer_id, entry_id, outcome, payment_id, subject_id,
       amount_pence, occurred_at, corrects, reason)
       select $1 || $2, partner_id, customer_id, entry_id, $2, 'bank-4', case when $2 = 'disputed'
         then 'dp' end, $4::bigint, now(),
              case when $2 = 'withdrawn' then $1 || 'paid' end, case when $2 = 'withdrawn' then 'wrong' end
         from payment_entries where entry_id = $3 and customer_id = $5`,
      [`operator:${entryId}:`, outcome, entryId, amount, customerId],
    )
}

test('a report without the id of the payment, or of more than was collected, is rejected; so is an unknown payment', async () => {
  const { first } = await owing()
  assert.deepEqual(invalidFields(rejected(await report(first, { status: 'paid' }), 422, 'validation_failed')), [
    ['/paymentId', 'required'],
  ])
  succeeded(await report(first, { status: 'paid', paymentId: 'bank-5' }))
  const tooMuch = await report(first, { status: 'refunded', amount: first.amount + 1 })
  assert.deepEqual(invalidFields(rejected(tooMuch, 422, 'validation_failed')), [['/amount', 'out_of_range']])
  const unknown = { ...first, entryId: 'entry_00000000000000000000000000' }
  rejected(await report(unknown, { status: 'paid', paymentId: 'bank-5' }), 404, 'not_found')
})

test('a notice of the processor matches a payment that was submitted under its id, if it has its amount', async () => {
  const { second, lead, processorCustomerId } = await owing()
  const payment = attempt(processorCustomerId, second.amount)
  succeeded(await report(second, { status: 'submitted', paymentId: payment.id }))
  const other = { ...payment, amount_received: 7, latest_charge: `${payment.latest_charge}_7` }
  succeeded(await notify('payment_intent.succeeded', other, { happenedAt: now }))
  const checked = await paymentsOf(lead)
  assert.deepEqual(
    checked.slice(0, 2).map(({ status, onHold }) => [status, onHold]),
    [
      ['scheduled', 'being_checked'],
      ['submitted', 'being_checked'],
    ],
  )
  succeeded(await notify('payment_intent.succeeded', payment, { happenedAt: now }))
  assert.deepEqual(
    (await paymentsOf(lead)).slice(0, 2).map(({ status }) => status),
    ['scheduled', 'paid'],
  )
})

test('a second payment for what is paid already is listed as unmatched, and settled with a reason', async () => {
  const { first, processorCustomerId, amount } = await owing()
  const metadata = { housebill_entry_id: first.entryId }
  const [one, two] = [
    attempt(processorCustomerId, amount, { metadata }),
    attempt(processorCustomerId, amount, { metadata }),
  ]
  succeeded(await notify('payment_intent.succeeded', one, { happenedAt: now }))
  succeeded(await notify('payment_intent.succeeded', two, { happenedAt: now + 1 }))
  const [found, ...others] = (await unmatched()).filter(({ customerId }) => customerId === first.customerId)
  assert.deepEqual([found?.paymentId, found?.amount, others], [two.id, amount, []])
  const reportId = found?.reportId ?? ''
  const fields = invalidFields(rejected(await settle(reportId, {}), 400, 'invalid_request'))
  assert.deepEqual(fields, [['', 'required']])
  rejected(await settle(reportId, { entryId: first.entryId }), 422, 'payment_status_not_allowed')
  succeeded(await settle(reportId, { reason: 'paid back by hand' }))
  rejected(await settle(reportId, { reason: 'again' }), 404, 'not_found')
  assert.deepEqual(
    (await unmatched()).filter(({ customerId }) => customerId === first.customerId),
    [],
  )
})

test('parallel calls settle an unmatched payment once, whatever they say it was', async () => {
  const { lead, processorCustomerId } = await owing()
  succeeded(await notify('payment_intent.succeeded', attempt(processorCustomerId, 7), { happenedAt: now }))
  const [found] = (await unmatched()).filter(({ customerId }) => customerId === lead)
  const reportId = found?.reportId ?? ''
  const bodies = (await paymentsOf(lead)).slice(0, 6).map(({ entryId }): object => ({ entryId }))
  const responses = await Promise.all([...bodies, { reason: 'by hand' }].map((body) => settle(reportId, body)))
  assert.deepEqual(responses.map(({ status }) => status).toSorted(), [200, ...bodies.map(() => 404)])
  const paid = (await paymentsOf(lead)).filter(({ status }) => status === 'paid')
  assert.ok(paid.length <= 1)
})

test('a report under the longest id of a payment is listed once, under an id with which it can be settled', async () => {
  const { first } = await owing()
  const body = { status: 'refunded', paymentId: 'p'.repeat(200), amount: 1, occurredAt: '2026-12-01T09:00:00Z' }
  succeeded(await report(first, { status: 'paid', paymentId: 'another' }))
  for (const _ of ['first', 'repeated']) succeeded(await report(first, body))
  const [found, ...others] = (await unmatched()).filter(({ customerId }) => customerId === first.customerId)
  assert.deepEqual([found?.paymentId, others], [body.paymentId, []])
  assert.ok((found?.reportId ?? '').length <= 255)
  succeeded(await settle(found?.reportId ?? '', { reason: 'paid back by hand' }))
})

test('a payment of another amount is unmatched until the operator says what it was for; its refund then counts too', async () => {
  const { lead, second, processorCustomerId } = await owing()
  const other = await owing()
  const payment = attempt(processorCustomerId, 7)
  succeeded(await notify('payment_intent.succeeded', payment, { happenedAt: now }))
  const refund = {
    id: payment.latest_charge,
    payment_intent: payment.id,
    currency: 'gbp',
    amount: 7,
    amount_refunded: 3,
  }
  succeeded(await notify('charge.refunded', refund))
  const found = (await unmatched()).filter(({ customerId }) => customerId === lead)
  assert.deepEqual(
    found.map(({ outcome, amount }) => [outcome, amount]),
    [
      ['paid', 7],
      ['refunded', 3],
    ],
  )
  const reportId = found[0]?.reportId ?? ''
  const foreign = invalidFields(
    rejected(await settle(reportId, { entryId: other.first.entryId }), 422, 'validation_failed'),
  )
  assert.deepEqual(foreign, [['/entryId', 'not_allowed']])
  rejected(await settle(reportId, { entryId: 'entry_none' }), 404, 'not_found')
  succeeded(await settle(reportId, { entryId: second.entryId }))
  const settled = (await paymentsOf(lead))[1]
  assert.deepEqual([settled?.status, settled?.collectedAmount, settled?.refundedAmount], ['paid', 7, 3])
  assert.deepEqual(
    (await unmatched()).filter(({ customerId }) => customerId === lead),
    [],
  )
})

import Type, { type Static } from 'typebox'
import { ContractNumber } from '../../contracts/contract.schema.ts'
import { type LedgerStatus, ledgerStatuses } from '../../payments/ledger/ledger-status.ts'
import type { ListedReport, OperatorPayment, UnmatchedPayment } from '../../payments/ledger/operator-payments.store.ts'
import { holdReasons } from '../../payments/ledger/operator-payments.store.ts'
import { PaymentKind, RefundKindName } from '../../payments/payment.schema.ts'
import { paymentErrorCodes } from '../../payments/payment-error.ts'
import { Choice, described, NamedChoice, Nullable, ResponseObject } from '../../platform/http/schemas/named.ts'
import { pageFields } from '../../platform/http/schemas/page.ts'
import { Count, DateOnly, Id, Pence, presentAs, Text, Timestamp } from '../../platform/http/schemas/values.ts'
import { type Id as EntryId, isId } from '../../platform/kernel/ids.ts'

/** The most payments of a page. */
export const maxPaymentPage = 500

const wireNames = ledgerStatuses.map((status) => (status === 'planned' ? 'scheduled' : status))
const aboutStatus =
  '`scheduled`: due some day. `submitted`: the processor was asked. `failed`: the last attempt failed, and it is still due. `refunded`: paid back in full. `disputed`: the bank took it back. `reopened`: it was taken for paid and is not, and is owed again. `waived`: given up. `cancelled`: no longer owed.'

/** A status of a payment, as the operator API names it. */
export const PaymentStatusName = NamedChoice('OperatorPaymentStatus', wireNames, aboutStatus)

/** The ledger's name of a status. */
export function ledgerStatusOf(name: (typeof wireNames)[number]): LedgerStatus {
  const found = ledgerStatuses[wireNames.indexOf(name)]
  if (found === undefined) throw new Error('a status passed validation that is none')
  return found
}

export const OperatorPaymentObject = ResponseObject(
  'OperatorPayment',
  'Something that a customer owes or, for a refund, is owed.',
  {
    entryId: Id('The id of the payment. Put it into the metadata of the payment intent as `housebill_entry_id`.'),
    partnerId: Id('The id of the partner.'),
    partnerName: Text(200, 'The name of the partner.'),
    partnerStatus: Choice(
      ['active', 'suspended', 'disabled'],
      'The status of the partner. Payments go on whatever it is.',
    ),
    quoteId: Id('The id of the quote.'),
    customerId: Id('The id of the customer.'),
    contractNumber: Nullable(ContractNumber),
    kind: PaymentKind,
    status: PaymentStatusName,
    dueDate: DateOnly('The working day on which it is taken or, for a refund, by which it is paid back.'),
    amount: Pence('The amount in pence, including VAT.'),
    description: Text(500, 'What it is for, as the customer reads it.'),
    paymentId: Nullable(Id("The processor's id of the last attempt, or yours; null before the first.")),
    collectedAt: Nullable(Timestamp('When it was collected; null until then.')),
    collectedAmount: Nullable(Pence('What was collected; null until then.')),
    refundedAmount: Pence('How much of it was paid back.'),
    payBackBy: Nullable(DateOnly('For a refund, the day by which it must be paid back; null for a payment.')),
    payBy: Nullable(
      Choice(
        ['card', 'bank'],
        'For a refund, how what is open of it is paid. `bank`: no card takes it. `card` while the processor has not answered. Null for a payment.',
      ),
    ),
    owedAgainAmount: Pence(
      'What is owed again, after a dispute was lost or a report was corrected. Nothing is asked for until you put it back on the plan.',
    ),
    refundKind: Nullable(described(RefundKindName, 'What a refund is; null for a payment.')),
    refundOf: Nullable(Id('The payment that a refund is for; null for one of a settlement, and for a payment.')),
    orderReason: Nullable(Text(200, 'Why you ordered a refund; null for any other.')),
    vatAmount: Nullable(Pence('The VAT in a price reduction, in pence; null for anything else.')),
    againFor: Nullable(Id('The payment of which this one collects what is owed again; null for any other.')),
    processorCustomerId: Nullable(Id('The customer at the payment processor; null for an erased customer.')),
    failureReason: Nullable(
      Choice(
        paymentErrorCodes,
        'Why the last attempt to collect it failed; null unless it is `failed`. New codes may be added.',
      ),
    ),
    waiver: Nullable(
      ResponseObject('PaymentWaiver', 'Why you gave a payment up.', {
        reason: Text(200, 'Why.'),
        comment: Nullable(Text(2_000, 'Anything else; null if there is nothing.')),
      }),
    ),
    attempts: Count('How often it was tried.'),
    nextAttemptDate: Nullable(
      DateOnly(
        'The day from which Housebill tries a payment again that failed; null if it does not without a new card.',
      ),
    ),
    onHold: Nullable(
      Choice(
        holdReasons,
        'Why a payment that is owed is not collected at present, by Housebill or by you. `being_checked`: money was received that belongs to no payment yet and may be for this one; settle it in `/Payments/unmatched`. `card_missing`: the processor no longer has the card, and the tenant has not given another.',
      ),
    ),
  },
)

const page = { max: maxPaymentPage, description: 'The payments.' }
export const PaymentList = ResponseObject(
  'OperatorPaymentList',
  'A page of payments, by due date.',
  pageFields(OperatorPaymentObject, page),
)

export function presentPayment(payment: OperatorPayment): Static<typeof OperatorPaymentObject> {
  const { kind, status, date, isPaidByBank } = payment
  return presentAs(OperatorPaymentObject, {
    ...payment,
    dueDate: date,
    status: status === 'planned' ? 'scheduled' : status,
    payBackBy: kind === 'refund' ? date : null,
    payBy: kind !== 'refund' ? null : isPaidByBank ? 'bank' : 'card',
    owedAgainAmount: payment.owedAgain,
    vatAmount: payment.vat,
    nextAttemptDate: payment.nextAttemptOn,
  })
}

const PaymentReportObject = ResponseObject('PaymentReport', 'Something that was reported about a payment.', {
  reportId: Id('The id of the report. Yours begin with `operator:`.'),
  outcome: Choice(
    ['paid', 'failed', 'refunded', 'refund_failed', 'disputed', 'dispute_won', 'dispute_lost', 'withdrawn'],
    'What was reported. For a refund, `paid` is what was paid back by bank. `withdrawn`: another report was wrong.',
  ),
  paymentId: Id("The processor's id of the payment, or yours."),
  subjectId: Nullable(
    Id('The refund or the dispute; null if it names none. A refund without one is the total so far.'),
  ),
  amount: Nullable(Pence('The amount in pence; null if it names none in pounds.')),
  occurredAt: Timestamp('When it happened.'),
  recordedAt: Timestamp('When it was recorded.'),
  corrects: Nullable(Id('The report that this one corrects; null for any other.')),
  reason: Nullable(Text(200, 'Why the corrected report was wrong; null for any other.')),
  correctedBy: Nullable(Id('The report that corrects this one, which therefore counts no longer; null if none does.')),
})

export const PaymentWithReports = ResponseObject('OperatorPaymentWithReports', 'A payment, and what was reported.', {
  payment: OperatorPaymentObject,
  reports: Type.Array(PaymentReportObject, { maxItems: 10_000, description: 'In the order of recording.' }),
})

export function presentReport(report: ListedReport): Static<typeof PaymentReportObject> {
  return presentAs(PaymentReportObject, report)
}

/** The id in the path, once the owner of the payment was found by it. */
export function entryIdOf(parameter: (name: string) => string): EntryId<'entry'> {
  const entryId = parameter('entryId')
  if (!isId('entry', entryId)) throw new Error('the owner of a payment was found by something that is no id')
  return entryId
}

const aboutUnmatched =
  'Money that moved at the processor and belongs to no payment, or is more than could be paid back.'
const Unmatched = ResponseObject('UnmatchedPayment', aboutUnmatched, {
  reportId: Id('The id of what the processor reported.'),
  partnerId: Id('The id of the partner.'),
  customerId: Id('The id of the customer.'),
  outcome: Choice(['paid', 'refunded', 'disputed'], 'What happened.'),
  paymentId: Id("The processor's id of the payment."),
  amount: Nullable(Pence('The amount in pence; for a refund, the total so far. Null if it was not in pounds.')),
  entryId: Nullable(
    Id('For a refund that is too much, the payment or the refund that it was for; null for any other.'),
  ),
  exceedsBy: Pence(
    'How much of a refund is more than was collected or was to be paid back; 0 for what belongs to no payment.',
  ),
  occurredAt: Timestamp('When it happened.'),
})

export const UnmatchedList = ResponseObject(
  'UnmatchedPaymentList',
  'A page of unmatched payments, oldest first.',
  pageFields(Unmatched, page),
)

export function presentUnmatched(payment: UnmatchedPayment): Static<typeof Unmatched> {
  return presentAs(Unmatched, { ...payment, exceedsBy: payment.exceeds })
}

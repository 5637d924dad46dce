import type { OperatorPayment } from '../../payments/ledger/operator-payments.store.ts'
import type { Row } from './export-page.ts'

/** The payments that are due: one line each. docs/operator/files.md describes the columns. */
export const paymentColumns: readonly string[] = [
  ...['entryId', 'dueDate', 'amount', 'kind', 'status', 'partnerId', 'quoteId', 'customerId', 'contractNumber'],
  ...['processorCustomerId', 'paymentId', 'description', 'partnerName', 'partnerStatus', 'onHold'],
]

/** The line of a payment. */
export function paymentRow(payment: OperatorPayment): Row {
  const { entryId, date: dueDate, kind, status, partnerId, quoteId, customerId, contractNumber } = payment
  const { processorCustomerId, paymentId, description, partnerName, partnerStatus, onHold } = payment
  // Of a refund, a part may have been paid.
  const amount = kind === 'refund' ? payment.amount - (payment.collectedAmount ?? 0) : payment.amount
  return {
    ...{
      entryId,
      dueDate,
      amount,
      kind,
      status: status === 'planned' ? 'scheduled' : status,
      partnerId,
      quoteId,
      customerId,
    },
    ...{ contractNumber, processorCustomerId, paymentId, description, partnerName, partnerStatus, onHold },
  }
}

import type { Tx } from '../../platform/db/database.ts'
import type { Customer } from '../../quoting/tenants/customer.ts'
import type { PlannedPayment } from '../plan/payment-plan.ts'
import { insertPaymentEntries } from './payment-entries.store.ts'

/**
 * Stores the plan that a customer accepts. From then on it is read, never calculated again. Call it once for each
 * acceptance.
 */
export function planEntries(
  tx: Tx,
  customer: Pick<Customer, 'partnerId' | 'customerId'>,
  accepted: { contractNumber: string; payments: readonly PlannedPayment[]; now: Date },
): Promise<void> {
  const { contractNumber, payments, now } = accepted
  const entries = payments.map(({ date, amount, periodStart, periodEnd, description }) => {
    return { contractNumber, kind: 'plan', date, amount, periodStart, periodEnd, description } as const
  })
  return insertPaymentEntries(tx, customer, entries, now)
}

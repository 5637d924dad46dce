import type { Caller } from '../../partners/caller.ts'
import type { OperatorPayment } from '../../payments/ledger/operator-payments.store.ts'
import { loadPayment } from '../../payments/load-payment.ts'
import { payRefund, type RefundingDependencies } from '../../payments/refunding/pay-refund.ts'
import { type Database, inTransaction } from '../../platform/db/database.ts'
import type { Clock } from '../../platform/kernel/clock.ts'
import type { Id } from '../../platform/kernel/ids.ts'

/**
 * POST /operator-api/Payments/{entryId}/refund: has the processor pay what is open of a refund. Repeating it pays
 * nothing twice. Throws
 * `payment_status_not_allowed`, `not_found` and `service_unavailable`.
 */
export async function payRefundByOperator(
  deps: Omit<RefundingDependencies, 'transact'> & { db: Database; clock: Clock },
  caller: Caller,
  entryId: Id<'entry'>,
): Promise<OperatorPayment> {
  const { partnerId, now } = caller
  const transact: RefundingDependencies['transact'] = (work) => inTransaction(deps.db, {}, work)
  await payRefund({ ...deps, transact }, { partnerId, entryId, byJob: false, askedAt: deps.clock.now(), now })
  return inTransaction(deps.db, caller, (tx) => loadPayment(tx, deps.cipher, partnerId, entryId))
}

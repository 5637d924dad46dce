import { type Database, inTransaction } from '../../../db/database.ts'
import type { Clock } from '../../../kernel/clock.ts'
import type { Id } from '../../../kernel/ids.ts'
import type { Caller } from '../../auth/caller.ts'
import { loadPayment } from '../operator/load-payment.ts'
import type { OperatorPayment } from '../operator/operator-payments.store.ts'
import { payRefund, type RefundingDependencies } from './pay-refund.ts'

/**
 * POST /operator-api/Payments/{entryId}/refund: has the processor pay what is open of a refund. Repeating it pays nothing twice. Throws
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

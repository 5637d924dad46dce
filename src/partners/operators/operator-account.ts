import type { ResponseRecorder } from '../../platform/db/database.ts'
import type { Id } from '../../platform/kernel/ids.ts'

/**
 * The account to which the operator's own webhooks belong, so that the webhook engine treats them like any partner's.
 * It has no credentials, sells nothing, and is never listed as a partner.
 */
export const operatorAccountId: Id<'partner'> = `partner_${'0'.repeat(26)}`

/** A program of the operator's that is calling `/operator-api`. */
export interface OperatorCaller {
  clientId: string
  requestId: string
  now: Date
  /** The `Idempotency-Key` of the request, together with who sent it. */
  requestKey?: string | undefined
  /** Stores the response in the transaction that makes the change. Set only for a POST with an `Idempotency-Key`. */
  responseRecorder?: ResponseRecorder
}

import type { ResponseRecorder } from '../../platform/db/database.ts'

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

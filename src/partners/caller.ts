import type { ResponseRecorder } from '../platform/db/database.ts'
import type { Id } from '../platform/kernel/ids.ts'

/**
 * Who is calling, and the current time on the partner's clock. Created once per request, or per call of a page, and
 * every store function gets its `partnerId` from it.
 */
export interface Caller {
  partnerId: Id<'partner'>
  clientId: string
  requestId: string
  /** The current time for the partner: the real time, plus the sandbox clock's offset in a sandbox. */
  now: Date
  /** Stores the response in the transaction that makes the change. Set only for a POST with an `Idempotency-Key`. */
  responseRecorder?: ResponseRecorder
}

import type { AnswerRecorder } from '../../db/database.ts'
import type { Id } from '../../kernel/ids.ts'

/**
 * Who is calling, and the current time by the partner's clock. `http/plugins/authenticate` builds it once per request; every store
 * takes `partnerId` from it.
 */
export interface Caller {
  partnerId: Id<'partner'>
  clientId: string
  requestId: string
  /** The current time for the partner: real time in live, plus the sandbox clock's offset in a sandbox. */
  now: Date
  /** Set for a POST with an `Idempotency-Key`: stores the response in the transaction that makes the change. */
  answer?: AnswerRecorder
}

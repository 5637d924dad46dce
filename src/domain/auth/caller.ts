import type { ResponseRecorder } from '../../db/database.ts'
import type { Id } from '../../kernel/ids.ts'

/**
 * Who is asking, and when, by the partner's own clock. Built once per request by `http/plugins/authenticate`;
 * every store takes `partnerId` from here.
 */
export interface Caller {
  partnerId: Id<'partner'>
  clientId: string
  requestId: string
  /** The partner's now: real time in live, real time plus the sandbox clock's offset in a sandbox. */
  now: Date
  /** Present on a POST with an `Idempotency-Key`: stores the answer in the transaction that makes the change. */
  responseRecorder?: ResponseRecorder
}

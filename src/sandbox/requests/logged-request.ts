import type { ErrorCode } from '../../platform/kernel/errors.ts'
import type { Id } from '../../platform/kernel/ids.ts'

/** How many requests of a partner are kept, and for how long. Which limit is reached first depends on the partner. */
export const keptRequests = 10_000
export const keptRequestDays = 7

/**
 * One request that a partner sent to a sandbox: what was asked for and what came of it, without bodies, ids or queries.
 */
export interface LoggedRequest {
  /** Sorts by time. */
  entryId: Id<'request'>
  /** When the response was sent. */
  at: Date
  /** The `X-Request-Id` of the response. */
  requestId: string
  method: string
  /** The path with its parameters as `{id}`. */
  route: string
  operationId: string
  status: number
  /** Null if the request succeeded. */
  code: ErrorCode | null
  durationMs: number
}

/** Selects requests; an absent member selects all. */
export interface RequestFilter {
  operationId: string | undefined
  status: number | undefined
  createdAfter: Date | undefined
  createdBefore: Date | undefined
}

import type { ResponseRecorder } from '../../platform/db/database.ts'
import type { Id } from '../../platform/kernel/ids.ts'

/**
 * What an operator's token may do (docs/operator/api.md#scopes). New credentials have only the scopes that were asked
 * for.
 */
export const operatorScopes = [
  'contracts:read',
  'contracts:write',
  'psr:read',
  'payments:read',
  'payments:write',
  'partners:read',
  'partners:write',
  'rates:write',
  'support:read',
  'support:write',
] as const
export type OperatorScope = (typeof operatorScopes)[number]

export function isOperatorScope(text: string): text is OperatorScope {
  return (operatorScopes as readonly string[]).includes(text)
}

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

import type { Problem } from './partner-api.ts'

/** Why a call failed. */
export type Failure =
  | { kind: 'problem'; problem: Problem; retryAfterSeconds: number | null }
  /** The connection failed or there was no response in time: the call may or may not have taken effect. */
  | { kind: 'no-response' }
  /** The response did not come from the API but, for example, from a proxy in between. */
  | { kind: 'unreadable'; status: number; requestId: string | null }

/** The result of a call. */
export type CallResult<Data> = { data: Data; failure: null } | { data: null; failure: Failure }

/** Whether the request may have taken effect or may still do so. If so, a retry must send the same Idempotency-Key. */
export function hasUnknownOutcome(failure: Failure): boolean {
  if (failure.kind !== 'problem') return true
  const { status, code } = failure.problem
  return status >= 500 || code === 'idempotency_in_flight'
}

/** Whether the API rejected the token. The sign-in form reports this, so the page itself does not. */
export function isUnauthenticated(failure: Failure | null): boolean {
  return failure?.kind === 'problem' && failure.problem.status === 401
}

/** Describes a failure: what happened and what to do. */
export function describeFailure(failure: Failure): { title: string; detail: string; remedy: string | null } {
  switch (failure.kind) {
    case 'no-response':
      return {
        title: 'No response',
        detail: 'The connection to this server failed. What you typed is still here.',
        remedy: 'Check your connection and try again. If the change was already made, it is not made twice.',
      }
    case 'unreadable':
      return {
        title: `Unexpected response (status ${failure.status})`,
        detail: 'The response did not come from the API. A proxy may have sent it.',
        remedy: 'Try again. If the problem persists, tell the operator.',
      }
    case 'problem':
      return { title: failure.problem.title, detail: failure.problem.detail, remedy: remedyFor(failure) }
  }
}

/** What a console user should do about a failure; null if there is nothing to add to the problem's `detail`. */
function remedyFor({ problem, retryAfterSeconds }: Extract<Failure, { kind: 'problem' }>): string | null {
  if (problem.code === 'insufficient_scope')
    return 'Ask the operator for credentials with this scope, then sign out and sign in with them.'
  if (retryAfterSeconds !== null) return `Wait ${retryAfterSeconds} s, then try again.`
  if (problem.status >= 500) return 'Try again. If the problem persists, send the request id below to the operator.'
  return null
}

/** The first error that concerns the field at this JSON pointer or something inside the field. */
export function fieldError(failure: Failure | null, pointer: string): string | undefined {
  return fieldErrorsOf(failure).find((fault) => isWithin(fault.pointer, pointer))?.detail
}

/** Every invalid field of a failed request. */
export function fieldErrorsOf(failure: Failure | null): readonly { pointer: string; detail: string }[] {
  return failure?.kind === 'problem' ? (failure.problem.errors ?? []) : []
}

/** Whether an error's pointer names this field or something inside it. */
export function isWithin(pointer: string, field: string): boolean {
  return pointer === field || pointer.startsWith(`${field}/`)
}

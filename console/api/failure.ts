import type { Problem } from './partner-api.ts'

/** Why a call came to nothing. */
export type Failure =
  | { kind: 'problem'; problem: Problem; retryAfterSeconds: number | null }
  /** The connection failed or nothing came in time: the call may have been done or not. */
  | { kind: 'no-answer' }
  /** Something answered, but not the API: a proxy in between, for example. */
  | { kind: 'unreadable'; status: number; requestId: string | null }

/** What became of a call. */
export type Answer<Data> = { data: Data; failure: null } | { data: null; failure: Failure }

/** Whether the same request may still have an effect, or have had one: it is repeated under its own Idempotency-Key. */
export function isUndecided(failure: Failure): boolean {
  if (failure.kind !== 'problem') return true
  const { status, code } = failure.problem
  return status >= 500 || code === 'idempotency_in_flight'
}

/** Whether the token is not taken any more: the sign-in form says so, and the page behind it has nothing to add. */
export function isSignedOut(failure: Failure | null): boolean {
  return failure?.kind === 'problem' && failure.problem.status === 401
}

/** A failure in words: what happened, and what to do about it. */
export function describeFailure(failure: Failure): { title: string; detail: string; remedy: string | null } {
  switch (failure.kind) {
    case 'no-answer':
      return {
        title: 'No response',
        detail: 'The connection to this server failed. What you typed is still here.',
        remedy: 'Check your connection and try again. A change that was already made is not made twice.',
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

/** What to do, where the detail of the answer cannot know that it is read here. */
function remedyFor({ problem, retryAfterSeconds }: Extract<Failure, { kind: 'problem' }>): string | null {
  if (problem.code === 'insufficient_scope')
    return 'Ask the operator for credentials with this scope, then sign out and sign in with them.'
  if (retryAfterSeconds !== null) return `Wait ${retryAfterSeconds} s, then try again.`
  if (problem.status >= 500) return 'Try again. If the problem persists, send the request id below to the operator.'
  return null
}

/** The first thing wrong with one field, by its JSON pointer or one below it. */
export function fieldFault(failure: Failure | null, pointer: string): string | undefined {
  return faultsOf(failure).find((fault) => isOf(fault.pointer, pointer))?.detail
}

/** Every bad field of a refusal. */
export function faultsOf(failure: Failure | null): readonly { pointer: string; detail: string }[] {
  return failure?.kind === 'problem' ? (failure.problem.errors ?? []) : []
}

/** Whether a fault's pointer names this field or something inside it. */
export function isOf(pointer: string, field: string): boolean {
  return pointer === field || pointer.startsWith(`${field}/`)
}

import type { ErrorCode } from '../../../kernel/errors.ts'

/** The longest delay that a partner can ask for: longer than the time limit of most clients. */
export const maxDelayMs = 30_000
/** How many calls a fault can affect. */
export const maxTimes = 1_000
/** How long a fault waits for calls. One that a developer forgot must not puzzle the next one. */
export const faultLifetimeMinutes = 60
/** How many faults a partner can have at a time. */
export const maxFaults = 100

/** When a fault acts: before the operation, which then does nothing, or after it took effect, so that only its response is lost. */
export const faultMoments = ['before', 'after'] as const
export type FaultMoment = (typeof faultMoments)[number]

/** An error or a delay that a partner asked for. */
export interface Fault {
  operationId: string
  /** Null if calls are only slow. */
  code: ErrorCode | null
  delayMs: number
  acts: FaultMoment
  /** How many calls it will still affect. */
  remaining: number
  expiresAt: Date
}

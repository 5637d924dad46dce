import type { BroadbandDatabase } from './broadband-database.ts'
import type { HomeTelecom } from './home-telecom.ts'

/** Ways in which a sandbox's simulated upstream can be made to fail, whichever of the two it is. */
const failures = ['down', 'timeout', 'not-json', 'wrong-shape', 'rate-limited'] as const

/** `ok` is what the home does by itself. */
export const homeTelecomOutcomes = ['ok', 'slow', 'no-products', ...failures] as const
export const broadbandDatabaseOutcomes = ['ok', 'slow', 'no-broadband', ...failures] as const

export type HomeTelecomOutcome = (typeof homeTelecomOutcomes)[number]
export type BroadbandDatabaseOutcome = (typeof broadbandDatabaseOutcomes)[number]

/** How one upstream behaves for one home and one partner. */
export interface Behaviour<Outcome extends HomeTelecomOutcome | BroadbandDatabaseOutcome> {
  outcome: Outcome
  /** How long an answer takes; null for every outcome but `slow`. */
  seconds: number | null
}

export interface BroadbandSteering {
  homeTelecom: Behaviour<HomeTelecomOutcome>
  broadbandDatabase: Behaviour<BroadbandDatabaseOutcome>
}

/** Longest delay that is still slow: beyond it the way out gives an upstream up, which `timeout` is for. */
export const slowestSeconds = 3
export const usualSlowSeconds = 2

/** As every home is that nobody steered. */
export const unsteered = { outcome: 'ok', seconds: null } as const

/**
 * Ways to ask the simulated upstreams so that they behave as told. They share no circuit breaker with the usual way: what
 * one partner rehearses never keeps another from an answer. Undefined where a sandbox asks a real upstream instead.
 */
export interface SteeredUpstreams {
  homeTelecom: ((behaviour: Behaviour<HomeTelecomOutcome>) => HomeTelecom) | undefined
  broadbandDatabase: ((behaviour: Behaviour<BroadbandDatabaseOutcome>) => BroadbandDatabase) | undefined
}

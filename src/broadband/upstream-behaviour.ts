import type { BroadbandDatabase, HomeTelecom } from './broadband-providers.ts'

/** The failures that either simulated upstream can be set to. */
const failures = ['down', 'timeout', 'not-json', 'wrong-shape', 'rate-limited'] as const

/** With `ok`, the upstream behaves as it usually does for the sample property. */
export const homeTelecomOutcomes = ['ok', 'slow', 'no-products', ...failures] as const
export const broadbandDatabaseOutcomes = ['ok', 'slow', 'no-broadband', ...failures] as const

export type HomeTelecomOutcome = (typeof homeTelecomOutcomes)[number]
export type BroadbandDatabaseOutcome = (typeof broadbandDatabaseOutcomes)[number]

/** How a simulated upstream behaves for one partner and property. */
export interface Behaviour<Outcome extends HomeTelecomOutcome | BroadbandDatabaseOutcome> {
  outcome: Outcome
  /** How long a response takes; null unless the outcome is `slow`. */
  seconds: number | null
}

/** How both simulated upstreams behave for one partner and property. */
export interface UpstreamBehaviours {
  homeTelecom: Behaviour<HomeTelecomOutcome>
  broadbandDatabase: Behaviour<BroadbandDatabaseOutcome>
}

/** The longest `slow` delay. A longer one would make the outbound client time out, which is what `timeout` is for. */
export const maxSlowSeconds = 3
export const defaultSlowSeconds = 2

/** How an upstream behaves for a property if the partner has not set its behaviour. */
export const defaultBehaviour = { outcome: 'ok', seconds: null } as const

/**
 * Creates clients of the simulated upstreams with a given behaviour. Failures that one partner asks for do not affect
 * other partners, because they never open a circuit breaker. A member is undefined if the sandbox uses the real
 * upstream.
 */
export interface SimulatedUpstreams {
  homeTelecom: ((behaviour: Behaviour<HomeTelecomOutcome>) => HomeTelecom) | undefined
  broadbandDatabase: ((behaviour: Behaviour<BroadbandDatabaseOutcome>) => BroadbandDatabase) | undefined
}

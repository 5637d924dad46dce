import { randomBytes } from 'node:crypto'
import type { Clock } from '../../platform/kernel/clock.ts'
import { followRing, type KeyKind, type RingDependencies } from '../../platform/keys/key-ring.ts'

/** The keys that verify links now, at most two seconds old. The first one signs. */
export type LinkKeys = () => Promise<readonly Buffer[]>

/** The keys of contract and preview links, which work for `lifetimeSeconds`. */
export function linkKeyKind(lifetimeSeconds: number): KeyKind {
  return {
    name: 'links',
    make: async () => randomBytes(32),
    usefulForSeconds: lifetimeSeconds,
    settleSeconds: 5,
  }
}

/** Follows the keys of contract and preview links. */
export function followLinkKeys(deps: RingDependencies & { clock: Clock; lifetimeSeconds: number }): LinkKeys {
  return followRing(deps, linkKeyKind(deps.lifetimeSeconds), async (ring) => ring.map(({ secret }) => secret))
}

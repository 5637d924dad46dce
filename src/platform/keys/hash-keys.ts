import { randomBytes } from 'node:crypto'
import type { Clock } from '../kernel/clock.ts'
import type { HashKey } from '../kernel/keyed-hash.ts'
import { followRing, type KeyKind, type RingDependencies } from './key-ring.ts'

/** The keys of keyed hashes. The first key's hashes have no mark; those of each later key have its id. */
export const hashKeyKind: KeyKind = {
  name: 'hashes',
  make: async () => randomBytes(32),
  usefulForSeconds: Number.POSITIVE_INFINITY,
  // A call may wait for a lock for 20 seconds before it looks for a duplicate, with the keys that it has read before.
  settleSeconds: 30,
}

/** Follows the keys of keyed hashes, at most two seconds old. The first one hashes; all of them are looked up. */
export function followHashKeys(deps: RingDependencies & { clock: Clock }): () => Promise<HashKey[]> {
  return followRing(deps, hashKeyKind, async (ring) => ring.map(({ id, secret }) => ({ id, key: secret })))
}

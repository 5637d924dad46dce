import type { Database } from '../platform/db/database.ts'
import type { Clock } from '../platform/kernel/clock.ts'
import type { Id } from '../platform/kernel/ids.ts'
import type { Sealer } from './credential-seal.ts'
import { type Credential, findCredential } from './partners.store.ts'

/**
 * Caches credentials by client id for at most `freshForMs`, so that disabling a partner or removing credentials takes
 * effect within seconds in every process.
 */
export interface PartnerDirectory {
  /** Undefined if the client id is not registered. */
  find(clientId: string): Promise<Credential | undefined>
  /** Drops a partner's entries from the cache. Call it after this process changes the partner. */
  forget(partnerId: Id<'partner'>): void
}

const freshForMs = 2_000

export function createPartnerDirectory({
  db,
  clock,
  cipher,
}: {
  db: Database
  clock: Clock
  cipher: Sealer
}): PartnerDirectory {
  const known = new Map<
    string,
    { credential: Promise<Credential | undefined>; partnerId?: Id<'partner'>; readAt: number }
  >()
  return {
    async find(clientId) {
      const now = clock.now().getTime()
      const entry = known.get(clientId)
      if (entry !== undefined && now - entry.readAt < freshForMs) return entry.credential
      const reading = { credential: findCredential(db, cipher, clientId), readAt: now }
      known.set(clientId, reading)
      try {
        const credential = await reading.credential
        if (credential !== undefined && known.get(clientId) === reading)
          known.set(clientId, { ...reading, partnerId: credential.partnerId })
        return credential
      } catch (error) {
        known.delete(clientId)
        throw error
      }
    },
    forget(partnerId) {
      for (const [clientId, entry] of known) {
        // A read in progress may have started before the change, so drop it too.
        if (entry.partnerId === partnerId || entry.partnerId === undefined) known.delete(clientId)
      }
    },
  }
}

import type { Database } from '../../db/database.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Id } from '../../kernel/ids.ts'
import { type Credential, findCredential } from './partners.store.ts'

/**
 * Whom the client ids act for, as last read: at most `freshForMs` old, so that disabling a partner or removing credentials
 * takes effect within seconds everywhere.
 */
export interface PartnerDirectory {
  /** Undefined where the client id is not registered, or no longer. */
  find(clientId: string): Promise<Credential | undefined>
  /** Forgets what belongs to a partner at once: after this process has changed it. */
  forget(partnerId: Id<'partner'>): void
}

const freshForMs = 2_000

export function createPartnerDirectory({ db, clock }: { db: Database; clock: Clock }): PartnerDirectory {
  const known = new Map<
    string,
    { credential: Promise<Credential | undefined>; partnerId?: Id<'partner'>; readAt: number }
  >()
  return {
    async find(clientId) {
      const now = clock.now().getTime()
      const entry = known.get(clientId)
      if (entry !== undefined && now - entry.readAt < freshForMs) return entry.credential
      const reading = { credential: findCredential(db, clientId), readAt: now }
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
        // One that is being read may be read too early: it is read again.
        if (entry.partnerId === partnerId || entry.partnerId === undefined) known.delete(clientId)
      }
    },
  }
}

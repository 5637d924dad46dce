import type { Database } from '../../db/database.ts'
import type { Clock } from '../kernel/clock.ts'
import { findPartner, type Partner } from './partners.store.ts'

/** The partners as last read: at most `freshForMs` old, so that disabling one takes effect within seconds everywhere. */
export interface PartnerDirectory {
  find(partnerId: string): Promise<Partner | undefined>
  /** Forgets one at once: after this process has changed it. */
  forget(partnerId: string): void
}

const freshForMs = 2_000

export function createPartnerDirectory({ db, clock }: { db: Database; clock: Clock }): PartnerDirectory {
  const known = new Map<string, { partner: Promise<Partner | undefined>; readAt: number }>()
  return {
    async find(partnerId) {
      const now = clock.now().getTime()
      const entry = known.get(partnerId)
      if (entry !== undefined && now - entry.readAt < freshForMs) return entry.partner
      const partner = findPartner(db, partnerId)
      known.set(partnerId, { partner, readAt: now })
      try {
        return await partner
      } catch (error) {
        known.delete(partnerId)
        throw error
      }
    },
    forget(partnerId) {
      known.delete(partnerId)
    },
  }
}

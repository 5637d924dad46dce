import type { Origin } from '../../db/access.ts'
import { listPartners } from '../auth/partners.store.ts'
import { listQuotesErasedSince } from './erasure.store.ts'
import type { RetentionDependencies } from './remove-abandoned-quotes.ts'
import { removeReference } from './remove-reference.ts'

const origin: Origin = { actor: 'worker', operation: 'removeReferences' }
const twoDaysMs = 2 * 86_400_000

/**
 * Repeats `removeReference` for quotes whose only remaining person was erased within the past two days, in case a process stopped before
 * it had removed the references.
 */
export async function removeRemainingReferences({ databases, clock }: RetentionDependencies): Promise<void> {
  const since = new Date(clock.now().getTime() - twoDaysMs)
  for (const { partnerId } of await listPartners(databases.system)) {
    const db = databases.forPartner(partnerId, origin)
    for (const { quoteId } of await listQuotesErasedSince(db, partnerId, since))
      await removeReference(db, partnerId, quoteId)
  }
}

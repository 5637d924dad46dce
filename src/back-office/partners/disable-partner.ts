import { countContractsInForce } from '../../contracts/contracts.store.ts'
import { partnerIdOf } from '../../partners/managing/partner-id.ts'
import { findPartner, markPartnerDisabled, type Partner } from '../../partners/partners.store.ts'
import type { Database } from '../../platform/db/database.ts'
import type { Clock } from '../../platform/kernel/clock.ts'

/**
 * `housebill partner disable`: disables a partner, given its id or one of its client ids. Its tokens stop working
 * within seconds. Disabling it again keeps the time of the first call. Its contracts in force go on. Returns undefined
 * for an unknown id.
 */
export async function disablePartner(
  { db, clock }: { db: Database; clock: Clock },
  id: string,
): Promise<(Partner & { contractsInForce: number }) | undefined> {
  const partnerId = await partnerIdOf(db, id)
  await markPartnerDisabled(db, partnerId, clock.now())
  const partner = await findPartner(db, partnerId)
  return partner && { ...partner, contractsInForce: await countContractsInForce(db, partner.partnerId) }
}

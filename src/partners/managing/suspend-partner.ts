import type { Database } from '../../platform/db/database.ts'
import type { Clock } from '../../platform/kernel/clock.ts'
import { findPartner, type Partner, updateSuspension } from '../partners.store.ts'
import { partnerIdOf } from './partner-id.ts'

/**
 * `housebill partner suspend`: rejects every call of a partner, given its id or one of its client ids, within two
 * seconds. Everything that does not need a call of the partner goes on: deliveries, notices of the payment processor,
 * scheduled jobs and tenants' links. Suspending it again keeps the time of the first call.
 */
export async function suspendPartner(
  { db, clock }: { db: Database; clock: Clock },
  id: string,
): Promise<Partner | { rejected: 'unknown_partner' | 'partner_disabled' }> {
  return change(db, id, clock.now())
}

/**
 * `housebill partner resume`: accepts the calls of a suspended partner again, within two seconds. Does nothing to any
 * other partner.
 */
export async function resumePartner(
  { db }: { db: Database },
  id: string,
): Promise<Partner | { rejected: 'unknown_partner' | 'partner_disabled' }> {
  return change(db, id, null)
}

async function change(
  db: Database,
  id: string,
  suspendedAt: Date | null,
): Promise<Partner | { rejected: 'unknown_partner' | 'partner_disabled' }> {
  const partnerId = await partnerIdOf(db, id)
  const isEnabled = await updateSuspension(db, partnerId, suspendedAt)
  const partner = await findPartner(db, partnerId)
  if (partner === undefined) return { rejected: 'unknown_partner' }
  return isEnabled ? partner : { rejected: 'partner_disabled' }
}

import type { Origin } from '../../db/access.ts'
import { inTransaction } from '../../db/database.ts'
import type { Databases } from '../../db/databases.ts'
import type { Clock } from '../kernel/clock.ts'
import type { FieldCipher } from '../kernel/field-encryption.ts'
import type { ProcessorNotice } from './payment-processor.ts'
import { findNoticeOwner, takeInNotice } from './take-in-notice.ts'

/**
 * Takes in a verified notice of the processor. Repeated, late and out-of-order ones change nothing; one about an intent or
 * customer we do not know (another system's, or one removed since) is accepted and passed over. Returns whether it was ours.
 */
export async function recordProcessorNotice(
  { databases, cipher, clock }: { databases: Databases; cipher: FieldCipher; clock: Clock },
  notice: ProcessorNotice,
  requestId: string,
): Promise<boolean> {
  if (notice.kind === 'other') return false
  const owner = await findNoticeOwner(databases.system, notice)
  if (owner === undefined) return false
  const now = clock.now()
  const origin: Origin = { actor: 'processor', requestId, operation: 'processorNotice' }
  const db = databases.forPartner(owner.partnerId, origin)
  return inTransaction(db, {}, (tx) => takeInNotice(tx, cipher, { owner, notice, now }))
}

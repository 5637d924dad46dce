import { acknowledgePsrEntry, lockPsrEntry } from '../../contracts/operator-feeds/psr-entries.store.ts'
import type { Caller } from '../../partners/caller.ts'
import { type Database, inTransaction } from '../../platform/db/database.ts'
import { DomainError } from '../../platform/kernel/errors.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import { acknowledgedOtherwise, unknownVersion } from '../contract-feed/acknowledgement-errors.ts'
import { findOwnerOfPsrEntry } from './psr-entries.store.ts'

/** A version of a customer's registration that was acknowledged. */
export interface AcknowledgedPsrEntry {
  customerId: Id<'tenant'>
  version: number
  reference: string
  acknowledgedAt: Date
  /** Whether it is the latest version, so that nothing is left to take over. */
  isLatest: boolean
}

/**
 * POST /operator-api/PriorityServices/{customerId}/acknowledge: records that a version has been passed on, and all
 * before it. Repeating it is harmless. Throws `acknowledged_otherwise` under another reference, `validation_failed` for
 * a version that does not exist or is older than the acknowledged one, and `not_found` without an entry.
 */
export function acknowledgePsr(
  { db }: { db: Database },
  caller: Caller,
  { customerId, version, reference }: { customerId: Id<'tenant'>; version: number; reference: string },
): Promise<AcknowledgedPsrEntry> {
  const { partnerId, now } = caller
  return inTransaction(db, caller, async (tx) => {
    const entry = await lockPsrEntry(tx, partnerId, customerId)
    if (entry === undefined) throw new DomainError('not_found', 'This customer is not in the register feed.')
    const { acknowledgedVersion, acknowledgedAt } = entry
    if (version > entry.version || version < acknowledgedVersion)
      throw unknownVersion({ from: Math.max(1, acknowledgedVersion), to: entry.version })
    const isLatest = version === entry.version
    if (version > acknowledgedVersion || acknowledgedAt === null) {
      await acknowledgePsrEntry(tx, { partnerId, customerId }, { version, reference, acknowledgedAt: now })
      return { customerId, version, reference, acknowledgedAt: now, isLatest }
    }
    if (entry.reference !== reference)
      throw acknowledgedOtherwise({ version, reference: entry.reference ?? '', acknowledgedAt })
    return { customerId, version, reference, acknowledgedAt, isLatest }
  })
}

/** The partner whose customer has an entry in the register feed; undefined without an entry. */
export function findPsrOwner(
  { db }: { db: Database },
  customerId: string,
): Promise<{ partnerId: Id<'partner'>; clockOffsetSeconds: number } | undefined> {
  return findOwnerOfPsrEntry(db, customerId)
}

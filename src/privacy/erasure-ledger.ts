import type { Id } from '../platform/kernel/ids.ts'

/**
 * `requested`: the partner or the operator erased the customer; `forced`: during a contract; `retention`: a scheduled
 * job did.
 */
export const erasureReasons = ['requested', 'forced', 'retention'] as const
export type ErasureReason = (typeof erasureReasons)[number]

/** One erasure: ids and times only, never personal data. */
export interface LedgerEntry {
  customerId: Id<'tenant'>
  partnerId: Id<'partner'>
  erasedAt: Date
  reason: ErasureReason
}

/**
 * A record of erasures that is kept outside the database, so that they can be repeated after an older backup is
 * restored.
 */
export interface ErasureLedger {
  /**
   * Returns once the entries are on the disk. Call it as the last step of the transaction that erases: an entry whose
   * transaction then fails is harmless, but an erasure without an entry would be lost with a restore. Throws
   * `service_unavailable` if it cannot be written.
   */
  append(entries: readonly LedgerEntry[]): Promise<void>
}

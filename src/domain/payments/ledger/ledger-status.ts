/**
 * The statuses of an entry in the ledger. `planned`: due some day. `submitted`: the processor was asked, and has not answered. `waived`: given up after a
 * failure. `cancelled`: no longer owed.
 */
export const ledgerStatuses = [
  'planned',
  'submitted',
  'failed',
  'paid',
  'refunded',
  'disputed',
  'waived',
  'cancelled',
] as const
export type LedgerStatus = (typeof ledgerStatuses)[number]

/** What the operator may report of an entry. A payment that fails may be asked for again; one that was paid may be paid back in parts. */
export const paymentMayBecome: Readonly<Record<LedgerStatus, readonly LedgerStatus[]>> = {
  planned: ['submitted', 'paid', 'failed'],
  submitted: ['paid', 'failed'],
  failed: ['submitted', 'paid', 'failed', 'waived'],
  paid: ['refunded', 'disputed'],
  refunded: [],
  disputed: [],
  waived: [],
  cancelled: [],
}

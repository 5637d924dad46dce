/**
 * The statuses of an entry in the ledger. `planned`: due some day. `submitted`: the processor was asked, and has not
 * answered. `disputed`: the tenant's bank took the money back. `reopened`: it was taken for paid and is not, and what
 * is owed of it is put back on the plan as another entry. `waived`: given up. `cancelled`: no longer owed.
 */
export const ledgerStatuses = [
  'planned',
  'submitted',
  'failed',
  'paid',
  'refunded',
  'disputed',
  'reopened',
  'waived',
  'cancelled',
] as const
export type LedgerStatus = (typeof ledgerStatuses)[number]

/** What the operator can report of an entry: a status, or what became of a dispute. */
export const reportableStatuses = [
  'submitted',
  'paid',
  'failed',
  'refunded',
  'disputed',
  'dispute_won',
  'dispute_lost',
  'waived',
] as const
export type ReportableStatus = (typeof reportableStatuses)[number]

/**
 * What the operator may report of an entry. A payment that fails may be asked for again; one that was paid may be paid
 * back in parts, and taken back by the tenant's bank. What is owed again may be given up.
 */
export const paymentMayBecome: Readonly<Record<LedgerStatus, readonly ReportableStatus[]>> = {
  planned: ['submitted', 'paid', 'failed'],
  submitted: ['paid', 'failed'],
  failed: ['submitted', 'paid', 'failed', 'waived'],
  paid: ['refunded', 'disputed'],
  refunded: [],
  disputed: ['dispute_won', 'dispute_lost', 'waived'],
  reopened: ['paid', 'waived'],
  waived: [],
  cancelled: [],
}

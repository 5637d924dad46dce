import { operatorAccountId } from '../../partners/operators/operator-scopes.ts'
import type { Database } from '../../platform/db/database.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import type { ExportPage } from '../export-files/export-page.ts'
import {
  type CommissionTotal,
  type EntryPosition,
  listCommissionEntries,
  type StatementFilter,
  sumCommission,
} from './commission-entries.store.ts'
import type { CommissionEntry } from './commission-entry.ts'
import { findPartnerOwner, listTerms } from './commission-terms.store.ts'
import type { CommissionTerms } from './commission-terms.ts'

/** The columns of a statement. docs/operator/commission.md describes them. */
export const statementColumns: readonly string[] = [
  ...['month', 'partnerId', 'countsOn', 'kind', 'contractNumber', 'quoteId', 'branch', 'soldBy'],
  ...['termNumber', 'numberInMonth'],
  ...[
    'valueNet',
    'basisPoints',
    'fixedAmount',
    'termDays',
    'householdDays',
    'unsuppliedDays',
    'refundEntryId',
    'amount',
  ],
]

/** How many entries are read at a time. */
const batchSize = 1_000

/**
 * GET /operator-api/Reports/commission: a page of the entries on a month's statements, by partner and day, and the
 * totals of all of them.
 */
export async function readStatements(
  { db }: { db: Database },
  filter: StatementFilter,
  { after, limit }: { after: EntryPosition | undefined; limit: number },
): Promise<{ totals: CommissionTotal[]; entries: CommissionEntry[]; hasMore: boolean }> {
  const totals = await sumCommission(db, filter)
  const found = await listCommissionEntries(db, filter, { after, limit: limit + 1 })
  return { totals, entries: found.slice(0, limit), hasMore: found.length > limit }
}

/**
 * GET /operator-api/Reports/commission/export: all entries on a month's statements, in the same order. Memory use does
 * not grow with their number.
 */
export async function* statementPages({ db }: { db: Database }, filter: StatementFilter): AsyncGenerator<ExportPage> {
  let after: EntryPosition | undefined
  for (;;) {
    const entries = await listCommissionEntries(db, filter, { after, limit: batchSize })
    yield { rows: entries.map((entry) => ({ ...entry })), cursor: null, share: 1 }
    if (entries.length < batchSize) return
    after = entries.at(-1)
  }
}

/** GET /operator-api/Partners/{partnerId}/commission-terms: every term by its first day. */
export function listCommissionTerms(
  { db }: { db: Database },
  { partnerId }: { partnerId: Id<'partner'> },
): Promise<CommissionTerms[]> {
  return listTerms(db, partnerId)
}

/** The partner that a call of the operator's is about; undefined for an unknown id. */
export function findCommissionOwner({ db }: { db: Database }, partnerId: string) {
  return findPartnerOwner(db, partnerId, operatorAccountId)
}

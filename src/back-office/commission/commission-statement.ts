import type { Caller } from '../../partners/caller.ts'
import { type Database, inTransaction, type Queryable } from '../../platform/db/database.ts'
import { DomainError, invalidFields } from '../../platform/kernel/errors.ts'
import type { FieldCipher } from '../../platform/kernel/field-encryption.ts'
import { type Id, newId } from '../../platform/kernel/ids.ts'
import type { ExportPage } from '../export-files/export-page.ts'
import {
  answerQuery,
  type CommissionTotal,
  type EntryPosition,
  findLine,
  insertQuery,
  listCommissionEntries,
  listQueries,
  type StatementFilter,
  sumCommission,
} from './commission-entries.store.ts'
import { type CommissionEntry, maxQueries, type StatementLine } from './commission-entry.ts'
import { listTerms, lockCommission } from './commission-terms.store.ts'
import type { CommissionTerms } from './commission-terms.ts'

/** The columns of a statement. docs/operator/commission.md describes them. */
export const statementColumns: readonly string[] = [
  ...['lineId', 'month', 'partnerId', 'countsOn', 'kind', 'contractNumber', 'quoteId', 'branch', 'soldBy'],
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
 * GET /operator-api/Reports/commission and GET /Reports/commission: a page of the entries on a month's statements, by partner and day, and the
 * totals of all of them.
 */
export async function readStatements(
  { db, cipher }: { db: Database; cipher: FieldCipher },
  filter: StatementFilter,
  { after, limit }: { after: EntryPosition | undefined; limit: number },
): Promise<{ totals: CommissionTotal[]; entries: StatementLine[]; hasMore: boolean }> {
  const totals = await sumCommission(db, filter)
  const found = await listCommissionEntries(db, filter, { after, limit: limit + 1 })
  const entries = await withQueries(db, cipher, filter.partnerId, found.slice(0, limit))
  return { totals, entries, hasMore: found.length > limit }
}

async function withQueries(
  db: Queryable,
  cipher: FieldCipher,
  partnerId: string | undefined,
  lines: readonly CommissionEntry[],
): Promise<StatementLine[]> {
  const queries = await listQueries(db, cipher, { partnerId, lineIds: lines.map(({ lineId }) => lineId) })
  return lines.map((line) => ({ ...line, queries: queries.filter(({ lineId }) => lineId === line.lineId) }))
}

/** The line of a partner by its id, or that of a query about it. Throws `not_found`. */
async function requireLine(
  { db, cipher }: { db: Queryable; cipher: FieldCipher },
  partnerId: Id<'partner'>,
  by: Parameters<typeof findLine>[2],
): Promise<StatementLine> {
  const line = await findLine(db, partnerId, by)
  const [found] = await withQueries(db, cipher, partnerId, line === undefined ? [] : [line])
  if (found === undefined) throw new DomainError('not_found', 'There is no such line on a statement.')
  return found
}

/**
 * POST /Reports/commission/{id}/queries: asks the operator about a line. Throws `not_found` and, while an earlier query
 * about it is open or once there are 20, `validation_failed`.
 */
export async function queryCommissionLine(
  { db, cipher }: { db: Database; cipher: FieldCipher },
  caller: Caller,
  lineId: string,
  text: string,
): Promise<StatementLine> {
  const { partnerId, now: askedAt } = caller
  return inTransaction(db, caller, async (tx) => {
    await lockCommission(tx, partnerId)
    const line = await requireLine({ db: tx, cipher }, partnerId, { lineId })
    if (line.queries.some(({ answer }) => answer === null))
      throw notNow('/text', 'The operator has not answered your last query about this line. Wait for the answer.')
    if (line.queries.length >= maxQueries) throw notNow('/text', `A line has at most ${maxQueries} queries.`)
    await insertQuery(tx, cipher, { partnerId, lineId: line.lineId, queryId: newId('query'), text, askedAt })
    return requireLine({ db: tx, cipher }, partnerId, { lineId })
  })
}

/** GET /operator-api/Reports/commission/queries/{queryId}: the line with what was asked about it. Throws `not_found`. */
export function readCommissionQuery(
  deps: { db: Database; cipher: FieldCipher },
  { partnerId }: { partnerId: Id<'partner'> },
  queryId: string,
): Promise<StatementLine> {
  return requireLine(deps, partnerId, { queryId })
}

/**
 * POST /operator-api/Reports/commission/queries/{queryId}/answer: the partner reads it on the statement. Throws
 * `not_found` and, for a query with another answer, `validation_failed`.
 */
export async function answerCommissionQuery(
  { db, cipher }: { db: Database; cipher: FieldCipher },
  caller: Caller,
  queryId: string,
  answer: string,
): Promise<StatementLine> {
  const { partnerId, now: answeredAt } = caller
  return inTransaction(db, caller, async (tx) => {
    const isStored = await answerQuery(tx, cipher, { partnerId, queryId, answer, answeredAt })
    const line = await requireLine({ db: tx, cipher }, partnerId, { queryId })
    if (!isStored && line.queries.find((query) => query.queryId === queryId)?.answer !== answer)
      throw notNow('/answer', 'The query has been answered, and an answer stays as it is.')
    return line
  })
}

function notNow(pointer: string, detail: string): DomainError {
  return invalidFields([{ pointer, code: 'not_allowed', detail }])
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

import { type Database, inTransaction, type ResponseRecorder } from '../../platform/db/database.ts'
import type { Clock } from '../../platform/kernel/clock.ts'
import { DomainError } from '../../platform/kernel/errors.ts'
import type { FieldCipher } from '../../platform/kernel/field-encryption.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import type { DueImport, ImportRow, RowContent } from './import.ts'
import {
  countAttempt,
  countLinkMails,
  endImportRow,
  findImportForUpdate,
  listDueImports,
  listHouseholdsInForce,
  listImportRows,
  updateImport,
} from './imports.store.ts'

interface Dependencies {
  db: Database
  cipher: FieldCipher
  clock: Clock
}

/** What came of a row that was done. */
export interface DoneRow {
  outcome: 'done' | 'unchanged'
  quoteId: Id<'quote'>
  tenants?: RowContent['tenants']
}

/** The imports with rows to do, in the order in which they were made. */
export function listDue(...[db, page]: Parameters<typeof listDueImports>): Promise<DueImport[]> {
  return listDueImports(db, page)
}

/** The rows of an import that are not done with. */
export function pendingRows({ db, cipher }: Dependencies, due: DueImport): Promise<ImportRow[]> {
  return listImportRows(db, cipher, due, { after: 0, limit: 500, isPending: true })
}

/** Records a row in the transaction of what it does. Throws `RowEnded` if it was done or cancelled meanwhile. */
export function recorderOf<Result>(
  { cipher, clock }: Dependencies,
  due: DueImport,
  { row, content }: ImportRow,
  done: (result: Result) => DoneRow,
): ResponseRecorder {
  return {
    effectKey: `${due.importId}/${row}`,
    async record(tx, result) {
      // Safe: the operation's result reaches the recorder that was passed to it.
      const { outcome, quoteId, tenants } = done(result as Result)
      const kept = { sent: content?.sent ?? {}, ...(tenants === undefined ? {} : { tenants }) }
      const ended = { row, outcome, quoteId, content: kept }
      if (!(await endImportRow(tx, cipher, due, ended, clock.now()))) throw new RowEnded('the row was ended meanwhile')
    },
  }
}

class RowEnded extends Error {
  override readonly name = 'RowEnded'
}

/** How often a row is tried that fails for reasons that pass. */
const mostAttempts = 10

/**
 * Records that a row failed. If the reason may pass, the error is thrown, and the row is tried again by the next run,
 * at most ten times.
 */
export async function failRow(
  deps: Dependencies,
  due: DueImport,
  { row, content }: ImportRow,
  error: unknown,
): Promise<void> {
  const { db, cipher, clock } = deps
  if (error instanceof RowEnded) return
  const passes = !(error instanceof DomainError) || ['service_unavailable', 'rate_limited'].includes(error.code)
  if (passes && (await inTransaction(db, {}, (tx) => countAttempt(tx, due, row))) < mostAttempts) throw error
  const details = error instanceof DomainError ? error.fields.map(({ detail }) => detail) : []
  const problem = {
    code: error instanceof DomainError ? error.code : 'internal_error',
    detail:
      details.length > 0 ? [...new Set(details)].join(' ') : error instanceof DomainError ? error.message : unknown,
    pointer: error instanceof DomainError ? (error.fields[0]?.pointer ?? '') : '',
  }
  const failed = { row, outcome: 'failed', quoteId: null, content: { sent: content?.sent ?? {}, problem } } as const
  await inTransaction(db, {}, (tx) => endImportRow(tx, cipher, due, failed, clock.now()))
  if (!(error instanceof DomainError)) throw error
}

const unknown = 'Something went wrong in Housebill. Send the row again; if it fails again, ask the operator.'

/** From how many wrong addresses, and above which share of those who were e-mailed, no further row begins. */
const wrongAddresses = { atLeast: 3, percent: 3 }
/** How many links may wait to be sent: whether they arrive decides whether further rows begin. */
const mostWaiting = 100

/** Whether no row of an import can begin now. If too many addresses were wrong, it waits for its partner. */
export async function hasToWait({ db, cipher, clock }: Dependencies, due: DueImport): Promise<boolean> {
  if (due.kind === 'end') return false
  const { sent, wrong, waiting } = await countLinkMails(db, due.partnerId, due.continuedAt)
  if (wrong < wrongAddresses.atLeast || wrong * 100 <= sent * wrongAddresses.percent) return waiting >= mostWaiting
  await inTransaction(db, {}, async (tx) => {
    const found = await findImportForUpdate(tx, cipher, due)
    if (found?.begunAt == null) return
    await updateImport(tx, cipher, { ...found, pausedAt: clock.now() }, clock.now())
  })
  return true
}

/** The household with contracts in force that a reference or a property means. Throws `not_found`. */
export async function findHousehold(
  { db, cipher }: Dependencies,
  partnerId: Id<'partner'>,
  by: { reference: string } | { addressUid: string },
): Promise<Id<'quote'>> {
  const [found, second] = await listHouseholdsInForce(db, cipher, partnerId, by)
  if (found === undefined) throw new DomainError('not_found', 'None of your households has contracts in force there.')
  if (second !== undefined)
    throw new DomainError('not_found', 'Two of your households have contracts in force there. Send its quoteId.')
  return found.quoteId
}

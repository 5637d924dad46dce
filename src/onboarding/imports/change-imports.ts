import type { Caller } from '../../partners/caller.ts'
import type { ReadLog } from '../../platform/audit/read-log.ts'
import { type Database, inTransaction } from '../../platform/db/database.ts'
import type { Clock } from '../../platform/kernel/clock.ts'
import { DomainError, invalidFields, notFound } from '../../platform/kernel/errors.ts'
import type { FieldCipher } from '../../platform/kernel/field-encryption.ts'
import { type Id, newId } from '../../platform/kernel/ids.ts'
import type { Import, ImportKind, ImportRow, RowContent } from './import.ts'
import {
  cancelPendingRows,
  findImport,
  findImportForUpdate,
  insertImport,
  insertImportRows,
  listImportRows,
  listImports,
  updateImport,
} from './imports.store.ts'

interface Dependencies {
  db: Database
  cipher: FieldCipher
  clock: Clock
}

/** An import with a page of its rows. */
export interface ImportPage extends Import {
  rows: ImportRow[]
  hasMore: boolean
}

/** What a partner changes: what is left out stays. */
interface Changes {
  /** The kind of the rows. */
  kind?: ImportKind | undefined
  /** Null to forget it. */
  draft?: string | null | undefined
  /** The rows to begin. */
  rows?: readonly RowContent['sent'][] | undefined
  /** Whether to go on although many addresses were wrong. */
  goOn?: boolean | undefined
}

/** How many rows the response to a change shows. */
const firstRows = 100

/** POST /Imports: with rows, they are begun; otherwise, it is a draft. */
export function createImport(
  deps: Dependencies,
  caller: Caller,
  changes: Changes & { kind: ImportKind },
): Promise<ImportPage> {
  const { partnerId, clientId: createdBy, now: createdAt } = caller
  const made = { partnerId, importId: newId('import'), kind: changes.kind, createdBy, createdAt }
  return inTransaction(deps.db, caller, async (tx) => {
    await insertImport(tx, made)
    return change(tx, deps, caller, made.importId, changes)
  })
}

/** PATCH /Imports/{id}. Throws `import_begun` for rows if it has some. */
export function changeImport(
  deps: Dependencies,
  caller: Caller,
  importId: Id<'import'>,
  changes: Changes,
): Promise<ImportPage> {
  return inTransaction(deps.db, caller, (tx) => change(tx, deps, caller, importId, changes))
}

/** POST /Imports/{id}/cancel: rows that are not done stay undone. A draft is forgotten. */
export function cancelImport(deps: Dependencies, caller: Caller, importId: Id<'import'>): Promise<ImportPage> {
  return inTransaction(deps.db, caller, async (tx) => {
    const key = { partnerId: caller.partnerId, importId }
    const { begunAt } = await lock(tx, deps, key)
    await cancelPendingRows(tx, key)
    return change(tx, deps, caller, importId, begunAt === null ? { draft: null } : {})
  })
}

/** GET /Imports/{id}. The audit log says that each customer on the page was read. */
export async function readImport(
  { db, cipher, readLog }: Dependencies & { readLog: ReadLog },
  { partnerId }: Caller,
  importId: Id<'import'>,
  page: { after: number; limit: number },
): Promise<ImportPage> {
  const found = await findImport(db, cipher, { partnerId, importId })
  if (found === undefined) throw notFound('import')
  const shown = await withRows(db, cipher, found, page)
  const tenants = shown.rows.flatMap(({ content }) => content?.tenants ?? [])
  await Promise.all(tenants.map(({ customerId }) => readLog.record(db, { subjectType: 'customer', customerId })))
  return shown
}

/** GET /Imports: the latest first. */
export async function readImports(
  { db, cipher }: Dependencies,
  { partnerId }: Caller,
  { after, limit }: { after: Id<'import'> | undefined; limit: number },
): Promise<{ imports: Import[]; hasMore: boolean }> {
  const found = await listImports(db, cipher, partnerId, { after, limit: limit + 1 })
  return { imports: found.slice(0, limit), hasMore: found.length > limit }
}

type Tx = Parameters<typeof updateImport>[0]

async function lock(tx: Tx, { cipher }: Dependencies, key: Pick<Import, 'partnerId' | 'importId'>): Promise<Import> {
  const found = await findImportForUpdate(tx, cipher, key)
  if (found === undefined) throw notFound('import')
  return found
}

async function change(
  tx: Tx,
  deps: Dependencies,
  { partnerId, now }: Caller,
  importId: Id<'import'>,
  { kind, draft, rows, goOn = false }: Changes,
): Promise<ImportPage> {
  const { cipher, clock } = deps
  const key = { partnerId, importId }
  const before = await lock(tx, deps, key)
  if (rows !== undefined) {
    if (before.begunAt !== null)
      throw new DomainError('import_begun', 'The rows of this import have begun. Make another import for other rows.')
    if (kind !== before.kind)
      throw invalidFields([
        { pointer: '/kind', code: 'not_allowed', detail: `Send the kind of this import: ${before.kind}.` },
      ])
    await insertImportRows(tx, cipher, key, rows)
  }
  const after = {
    ...before,
    draft: draft === undefined ? before.draft : draft,
    begunAt: rows === undefined ? before.begunAt : now,
    ...(goOn && { pausedAt: null, continuedAt: now }),
  }
  await updateImport(tx, cipher, after, clock.now())
  const found = await lock(tx, deps, key)
  return withRows(tx, cipher, found, { after: 0, limit: firstRows })
}

async function withRows(
  db: Pick<Database, 'query'>,
  cipher: FieldCipher,
  found: Import,
  { after, limit }: { after: number; limit: number },
): Promise<ImportPage> {
  const rows = await listImportRows(db, cipher, found, { after, limit: limit + 1 })
  return { ...found, rows: rows.slice(0, limit), hasMore: rows.length > limit }
}

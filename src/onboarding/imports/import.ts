import type { Id } from '../../platform/kernel/ids.ts'

export const importKinds = ['start', 'end'] as const
export type ImportKind = (typeof importKinds)[number]

/** What came of a row that is done with. `unchanged`: the household was there already. */
export const rowOutcomes = ['done', 'unchanged', 'failed', 'cancelled'] as const
export type RowOutcome = (typeof rowOutcomes)[number]

/** Why a row failed: as the operation says that it uses. */
export interface RowProblem {
  code: string
  detail: string
  /** Where in the row; empty for the whole of it. */
  pointer: string
}

/** A row as it is stored, encrypted. */
export interface RowContent {
  sent: Readonly<Record<string, unknown>>
  problem?: RowProblem
  /** The links of a new household's tenants. */
  tenants?: readonly { customerId: string; name: string; email: string; url: string; expiresAt: string }[]
}

export interface ImportKey {
  partnerId: Id<'partner'>
  importId: Id<'import'>
}

export interface Import extends ImportKey {
  kind: ImportKind
  createdBy: string
  draft: string | null
  begunAt: Date | null
  pausedAt: Date | null
  continuedAt: Date | null
  createdAt: Date
  /** How many of its rows have each outcome. */
  counts: Record<RowOutcome | 'pending', number>
}

export interface ImportRow {
  row: number
  outcome: RowOutcome | null
  quoteId: Id<'quote'> | null
  /** Null after an erasure. */
  content: RowContent | null
}

/** An import with rows to do, and how far ahead its partner's clock is. */
export interface DueImport extends ImportKey {
  kind: ImportKind
  createdBy: string
  /** When the partner last said to go on; null if never. */
  continuedAt: Date | null
  clockOffsetSeconds: number
}

/** How many days after its last change an import is deleted. */
export const importRetentionDays = 30

import { createHash } from 'node:crypto'
import sqlTag, { empty as emptySql, join, type Sql } from 'sql-template-tag'

export type { Sql }

/** An empty fragment, for optional clauses. */
export const empty = emptySql

/**
 * Builds parameterised SQL: every `${value}` becomes a bind parameter, except that a nested `sql` is inserted as text.
 */
export const sql = sqlTag

/** Separates the items, by commas unless told otherwise. An item that is not `sql` becomes a bind parameter. */
export const joinSql = (items: readonly unknown[], separator = ', '): Sql => join(items, separator)

/** Statements are few: these are kept of at most so many. */
const maxKept = 1_000
const statementNames = new Map<string, string>()
const statementLabels = new Map<string, string>()

// Neither `for update` nor `do update` changes the table that follows.
const change = /(?<!\b(?:for|key|do)\s+)\b(insert|update|delete|merge)\s+(?:into\s+|from\s+|only\s+)?(?!set\b)(\w+)/i
const source = /\bfrom\s+(\w+)/i

/**
 * What a statement does, and to which table first, such as `insert quotes`: for traces, which must show no values.
 * Every word of it is a word of our own SQL.
 */
export function statementLabel(text: string): string {
  const known = statementLabels.get(text)
  if (known !== undefined) return known
  const [first = ''] = /\w+/.exec(text) ?? []
  const reads = /^with$/i.test(first) ? 'select' : first
  const [, verb = reads, table = source.exec(text)?.[1] ?? ''] = change.exec(text) ?? []
  const label = `${verb} ${table}`.trim().toLowerCase()
  if (statementLabels.size < maxKept) statementLabels.set(text, label)
  return label
}

/** The name of the prepared statement in PostgreSQL. Different texts have different names. */
export function statementName(text: string): string {
  const known = statementNames.get(text)
  if (known !== undefined) return known
  const name = createHash('sha256').update(text).digest('base64url').slice(0, 22)
  if (statementNames.size < maxKept) statementNames.set(text, name)
  return name
}

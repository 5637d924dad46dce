import { createHash } from 'node:crypto'
import sqlTag, { empty as emptySql, join, type Sql } from 'sql-template-tag'

export type { Sql }

/** An empty fragment, for optional clauses. */
export const empty = emptySql

/**
 * Builds parameterised SQL: every `${value}` becomes a bind parameter, except that a nested `sql` is inserted as text.
 */
export const sql = sqlTag

/** Separates the items by commas. An item that is not `sql` becomes a bind parameter. */
export const joinSql = (items: readonly unknown[]): Sql => join(items)

const statementNames = new Map<string, string>()

/** The name of the prepared statement in PostgreSQL. Different texts have different names. */
export function statementName(text: string): string {
  const known = statementNames.get(text)
  if (known !== undefined) return known
  const name = createHash('sha256').update(text).digest('base64url').slice(0, 22)
  if (statementNames.size < 1_000) statementNames.set(text, name)
  return name
}

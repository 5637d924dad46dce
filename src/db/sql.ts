import { createHash } from 'node:crypto'
import sqlTag, { empty as emptySql, type Sql } from 'sql-template-tag'

export type { Sql }

/** Nothing: where a clause is left out. */
export const empty = emptySql

/** Readable, parameterised SQL: every `${value}` becomes a bind parameter, a nested `sql` its text. */
export const sql = sqlTag

const statementNames = new Map<string, string>()

/** A name under which PostgreSQL keeps the prepared statement: one for each distinct text. */
export function statementName(text: string): string {
  const known = statementNames.get(text)
  if (known !== undefined) return known
  const name = createHash('sha256').update(text).digest('base64url').slice(0, 22)
  if (statementNames.size < 1_000) statementNames.set(text, name)
  return name
}

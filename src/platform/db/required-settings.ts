import { type Client, DatabaseError } from 'pg'
import { CommandError } from '../kernel/command-error.ts'

/**
 * Thrown if a connection pooler before the database cannot be used. The message is for the operator and names the
 * remedy.
 */
export class PoolerError extends Error {
  override readonly name = 'PoolerError'
}

/** A connection, as the pool hands it out. */
interface ProbedConnection {
  query(statement: { name: string; text: string }): Promise<unknown>
  release(destroy?: boolean): void
}

/** The SQLSTATEs of a statement that another client prepared on the same server connection, or that is gone. */
const lostStatement = new Set(['42P05', '26000'])

/**
 * Throws PoolerError if prepared statements get lost between a client and the server, as behind a pooler in transaction
 * mode that does not keep them. Prepares the same statement on two connections, which such a pooler serves with one.
 */
export async function requirePreparedStatements(connect: () => Promise<ProbedConnection>): Promise<void> {
  const connections = [await connect(), await connect()] as const
  const [first, second] = connections
  const probe = { name: 'housebill_probe', text: 'select 1' }
  let isLost = true
  try {
    for (const connection of [first, second, first]) await connection.query(probe)
    isLost = false
  } catch (error) {
    if (!(error instanceof DatabaseError) || !lostStatement.has(error.code ?? '')) throw error
    throw new PoolerError(
      'The connection pooler in DATABASE_URL does not keep prepared statements. With PgBouncer, use 1.21 or newer and set max_prepared_statements = 200; otherwise let DATABASE_URL lead to PostgreSQL itself.',
    )
  } finally {
    for (const connection of connections) connection.release(isLost)
  }
}

/**
 * Throws CommandError unless the connected database compares text by code points, whatever the C library and ICU do: an
 * update of either would corrupt every index of a text.
 */
export async function requireCollation(client: Client, variable: string): Promise<void> {
  const { rows } = await client.query<{ database: string; isGood: boolean; found: string }>(
    `select datname as database, datlocprovider = 'b' or datlocprovider = 'c' and datcollate in ('C', 'POSIX') as "isGood",
            case datlocprovider when 'i' then 'that of ICU' else datcollate end as found
       from pg_database where datname = current_database()`,
  )
  for (const { database, isGood, found } of rows) {
    if (isGood) continue
    throw new CommandError(
      'database',
      `The collation of the database in ${variable} is ${found}: an update of the system would corrupt its indexes. Dump the database, make it anew with: create database ${client.escapeIdentifier(database)} template template0 encoding 'UTF8' locale_provider builtin builtin_locale 'C.UTF-8' locale 'C' (PostgreSQL 16: without locale_provider and builtin_locale), and restore the dump.`,
    )
  }
}

interface Setting {
  name: string
  wanted: string
  isGood: RegExp
}

/** The settings of a session without which values are read or stored wrongly. */
const required: readonly Setting[] = [
  { name: 'DateStyle', wanted: 'ISO, MDY', isGood: /^ISO\b/ },
  { name: 'IntervalStyle', wanted: 'postgres', isGood: /^postgres$/ },
  { name: 'TimeZone', wanted: 'UTC', isGood: /^(UTC|Etc\/UTC)$/ },
  { name: 'default_transaction_isolation', wanted: 'read committed', isGood: /^read committed$/ },
  { name: 'default_transaction_read_only', wanted: 'off', isGood: /^off$/ },
  { name: 'default_transaction_deferrable', wanted: 'off', isGood: /^off$/ },
  { name: 'standard_conforming_strings', wanted: 'on', isGood: /^on$/ },
  { name: 'bytea_output', wanted: 'hex', isGood: /^hex$/ },
  { name: 'extra_float_digits', wanted: '1', isGood: /^[123]$/ },
  { name: 'array_nulls', wanted: 'on', isGood: /^on$/ },
  { name: 'transform_null_equals', wanted: 'off', isGood: /^off$/ },
  { name: 'row_security', wanted: 'on', isGood: /^on$/ },
]

/**
 * The settings of a session without which the service gets slower with every row. PostgreSQL keeps the plans that it
 * makes while tables are small, and must not go on reading all of a table that has grown.
 */
const forSpeed: readonly Setting[] = [{ name: 'enable_seqscan', wanted: 'off', isGood: /^off$/ }]

/** A setting with another value than it should have. */
interface WrongSetting {
  name: string
  value: string
  wanted: string
}

async function findWrongSettings(client: Client, settings: readonly Setting[]): Promise<WrongSetting[]> {
  const { rows } = await client.query<{ name: string; value: string }>(
    'select name, current_setting(name) as value from unnest($1::text[]) as name',
    [settings.map(({ name }) => name)],
  )
  return settings.flatMap(({ name, wanted, isGood }) => {
    const { value } = rows.find((row) => row.name === name) ?? { value: '' }
    return isGood.test(value) ? [] : [{ name, value, wanted }]
  })
}

/**
 * Gives the connected login the settings that the service relies on or works best with, for its later sessions in this
 * database, if the role, the database or the server has others. They are stored in PostgreSQL: a setting of a session
 * would be lost, or reach others, behind a connection pooler.
 */
export async function storeRequiredSettings(client: Client): Promise<void> {
  const wrong = await findWrongSettings(client, [...required, ...forSpeed])
  if (wrong.length === 0) return
  const { rows } = await client.query<{ login: string; database: string }>(
    'select session_user as login, current_database() as database',
  )
  for (const { login, database } of rows) {
    const whom = `${client.escapeIdentifier(login)} in database ${client.escapeIdentifier(database)}`
    for (const { name, wanted } of wrong) {
      await client
        .query(`alter role ${whom} set ${name} to ${client.escapeLiteral(wanted)}`)
        .catch((error: unknown) => {
          // The check that follows reports the setting with its remedy.
          if (!(error instanceof DatabaseError && error.code === '42501')) throw error
        })
    }
  }
}

/**
 * Throws CommandError if a new session has settings that the service cannot work with. `variable` is the setting that
 * names the login.
 */
export async function requireSettings(client: Client, variable: string): Promise<void> {
  const wrong = await findWrongSettings(client, required)
  if (wrong.length === 0) return
  const { rows } = await client.query<{ login: string; database: string }>(
    'select session_user as login, current_database() as database',
  )
  const { login = '', database = '' } = rows[0] ?? {}
  const whom = `${client.escapeIdentifier(login)} in database ${client.escapeIdentifier(database)}`
  const found = wrong.map(({ name, value }) => `${name} is "${value}"`).join(', ')
  const statements = wrong.map(({ name, wanted }) => `alter role ${whom} set ${name} to '${wanted}';`)
  throw new CommandError(
    'database',
    `Sessions of the login in ${variable} have settings that Housebill cannot work with: ${found}. Remove them from the URL, PGOPTIONS and the connection pooler, or run: ${statements.join(' ')}`,
  )
}

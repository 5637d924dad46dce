import { type Client, DatabaseError } from 'pg'
import { CommandError } from '../kernel/command-error.ts'

/** The settings of a session without which values are read or stored wrongly. */
const required: readonly { name: string; wanted: string; isGood: RegExp }[] = [
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

/** A setting whose value the service cannot work with. */
interface WrongSetting {
  name: string
  value: string
  wanted: string
}

async function findWrongSettings(client: Client): Promise<WrongSetting[]> {
  const { rows } = await client.query<{ name: string; value: string }>(
    'select name, current_setting(name) as value from unnest($1::text[]) as name',
    [required.map(({ name }) => name)],
  )
  return required.flatMap(({ name, wanted, isGood }) => {
    const { value } = rows.find((row) => row.name === name) ?? { value: '' }
    return isGood.test(value) ? [] : [{ name, value, wanted }]
  })
}

/**
 * Gives the connected login the settings that the service relies on, for its later sessions in this database, if the
 * role, the database or the server has others. They are stored in PostgreSQL: a setting of a session would be lost, or
 * reach others, behind a connection pooler.
 */
export async function storeRequiredSettings(client: Client): Promise<void> {
  const wrong = await findWrongSettings(client)
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
  const wrong = await findWrongSettings(client)
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

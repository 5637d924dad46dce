import { type Client, DatabaseError } from 'pg'
import { MigrationError } from './migration-error.ts'

/*
 * The database roles whose rights this program's logins have. They cannot log in, own nothing and do not bypass
 * row-level security. The migrations define what each may do (grants and policies);
 * contributing/decisions/0010-row-level-security.md gives the reasons.
 */

/** The role for work on behalf of one partner. Without a partner, it sees no partner's rows. */
export const appRole = 'housebill_app'

/**
 * The role for work across partners: authentication, delivery, jobs, the operator's commands and the operator's API.
 */
export const systemRole = 'housebill_system'

const runtimeRoles = [appRole, systemRole] as const
export type RuntimeRole = (typeof runtimeRoles)[number]

/**
 * A connection string whose sessions have this role from the start, even after RESET ROLE and DISCARD ALL. For direct
 * connections only, because connection poolers reject start-up options.
 */
export function connectionStringAs(role: RuntimeRole, connectionString: string): string {
  // Not a URL to Node if it names several hosts. The driver reads the last of repeated parameters.
  const [, query] = /\?(.*)$/s.exec(connectionString) ?? []
  const own = new URLSearchParams(query).getAll('options').slice(-1)
  const options = encodeURIComponent([...own, `-c role=${role}`].join(' '))
  return `${connectionString}${query === undefined ? '?' : '&'}options=${options}`
}

/**
 * Creates the runtime roles if the cluster lacks them, and allows the connected owner to switch to them but not to
 * inherit their rights. Throws MigrationError with the statements to run if the owner lacks the right to do this.
 */
export async function ensureRuntimeRoles(client: Client, owner: string): Promise<void> {
  for (const role of runtimeRoles) await ensureRuntimeRole(client, owner, role, 'set')
}

/**
 * Creates a runtime role if the cluster lacks it, and allows `member` to switch to it (`set`) or gives it the role's
 * rights (`inherit`). Roles belong to the whole cluster, so a lock in one database does not protect them: other
 * processes may create them at the same moment. Throws MigrationError with the statements to run if the connected owner
 * lacks the right to do this.
 */
export async function ensureRuntimeRole(
  client: Client,
  member: string,
  role: RuntimeRole,
  how: 'set' | 'inherit',
): Promise<void> {
  const { rowCount } = await client.query('select from pg_roles where rolname = $1', [role])
  if (rowCount === 0) await changeRoles(client, member, `create role ${role} nologin`)
  const { rows } = await client.query<{ isGranted: boolean }>(
    `select pg_has_role($1::name, $2::name, $3) as "isGranted"`,
    [member, role, how === 'set' ? 'set' : 'usage'],
  )
  if (rows[0]?.isGranted === true) return
  const options = how === 'set' ? 'inherit false, set true' : 'inherit true, set false'
  await changeRoles(client, member, `grant ${role} to ${client.escapeIdentifier(member)} with ${options}`)
}

/**
 * Errors that occur when two processes change the same role at the same time: the role already exists, or another
 * process has just changed it.
 */
const lostRace = new Set(['42710', '23505', 'XX000'])
const notAllowed = new Set(['42501', '0LP01'])

async function changeRoles(client: Client, member: string, statement: string): Promise<void> {
  try {
    await client.query(statement)
  } catch (error) {
    const code = error instanceof DatabaseError ? (error.code ?? '') : ''
    if (notAllowed.has(code)) throw notAllowedToMakeRoles(client, member)
    if (!lostRace.has(code)) throw error
    // A statement that fails with "tuple concurrently updated" has changed nothing, and repeating a finished change is
    // harmless.
    await client.query(statement).catch((again: unknown) => {
      if (!(again instanceof DatabaseError && lostRace.has(again.code ?? ''))) throw again
    })
  }
}

function notAllowedToMakeRoles(client: Client, member: string): MigrationError {
  const missing = runtimeRoles.map((role) => `create role ${role} nologin;`).join(' ')
  const grant = `grant ${runtimeRoles.join(', ')} to ${client.escapeIdentifier(member)} with admin true, inherit false, set true;`
  return new MigrationError(
    `The owner of the database may not create or grant the roles that Housebill uses. Ask an administrator of the PostgreSQL server to run the following, leaving out what already exists: ${missing} ${grant}`,
  )
}

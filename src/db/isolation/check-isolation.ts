import type { Databases } from '../databases.ts'
import { appRole, operatorRole, type RuntimeLogins, type RuntimeRole, systemRole } from '../runtime-roles.ts'
import { sql } from '../sql.ts'
import { findOverbroadPolicies } from './find-overbroad-policies.ts'
import { findOwnersRights } from './find-owners-rights.ts'
import { findPowerfulRoles } from './find-powerful-roles.ts'

/** Thrown if PostgreSQL, as it is set up, would not keep partners apart. The message is for the operator and names every remedy. */
export class IsolationError extends Error {
  override readonly name = 'IsolationError'

  constructor(problems: readonly string[]) {
    super(`PostgreSQL would not isolate partners from each other: ${problems.join(' ')}`)
  }
}

/**
 * Checks that PostgreSQL itself keeps partners apart: the runtime roles own nothing, bypass nothing and cannot switch to each
 * other; every table with partners' rows has row-level security, enabled and forced; no policy shows a partner more than its
 * own rows; and only the owner can read the key of proofs or insert audit entries. With `hasSeparateLogins`, the logins must follow
 * the same rules as their roles. Throws IsolationError naming every problem.
 */
export async function checkIsolation(
  databases: Databases,
  { hasSeparateLogins }: { hasSeparateLogins: boolean },
): Promise<void> {
  const users = await readUsers(databases)
  const logins = hasSeparateLogins ? users.logins : undefined
  const found = await Promise.all([
    findPowerfulRoles(databases, logins),
    findOpenTables(databases),
    findOverbroadPolicies(databases),
    findOwnersRights(databases, logins),
  ])
  const problems = [...users.problems, ...found.flat()]
  if (problems.length > 0) throw new IsolationError(problems)
}

interface User {
  login: string
  user: string
  hasRole: boolean
}

async function readUsers({
  shared,
  system,
  forOperator,
}: Databases): Promise<{ logins: RuntimeLogins; problems: string[] }> {
  const who = (role: RuntimeRole) => sql`
    select session_user::text as login, current_user::text as "user", pg_has_role(current_user, ${role}, 'usage') as "hasRole"`
  const found = [
    [appRole, (await shared.query<User>(who(appRole)))[0]],
    [systemRole, (await system.query<User>(who(systemRole)))[0]],
    [operatorRole, (await forOperator().query<User>(who(operatorRole)))[0]],
  ] as const
  const loginOf = (role: RuntimeRole) => found.find(([each]) => each === role)?.[1]?.login ?? ''
  return {
    logins: {
      [appRole]: loginOf(appRole),
      [systemRole]: loginOf(systemRole),
      [operatorRole]: loginOf(operatorRole),
    },
    problems: found.flatMap(([role, user]) =>
      user?.hasRole === true ? [] : [`Statements run as ${user?.user}, but must have the rights of ${role}.`],
    ),
  }
}

async function findOpenTables({ shared }: Databases): Promise<string[]> {
  const tables = await shared.query<{ name: string }>(sql`
    select format('%I.%I', n.nspname, c.relname) as name
      from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where c.relkind in ('r', 'p') and n.nspname !~ '^pg_' and n.nspname <> 'information_schema'
       and exists (select from pg_attribute a
                    where a.attrelid = c.oid and a.attname = 'partner_id' and not a.attisdropped)
       and not (c.relrowsecurity and c.relforcerowsecurity)
     order by 1`)
  return tables.map(
    ({ name }) =>
      `The table ${name} has no forced row-level security: ALTER TABLE ${name} ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY.`,
  )
}

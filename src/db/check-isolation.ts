import type { Databases } from './databases.ts'
import { findOverbroadPolicies, findSwitchableRoles } from './find-overbroad-policies.ts'
import { appRole, type RuntimeRole, runtimeRoles, systemRole } from './runtime-roles.ts'
import { sql } from './sql.ts'

/** Thrown if PostgreSQL, as it is set up, would not keep partners apart. The message is for the operator and names every remedy. */
export class IsolationError extends Error {
  override readonly name = 'IsolationError'

  constructor(problems: readonly string[]) {
    super(`PostgreSQL would not isolate partners from each other: ${problems.join(' ')}`)
  }
}

/**
 * Checks that PostgreSQL itself keeps partners apart: the runtime roles own nothing, bypass nothing and cannot switch to each
 * other; every table with partners' rows has row-level security, enabled and forced; and no policy shows a partner more than its
 * own rows. With `hasSeparateOwner`, the login must follow the same rules as the runtime roles. Throws IsolationError naming every
 * problem.
 */
export async function checkIsolation(
  databases: Databases,
  { hasSeparateOwner }: { hasSeparateOwner: boolean },
): Promise<void> {
  const problems = [
    ...(await findWrongRole(databases)),
    ...(await findPowerfulRoles(databases, hasSeparateOwner)),
    ...(await findSwitchableRoles(databases)),
    ...(await findOpenTables(databases)),
    ...(await findOverbroadPolicies(databases)),
  ]
  if (problems.length > 0) throw new IsolationError(problems)
}

async function findWrongRole({ shared, system }: Databases): Promise<string[]> {
  const who = sql`select current_user::text as "user"`
  const expected = [
    [appRole, await shared.query<{ user: string }>(who)],
    [systemRole, await system.query<{ user: string }>(who)],
  ] as const satisfies [RuntimeRole, { user: string }[]][]
  return expected
    .filter(([role, [found]]) => found?.user !== role)
    .map(([role, [found]]) => `Statements run as ${found?.user}, but must run as ${role}.`)
}

interface RolePowers {
  role: string
  isSuperuser: boolean
  bypassesRls: boolean
  isLogin: boolean
  /** The tables of this database that are owned by the role or by a role to which it may switch. */
  ownedTables: number
}

async function findPowerfulRoles({ shared }: Databases, hasSeparateOwner: boolean): Promise<string[]> {
  const roles = await shared.query<RolePowers>(sql`
    select r.rolname as role, r.rolname = session_user as "isLogin",
           exists (select from pg_roles p where p.rolsuper and pg_has_role(r.oid, p.oid, 'member')) as "isSuperuser",
           exists (select from pg_roles p where p.rolbypassrls and pg_has_role(r.oid, p.oid, 'member')) as "bypassesRls",
           (select count(*)::int from pg_class c join pg_namespace n on n.oid = c.relnamespace
             where c.relkind in ('r', 'p') and n.nspname !~ '^pg_' and n.nspname <> 'information_schema'
               and pg_has_role(r.oid, c.relowner, 'member')) as "ownedTables"
      from pg_roles r
     where r.rolname = any(${[...runtimeRoles]}::text[]) or (${hasSeparateOwner}::boolean and r.rolname = session_user)
     order by r.rolname`)
  return roles.flatMap(({ role, isLogin, isSuperuser, bypassesRls, ownedTables }) => {
    const remedy = isLogin
      ? 'Set DATABASE_URL to a user without privileges of its own, or leave DATABASE_OWNER_URL out.'
      : `Remove this privilege (ALTER ROLE ${role} NOSUPERUSER NOBYPASSRLS, REVOKE, ALTER TABLE … OWNER TO).`
    const who = isLogin ? `The user of DATABASE_URL, ${role},` : `The role ${role}`
    if (isSuperuser) return [`${who} is a superuser or may become one. ${remedy}`]
    if (bypassesRls) return [`${who} bypasses row-level security or may become a role that does. ${remedy}`]
    if (ownedTables > 0) return [`${who} owns tables or may become their owner. ${remedy}`]
    return []
  })
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

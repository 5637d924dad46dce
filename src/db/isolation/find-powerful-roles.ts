import type { Databases } from '../databases.ts'
import { appRole, operatorRole, type RuntimeLogins, runtimeRoles, systemRole } from '../runtime-roles.ts'
import { sql } from '../sql.ts'

interface RolePowers {
  role: string
  isSuperuser: boolean
  /** Also by reading the server's files or its stream of changes, to which no policy applies. */
  bypassesRls: boolean
  /** The tables of this database that are owned by the role or by a role to which it may switch. */
  ownedTables: number
}

/** PostgreSQL's roles whose members read or write the server's files. */
const rolesWithFiles = ['pg_read_server_files', 'pg_write_server_files', 'pg_execute_server_program']

/** Finds runtime roles and, if given, logins that PostgreSQL would not restrict, and those that may become one of another side. */
export async function findPowerfulRoles(
  { shared }: Pick<Databases, 'shared'>,
  logins: RuntimeLogins | undefined,
): Promise<string[]> {
  const sides = runtimeRoles.map((role) => (logins === undefined ? [role] : [role, logins[role]]))
  const roles = await shared.query<RolePowers>(sql`
    select r.rolname as role,
           exists (select from pg_roles p where p.rolsuper and pg_has_role(r.oid, p.oid, 'member')) as "isSuperuser",
           exists (select from pg_roles p
                    where (p.rolbypassrls or p.rolreplication or p.rolname = any(${rolesWithFiles}::text[]))
                      and pg_has_role(r.oid, p.oid, 'member')) as "bypassesRls",
           (select count(*)::int from pg_class c join pg_namespace n on n.oid = c.relnamespace
             where c.relkind in ('r', 'p') and n.nspname !~ '^pg_' and n.nspname <> 'information_schema'
               and pg_has_role(r.oid, c.relowner, 'member')) as "ownedTables"
      from pg_roles r where r.rolname = any(${sides.flat()}::text[]) order by r.rolname`)
  const settings = new Map([
    [logins?.[appRole], 'DATABASE_URL'],
    [logins?.[systemRole], 'DATABASE_SYSTEM_URL'],
    [logins?.[operatorRole], 'DATABASE_OPERATOR_URL'],
  ])
  const powers = roles.flatMap(({ role, isSuperuser, bypassesRls, ownedTables }) => {
    const setting = settings.get(role)
    const remedy =
      setting === undefined
        ? `Remove this privilege (ALTER ROLE ${role} NOSUPERUSER NOBYPASSRLS NOREPLICATION, REVOKE, ALTER TABLE … OWNER TO).`
        : `Set ${setting} to a user without privileges of its own.`
    const who = setting === undefined ? `The role ${role}` : `The user of ${setting}, ${role},`
    if (isSuperuser) return [`${who} is a superuser or may become one. ${remedy}`]
    if (bypassesRls) return [`${who} bypasses row-level security or may become a role that does. ${remedy}`]
    if (ownedTables > 0) return [`${who} owns tables or may become their owner. ${remedy}`]
    return []
  })
  return [...powers, ...(await findSwitchable({ shared }, sides))]
}

/** Finds roles of one side that may switch to one of another: the policies of both would apply to them. */
async function findSwitchable(
  { shared }: Pick<Databases, 'shared'>,
  sides: readonly (readonly string[])[],
): Promise<string[]> {
  const [roles, sideOf] = [sides.flat(), sides.flatMap((side, index) => side.map(() => index))]
  const mixed = await shared.query<{ role: string; other: string }>(sql`
    with named as (select * from unnest(${roles}::text[], ${sideOf}::int[]) as named (role, side))
    select r.rolname as role, o.rolname as other
      from named mine join pg_roles r on r.rolname = mine.role, named theirs join pg_roles o on o.rolname = theirs.role
     where mine.side <> theirs.side
       and not exists (select from pg_roles p where p.rolsuper and pg_has_role(r.oid, p.oid, 'member'))
       and pg_has_role(r.oid, o.oid, 'member')
     order by 1, 2`)
  return mixed.map(({ role, other }) => `The role ${role} may become ${other}: REVOKE ${other} FROM ${role}.`)
}

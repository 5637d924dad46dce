import type { Databases } from '../databases.ts'
import { type RuntimeLogins, runtimeRoles } from '../runtime-roles.ts'
import { sql } from '../sql.ts'

/** Finds rights that only the tables' owner may have, in the hands of a runtime role or, if given, a login. */
export async function findOwnersRights(
  { shared }: Pick<Databases, 'shared'>,
  logins: RuntimeLogins | undefined,
): Promise<string[]> {
  const roles = [...runtimeRoles, ...Object.values(logins ?? {})]
  const rights = await shared.query<{ role: string; what: string; remedy: string }>(sql`
    with roles as (select distinct rolname as role from pg_roles
                    where rolname = any(${roles}::text[])
                      and not exists (select from pg_roles p where p.rolsuper and pg_has_role(pg_roles.oid, p.oid, 'member')))
    select role, what, remedy from roles, lateral (values
      (has_any_column_privilege(role, 'proof.keys', 'select, insert, update') or has_table_privilege(role, 'proof.keys', 'delete'),
       'read or change the key of proofs', 'REVOKE ALL ON proof.keys FROM'),
      (has_any_column_privilege(role, 'audit_log', 'insert'),
       'write audit entries as it likes', 'REVOKE INSERT ON audit_log FROM'),
      (exists (select from pg_proc p join pg_namespace n on n.oid = p.pronamespace
                where n.nspname = 'proof' and p.proname <> 'partner' and has_function_privilege(role, p.oid, 'execute')),
       'call functions that are for the owner', 'REVOKE EXECUTE ON ALL FUNCTIONS IN SCHEMA proof FROM PUBLIC,'),
      (exists (select from pg_class c join pg_namespace n on n.oid = c.relnamespace
                where c.relkind in ('r', 'p') and n.nspname !~ '^pg_' and has_table_privilege(role, c.oid, 'truncate')),
       'empty tables, whatever their policies', 'REVOKE TRUNCATE ON ALL TABLES IN SCHEMA public FROM'),
      (exists (select from pg_namespace n where n.nspname !~ '^pg_' and has_schema_privilege(role, n.oid, 'create')),
       'create tables and functions', 'REVOKE CREATE ON ALL SCHEMAS FROM PUBLIC,'),
      (${logins !== undefined}::boolean and has_database_privilege(role, current_database(), 'temporary'),
       'create temporary tables', format('REVOKE TEMPORARY ON DATABASE %I FROM PUBLIC,', current_database()))
    ) as found (may, what, remedy)
     where may order by 1, 2`)
  return rights.map(({ role, what, remedy }) => `The role ${role} may ${what}: ${remedy} ${role}.`)
}

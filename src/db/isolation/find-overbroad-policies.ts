import type { Databases } from '../databases.ts'
import { appRole } from '../runtime-roles.ts'
import { sql } from '../sql.ts'

/** The condition that every policy for `housebill_app` must have, as PostgreSQL prints it. */
const ownRows = '(partner_id = ( SELECT proof.partner() AS partner))'

/**
 * Finds policies that would show one partner's rows to another: those for PUBLIC, and those for `housebill_app` with any condition
 * other than the partner's own rows. PostgreSQL combines policies with OR, so a single one of these undoes the effect of all others.
 */
export async function findOverbroadPolicies({ shared }: Databases): Promise<string[]> {
  const policies = await shared.query<{ policy: string; table: string; role: string }>(sql`
    select quote_ident(p.polname) as policy, format('%I.%I', n.nspname, c.relname) as table,
           coalesce(r.rolname, 'everybody') as role
      from pg_policy p
      join pg_class c on c.oid = p.polrelid
      join pg_namespace n on n.oid = c.relnamespace
     cross join unnest(p.polroles) as given (role)
      left join pg_roles r on r.oid = given.role
     where p.polpermissive and n.nspname !~ '^pg_'
       and exists (select from pg_attribute a
                    where a.attrelid = c.oid and a.attname = 'partner_id' and not a.attisdropped)
       and (given.role = 0 or (pg_has_role(${appRole}, given.role, 'member') and
            (coalesce(pg_get_expr(p.polqual, p.polrelid), ${ownRows}) <> ${ownRows} or
             coalesce(pg_get_expr(p.polwithcheck, p.polrelid), ${ownRows}) <> ${ownRows})))
     order by 2, 1, 3`)
  return policies.map(
    ({ policy, table, role }) =>
      `The policy ${policy} on ${table} gives ${role} access beyond the partner's own rows: DROP POLICY ${policy} ON ${table}.`,
  )
}

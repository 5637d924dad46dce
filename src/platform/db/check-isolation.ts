import type { Databases } from './databases.ts'
import { appRole, systemRole } from './ensure-runtime-roles.ts'
import { sql } from './sql.ts'

/**
 * Thrown if a login would get around row-level security. The message is for the operator and names the variable and the
 * remedy.
 */
export class IsolationError extends Error {
  override readonly name = 'IsolationError'
}

interface User {
  name: string
  hasRole: boolean
  isPowerful: boolean
  isOwner: boolean
}

/**
 * Checks that statements run with the rights of the runtime roles and nothing more: not as a superuser, an owner of
 * tables or another who bypasses row-level security. Without `hasSeparateLogins`, the logins only need the roles that
 * they switch to. A database that is not given is not checked. Throws IsolationError with everything that is wrong.
 */
export async function checkIsolation(
  { shared, system }: Partial<Pick<Databases, 'shared' | 'system'>>,
  { hasSeparateLogins }: { hasSeparateLogins: boolean },
): Promise<void> {
  const problems: string[] = []
  for (const { db, role, other, variable } of [
    { db: shared, role: appRole, other: systemRole, variable: 'DATABASE_URL' },
    { db: system, role: systemRole, other: appRole, variable: 'DATABASE_SYSTEM_URL' },
  ]) {
    if (db === undefined) continue
    const [user] = await db.query<User>(sql`
      with users as (select oid, rolname from pg_roles
                      where rolname = current_user or (${hasSeparateLogins} and rolname = session_user))
      select session_user::text as name, pg_has_role(current_user, ${role}, 'usage') as "hasRole",
             exists (select from users, pg_roles as powerful
                      where pg_has_role(users.oid, powerful.oid, 'member')
                        and (powerful.rolsuper or powerful.rolbypassrls or powerful.rolname = ${other}
                             or exists (select from pg_class where relname = 'partners'
                                        and relowner = powerful.oid))) as "isPowerful",
             exists (select from users, pg_class
                      where relname = 'partners' and pg_has_role(users.oid, relowner, 'member')) as "isOwner"`)
    if (user?.hasRole !== true)
      problems.push(`The user of ${variable}, ${user?.name}, has not the rights of ${role}. Grant it this role.`)
    else if (user.isPowerful)
      problems.push(
        `The user of ${variable}, ${user.name}, could see other partners' rows: it is a superuser, owns the tables, has BYPASSRLS or may become ${other}. Set ${variable} to a user without rights of its own.${user.isOwner ? ` ${variable} and DATABASE_OWNER_URL may be swapped.` : ''}`,
      )
  }
  if (problems.length > 1) problems.push('DATABASE_URL and DATABASE_SYSTEM_URL may be swapped.')
  if (problems.length > 0) throw new IsolationError(problems.join(' '))
}

import { DatabaseError } from 'pg'
import { ensureRuntimeRole } from './ensure-runtime-roles.ts'
import { getSessionUser } from './migrate.ts'
import { appRole, operatorRole, type RuntimeRole, runtimeRoles, systemRole } from './runtime-roles.ts'
import { withClient } from './with-client.ts'

/** Connection strings of the four logins. */
export interface Logins {
  owner: string
  app: string
  system: string
  operator: string
}

/**
 * Gives the logins of `app`, `system` and `operator` the rights of their role and takes away everything else that the owner may take away. Safe
 * to repeat. Throws MigrationError if the owner may not grant the roles.
 */
export async function grantRuntimeRoles({ owner: ownerUrl, app, system, operator }: Logins): Promise<void> {
  const loginOf = async (role: RuntimeRole, url: string) => ({ role, login: await withClient(url, getSessionUser) })
  const logins = await Promise.all([
    loginOf(appRole, app),
    loginOf(systemRole, system),
    loginOf(operatorRole, operator),
  ])
  await withClient(ownerUrl, async (owner) => {
    const ownName = await getSessionUser(owner)
    for (const { role, login } of logins) {
      // The isolation check that follows reports an owner's login as a problem.
      if (login === ownName) continue
      const name = owner.escapeIdentifier(login)
      await ensureRuntimeRole(owner, login, role, 'inherit')
      for (const other of runtimeRoles.filter((each) => each !== role)) {
        const { rows } = await owner.query<{ isMember: boolean }>(
          `select pg_has_role($1::name, $2::name, 'member') as "isMember"`,
          [login, other],
        )
        if (rows[0]?.isMember === true) await owner.query(`revoke ${other} from ${name}`)
      }
      const { rows } = await owner.query<{ table: string }>(
        `select c.oid::regclass::text as table from pg_class c
          where c.relkind in ('r', 'p', 'v', 'm', 'f')
            and exists (select from aclexplode(c.relacl) as granted
                         where pg_get_userbyid(granted.grantee) = $1 and pg_get_userbyid(granted.grantor) = current_user)`,
        [login],
      )
      for (const { table } of rows) await owner.query(`revoke all on ${table} from ${name}`)
    }
  })
}

/** Creates logins that the private server lacks. They have no password: only its socket's folder protects it. */
export async function createLogins(ownerUrl: string, names: readonly string[]): Promise<void> {
  await withClient(ownerUrl, async (owner) => {
    for (const name of names) {
      const { rowCount } = await owner.query('select from pg_roles where rolname = $1', [name])
      if (rowCount !== 0) continue
      await owner.query(`create role ${owner.escapeIdentifier(name)} login`).catch((error: unknown) => {
        // Another process has created it in the meantime.
        if (!(error instanceof DatabaseError && ['42710', '23505'].includes(error.code ?? ''))) throw error
      })
    }
  })
}

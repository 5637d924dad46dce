import { DatabaseError } from 'pg'
import { appRole, ensureRuntimeRole, systemRole } from './ensure-runtime-roles.ts'
import { withClient } from './hosts.ts'
import { getSessionUser } from './migrate.ts'

/** Connection strings of the three logins. */
export interface Logins {
  owner: string
  app: string
  system: string
}

/**
 * Gives the logins of `app` and `system` the rights of their role. Safe to repeat. Throws MigrationError if the owner
 * may not grant the roles.
 */
export async function grantRuntimeRoles({ owner: ownerUrl, app, system }: Logins): Promise<void> {
  const logins = [
    { role: appRole, login: await withClient(app, getSessionUser) },
    { role: systemRole, login: await withClient(system, getSessionUser) },
  ] as const
  await withClient(ownerUrl, async (owner) => {
    const ownName = await getSessionUser(owner)
    // The isolation check that follows reports an owner's login as a problem.
    for (const { role, login } of logins) if (login !== ownName) await ensureRuntimeRole(owner, login, role, 'inherit')
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

/** Creates another database on the private server, unless it has it. */
export async function addDatabase(ownerUrl: string, name: string): Promise<void> {
  await withClient(ownerUrl, async (owner) => {
    const { rowCount } = await owner.query('select from pg_database where datname = $1', [name])
    if (rowCount === 0) await owner.query(`create database ${owner.escapeIdentifier(name)}`)
  })
}

import { Pool } from 'pg'
import { createDatabases, type Databases } from '../../src/platform/db/databases.ts'
import {
  appRole,
  connectionStringAs,
  type RuntimeRole,
  systemRole,
} from '../../src/platform/db/ensure-runtime-roles.ts'
import { createLogins, grantRuntimeRoles } from '../../src/platform/db/grant-runtime-roles.ts'

/**
 * Opens a database as the program does, given its owner's connection string. Idle connections close soon and do not
 * keep the process running, so there is nothing to close.
 */
export async function openDatabases(ownerConnectionString: string): Promise<Databases> {
  const open = (role: RuntimeRole) => {
    const pool = new Pool({
      connectionString: connectionStringAs(role, ownerConnectionString),
      max: 4,
      pipeline: true,
      allowExitOnIdle: true,
      idleTimeoutMillis: 100,
    })
    // The test's end drops the database while connections may still be open.
    pool.on('error', () => undefined)
    return pool
  }
  return createDatabases({ app: open(appRole), system: open(systemRole) })
}

/**
 * The settings of a deployment with three logins, which live needs. Creates the two without privileges, which all tests
 * share.
 */
export async function createSeparateLogins(
  ownerConnectionString: string,
): Promise<Record<'DATABASE_URL' | 'DATABASE_SYSTEM_URL' | 'DATABASE_OWNER_URL', string>> {
  const names = ['housebill_test_app', 'housebill_test_system'] as const
  await createLogins(ownerConnectionString, names)
  const [app, system] = names.map((name) => {
    const url = new URL(ownerConnectionString)
    url.username = name
    return url.href
  })
  const logins = { app: app ?? '', system: system ?? '', owner: ownerConnectionString }
  await grantRuntimeRoles(logins)
  return {
    DATABASE_URL: logins.app,
    DATABASE_SYSTEM_URL: logins.system,
    DATABASE_OWNER_URL: logins.owner,
  }
}

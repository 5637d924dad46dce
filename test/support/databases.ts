import { createDatabases, type Databases } from '../../src/platform/db/databases.ts'
import {
  appRole,
  connectionStringAs,
  type RuntimeRole,
  systemRole,
} from '../../src/platform/db/ensure-runtime-roles.ts'
import { createLogins, grantRuntimeRoles } from '../../src/platform/db/grant-runtime-roles.ts'
import { keepPool } from './postgres.ts'

/** Opens a database as the program does, given its owner's connection string. There is nothing to close. */
export async function openDatabases(ownerConnectionString: string): Promise<Databases> {
  const open = (role: RuntimeRole) =>
    keepPool({ connectionString: connectionStringAs(role, ownerConnectionString), max: 4 })
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

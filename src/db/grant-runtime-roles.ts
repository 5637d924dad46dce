import { Client } from 'pg'
import { ensureRuntimeRoles } from './ensure-runtime-roles.ts'
import { getSessionUser } from './migrate.ts'

/**
 * Lets the login of `runtimeUrl` switch to the runtime roles, and revokes rights that earlier versions granted to the login
 * directly. Safe to repeat. Throws MigrationError if the owner may not grant the roles.
 */
export async function grantRuntimeRoles(ownerUrl: string, runtimeUrl: string): Promise<void> {
  const login = await withClient(runtimeUrl, getSessionUser)
  await withClient(ownerUrl, async (owner) => {
    // Both URLs have the same login, so there is nothing to grant. The isolation check that follows reports this as a problem.
    if (login === (await getSessionUser(owner))) return
    await ensureRuntimeRoles(owner, login)
    const { rows } = await owner.query<{ table: string }>(
      `select distinct format('%I.%I', table_schema, table_name) as table
         from information_schema.role_table_grants where grantee = $1 and grantor = current_user`,
      [login],
    )
    for (const { table } of rows) await owner.query(`revoke all on ${table} from ${owner.escapeIdentifier(login)}`)
  })
}

async function withClient<Result>(
  connectionString: string,
  work: (client: Client) => Promise<Result>,
): Promise<Result> {
  const client = new Client({ connectionString, application_name: 'housebill migrate' })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

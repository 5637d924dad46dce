import { Client } from 'pg'

/**
 * Lets the role of `runtimeUrl` work with the tables that the owner's migrations made: read and write, no change of structure.
 * Repeating it does no harm.
 */
export async function grantToRuntimeRole(ownerUrl: string, runtimeUrl: string): Promise<void> {
  const role = decodeURIComponent(new URL(runtimeUrl).username)
  if (role === '')
    throw new Error('DATABASE_URL names no user, so the owner of DATABASE_OWNER_URL cannot grant it anything. Add one.')
  const client = new Client({ connectionString: ownerUrl })
  await client.connect()
  try {
    const name = client.escapeIdentifier(role)
    for (const schema of ['public', 'simulated_processor']) {
      await client.query(`grant usage on schema ${schema} to ${name}`)
      await client.query(`grant select, insert, update, delete on all tables in schema ${schema} to ${name}`)
      await client.query(`grant usage on all sequences in schema ${schema} to ${name}`)
    }
  } finally {
    await client.end()
  }
}

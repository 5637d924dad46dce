import type { Client } from 'pg'
import { connectClient } from './hosts.ts'

/**
 * Runs `work` on a connection of its own, outside the pools. Throws if the server does not respond within five seconds.
 */
export async function withClient<Result>(
  connectionString: string,
  work: (client: Client) => Promise<Result>,
): Promise<Result> {
  const client = await connectClient({ connectionString, application_name: 'housebill migrate' })
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

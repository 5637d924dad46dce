import { Client } from 'pg'

/** As long as the pools wait for a connection. */
export const connectWithinMs = 5_000

/**
 * Runs `work` on a connection of its own, outside the pools. Throws if the server does not respond within five seconds.
 */
export async function withClient<Result>(
  connectionString: string,
  work: (client: Client) => Promise<Result>,
): Promise<Result> {
  const client = new Client({
    connectionString,
    application_name: 'housebill migrate',
    connectionTimeoutMillis: connectWithinMs,
  })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

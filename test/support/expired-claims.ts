import { Client } from 'pg'

/**
 * Expires the claims that unfinished requests hold on their idempotency keys, as if their processes had died a minute
 * ago.
 */
export async function expireClaims(connectionString: string): Promise<void> {
  const client = new Client({ connectionString })
  await client.connect()
  try {
    await client.query('update idempotency_keys set claimed_until = now() where response_encrypted is null')
  } finally {
    await client.end()
  }
}

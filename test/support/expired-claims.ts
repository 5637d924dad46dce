import { Client } from 'pg'

/** A minute passes for the keys of unfinished requests: whoever held them is dead, and the next request has them at once. */
export async function expireClaims(connectionString: string): Promise<void> {
  const client = new Client({ connectionString })
  await client.connect()
  try {
    await client.query('update idempotency_keys set claimed_until = now() where answer_encrypted is null')
  } finally {
    await client.end()
  }
}

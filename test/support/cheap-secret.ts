import { randomBytes, scryptSync } from 'node:crypto'
import { Client } from 'pg'

/**
 * Replaces the stored hash of a client secret with one that is cheap to verify, because tests request tokens very often. The hash includes
 * its cost parameters, so the service verifies it like any other.
 */
export async function storeCheapHash(
  connectionString: string,
  { clientId, clientSecret }: { clientId: string; clientSecret: string },
): Promise<void> {
  const stored = cheapHashOf(clientSecret)
  const client = new Client({ connectionString })
  await client.connect()
  try {
    await client.query('update credentials set secret_hash = $1 where client_id = $2', [stored, clientId])
  } finally {
    await client.end()
  }
}

/** A hash of this secret that is cheap to verify. */
export function cheapHashOf(clientSecret: string): string {
  const salt = randomBytes(16)
  const hash = scryptSync(clientSecret, salt, 32, { N: 16, r: 8, p: 1 })
  return `scrypt$16$8$1$${salt.toString('base64url')}$${hash.toString('base64url')}`
}

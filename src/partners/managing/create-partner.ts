import { type Database, inTransaction } from '../../platform/db/database.ts'
import { violatedConstraint } from '../../platform/db/failures.ts'
import type { Clock } from '../../platform/kernel/clock.ts'
import { type Id, newId } from '../../platform/kernel/ids.ts'
import { hashClientSecret, newClientId, newClientSecret } from '../client-secret.ts'
import type { Sealer } from '../credential-seal.ts'
import { insertCredential, insertPartner } from '../partners.store.ts'
import { scopes as allScopes, type Scope } from '../scopes.ts'

interface RegisteredClient {
  partnerId: Id<'partner'>
  clientId: string
}

export interface IssuedCredentials extends RegisteredClient {
  /** The secret is shown only once, because the database keeps only its hash. */
  clientSecret: string
}

interface NewPartner {
  name: string
  /** By default every scope. */
  scopes?: readonly Scope[] | undefined
  allowedFrom?: readonly string[] | undefined
}

interface Dependencies {
  db: Database
  clock: Clock
  cipher: Sealer
}

/** `housebill partner create`: creates a partner with one set of credentials. */
export async function createPartner(
  { realm, ...deps }: Dependencies & { realm: 'sandbox' | 'live' },
  partner: NewPartner,
): Promise<IssuedCredentials> {
  const clientSecret = newClientSecret()
  const client = { clientId: newClientId(realm), secretHash: hashClientSecret(clientSecret) }
  return { ...(await insertWithCredential(deps, partner, client)), clientSecret }
}

/**
 * `housebill partner create --client-id`: registers a partner for a client id from an external identity provider, which
 * keeps the secret. Returns undefined if the client id is already registered to any partner.
 */
export async function createPartnerForClientId(
  deps: Dependencies,
  { clientId, ...partner }: NewPartner & { clientId: string },
): Promise<RegisteredClient | undefined> {
  try {
    return await insertWithCredential(deps, partner, { clientId, secretHash: null })
  } catch (error) {
    if (violatedConstraint(error) === 'credentials_pkey') return undefined
    throw error
  }
}

async function insertWithCredential(
  { db, clock, cipher }: Dependencies,
  { name, scopes = allScopes, allowedFrom }: NewPartner,
  client: { clientId: string; secretHash: string | null },
): Promise<RegisteredClient> {
  const now = clock.now()
  const partnerId = newId('partner')
  await inTransaction(db, {}, async (tx) => {
    await insertPartner(tx, { partnerId, name, now })
    await insertCredential(tx, cipher, { ...client, partnerId, scopes, now, allowedFrom })
  })
  return { partnerId, clientId: client.clientId }
}

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

/** `housebill partner create`: creates a partner with one set of credentials, by default with every scope. */
export async function createPartner(
  { db, clock, cipher, realm }: { db: Database; clock: Clock; cipher: Sealer; realm: 'sandbox' | 'live' },
  {
    name,
    scopes = allScopes,
    allowedFrom,
  }: { name: string; scopes?: readonly Scope[] | undefined; allowedFrom?: readonly string[] | undefined },
): Promise<IssuedCredentials> {
  const now = clock.now()
  const partnerId = newId('partner')
  const clientId = newClientId(realm)
  const clientSecret = newClientSecret()
  const secretHash = hashClientSecret(clientSecret)
  await inTransaction(db, {}, async (tx) => {
    await insertPartner(tx, { partnerId, name, now })
    await insertCredential(tx, cipher, { clientId, partnerId, secretHash, scopes, now, allowedFrom })
  })
  return { partnerId, clientId, clientSecret }
}

/**
 * `housebill partner create --client-id`: registers a partner for a client id from an external identity provider, which
 * keeps the secret. Returns undefined if the client id is already registered to any partner.
 */
export async function createPartnerForClientId(
  { db, clock, cipher }: { db: Database; clock: Clock; cipher: Sealer },
  {
    name,
    clientId,
    scopes = allScopes,
    allowedFrom,
  }: {
    name: string
    clientId: string
    scopes?: readonly Scope[] | undefined
    allowedFrom?: readonly string[] | undefined
  },
): Promise<RegisteredClient | undefined> {
  const now = clock.now()
  const partnerId = newId('partner')
  try {
    await inTransaction(db, {}, async (tx) => {
      await insertPartner(tx, { partnerId, name, now })
      await insertCredential(tx, cipher, { clientId, partnerId, secretHash: null, scopes, now, allowedFrom })
    })
  } catch (error) {
    if (violatedConstraint(error) === 'credentials_pkey') return undefined
    throw error
  }
  return { partnerId, clientId }
}

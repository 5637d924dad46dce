import type { Database } from '../platform/db/database.ts'
import type { Clock } from '../platform/kernel/clock.ts'
import { isValidClientId, matchesClientSecret } from './client-secret.ts'
import type { Sealer } from './credential-seal.ts'
import { getsTokens, isAllowedFrom, validSecretHashes, wrongAddress } from './credential-validity.ts'
import { type Credential, findCredential } from './partners.store.ts'

/** What a client proves itself with. */
export interface ClientAuthentication {
  clientId: string
  clientSecret: string
}

/** Where a token request comes from. */
export interface TokenCallOrigin {
  /** The client's address. */
  address: string
}

/** Why a client was rejected, as an RFC 6749 error with a description for the developer. */
export interface ClientRejection {
  error: 'invalid_client'
  description: string
}

export interface ClientAuthenticationDependencies {
  db: Database
  clock: Clock
  cipher: Sealer
}

/** Finds the credentials and checks their secret. */
export async function authenticateClient(
  { db, clock, cipher }: ClientAuthenticationDependencies,
  client: ClientAuthentication,
  { address }: TokenCallOrigin,
): Promise<{ credential: Credential } | ClientRejection> {
  const { clientId, clientSecret } = client
  const credential = isValidClientId(clientId) ? await findCredential(db, cipher, clientId) : undefined
  const hashes = credential === undefined ? [] : validSecretHashes(credential, clock.now())
  if (credential === undefined || !matchesClientSecret(clientSecret, ...hashes))
    return rejected(
      'The client id or the client secret is wrong. Check both, and make sure that they belong to this environment.',
    )
  if (!getsTokens(credential, clock.now()))
    return rejected('These credentials are disabled. Ask the operator for new ones.')
  if (!isAllowedFrom(credential, address)) return rejected(wrongAddress)
  return { credential }
}

function rejected(description: string): ClientRejection {
  return { error: 'invalid_client', description }
}

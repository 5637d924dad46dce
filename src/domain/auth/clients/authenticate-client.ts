import type { Database } from '../../../db/database.ts'
import type { Clock } from '../../../kernel/clock.ts'
import { isValidClientId } from '../client-id.ts'
import { matchesClientSecret } from '../client-secret.ts'
import { hasCredentialExpired, isAllowedFrom, validSecretHashes, wrongAddress } from '../credential-validity.ts'
import { type Credential, findCredential } from '../partners.store.ts'
import type { TokenProof } from '../proofs/bind-token.ts'
import { rejectionOfAssertion } from '../proofs/client-assertion.ts'

/** What a client proves itself with: its secret, or an assertion signed with one of its keys. */
export type ClientAuthentication = { clientId: string } & ({ clientSecret: string } | { assertion: string })

/** Where a token request comes from. */
export interface TokenCallOrigin {
  /** The client's address. */
  address: string
  /** The call's DPoP proof. */
  proof: TokenProof | undefined
}

/** Why a client was rejected, as an RFC 6749 error with a description for the developer. */
export interface ClientRejection {
  error: 'invalid_client'
  description: string
}

export interface ClientAuthenticationDependencies {
  db: Database
  clock: Clock
  /** The URLs that may stand as the audience of a client assertion. */
  assertionAudiences: readonly string[]
}

/** Finds the credentials and checks their secret or assertion. */
export async function authenticateClient(
  { db, clock, assertionAudiences: audiences }: ClientAuthenticationDependencies,
  client: ClientAuthentication,
  { address }: TokenCallOrigin,
): Promise<{ credential: Credential } | ClientRejection> {
  const { clientId } = client
  const credential = isValidClientId(clientId) ? await findCredential(db, clientId) : undefined
  if ('assertion' in client) {
    const known = credential ?? { clientId, clientKeys: null }
    const rejection = await rejectionOfAssertion({ db, clock, audiences }, client.assertion, known)
    if (credential === undefined || rejection !== undefined)
      return rejected(`The client assertion was rejected: ${rejection}.`)
  } else {
    const hashes = credential === undefined ? [] : validSecretHashes(credential, clock.now())
    if (credential === undefined || !(await matchesClientSecret(client.clientSecret, ...hashes)))
      return rejected(
        'The client id or the client secret is wrong. Check both, and make sure that they belong to this environment.',
      )
  }
  if (credential.partnerDisabledAt !== null || hasCredentialExpired(credential, clock.now()))
    return rejected('These credentials are disabled. Ask the operator for new ones.')
  if (!isAllowedFrom(credential, address)) return rejected(wrongAddress)
  return { credential }
}

function rejected(description: string): ClientRejection {
  return { error: 'invalid_client', description }
}

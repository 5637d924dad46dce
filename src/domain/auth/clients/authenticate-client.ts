import type { Database } from '../../../db/database.ts'
import type { Clock } from '../../../kernel/clock.ts'
import type { FairQueue } from '../../../kernel/fair-queue.ts'
import { isValidClientId } from '../client-id.ts'
import { matchesClientSecret, simulateSecretCheck } from '../client-secret.ts'
import { hasCredentialExpired, isAllowedFrom, validSecretHashes, wrongAddress } from '../credential-validity.ts'
import { type Credential, findCredential } from '../partners.store.ts'
import type { TokenProof } from '../proofs/bind-token.ts'
import { rejectionOfAssertion } from '../proofs/client-assertion.ts'

/** What a client proves itself with: its secret, or an assertion signed with one of its keys. */
export type ClientAuthentication = { clientId: string } & ({ clientSecret: string } | { assertion: string })

/** Where a token request comes from. Sites take turns at secret checks; clients that are known at their address come first. */
export interface TokenCallOrigin {
  site: string
  isKnown: boolean
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
  /** Checking a secret takes about 60 ms of one core, so only a few checks run concurrently. */
  hashing: FairQueue
  /** The URLs that may stand as the audience of a client assertion. */
  assertionAudiences: readonly string[]
}

/** Finds the credentials and checks their secret or assertion. With a secret, an unknown client takes as long as a known one. */
export async function authenticateClient(
  { db, clock, hashing, assertionAudiences: audiences }: ClientAuthenticationDependencies,
  client: ClientAuthentication,
  { site, isKnown, address }: TokenCallOrigin,
): Promise<{ credential: Credential } | ClientRejection> {
  const { clientId } = client
  const credential = isValidClientId(clientId) ? await findCredential(db, clientId) : undefined
  if ('assertion' in client) {
    const known = credential ?? { clientId, clientKeys: null }
    const rejection = await rejectionOfAssertion({ db, clock, audiences }, client.assertion, known)
    if (credential === undefined || rejection !== undefined)
      return rejected(`The client assertion was rejected: ${rejection}.`)
  } else {
    const { clientSecret } = client
    const hashes = credential === undefined ? [] : validSecretHashes(credential, clock.now())
    const check = async () => {
      if (hashes.length > 0) return matchesClientSecret(clientSecret, ...hashes)
      await simulateSecretCheck(clientSecret)
      return false
    }
    const isCorrect = await hashing.run(site, check, { isTrusted: isKnown })
    if (credential === undefined || !isCorrect)
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

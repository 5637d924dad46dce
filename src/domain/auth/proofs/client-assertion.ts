import { decodeProtectedHeader, errors, jwtVerify } from 'jose'
import type { Database } from '../../../db/database.ts'
import type { Clock } from '../../../kernel/clock.ts'
import { isCanonicalToken } from '../../../kernel/token-spelling.ts'
import type { Credential } from '../partners.store.ts'
import { mayHaveSigned, readVerificationKey, tokenAlgorithms } from '../verification-key.ts'
import { insertUsedProof } from './used-proofs.store.ts'

/** The longest time from now to an assertion's expiry. */
const longestAssertionSeconds = 300
/** How far the client's clock may differ from ours. */
const toleranceSeconds = 30

const foreign = 'it is not signed with a key of this client'

/**
 * Checks a client assertion (`private_key_jwt`, RFC 7523 §3): signed with one of the client's keys, from and about the client, for one of
 * `audiences`, valid for at most five minutes and used once. Returns why it is rejected; undefined if it is accepted.
 */
export async function rejectionOfAssertion(
  { db, clock, audiences }: { db: Database; clock: Clock; audiences: readonly string[] },
  assertion: string,
  { clientId, clientKeys }: Pick<Credential, 'clientId' | 'clientKeys'>,
): Promise<string | undefined> {
  const now = clock.now()
  for (const key of keysFor(assertion, clientKeys)) {
    try {
      const { payload } = await jwtVerify(assertion, key, {
        algorithms: [...tokenAlgorithms],
        issuer: clientId,
        subject: clientId,
        audience: [...audiences],
        requiredClaims: ['exp', 'jti'],
        clockTolerance: toleranceSeconds,
        currentDate: now,
      })
      const { jti, exp = 0 } = payload
      if (typeof jti !== 'string' || jti === '') return 'its jti must be a text'
      if (exp - now.getTime() / 1000 > longestAssertionSeconds + toleranceSeconds)
        return `its exp must be at most ${longestAssertionSeconds} seconds ahead`
      const expiresAt = new Date((exp + toleranceSeconds) * 1000)
      return (await insertUsedProof(db, { owner: clientId, jti, expiresAt })) ? undefined : 'it was used before'
    } catch (error) {
      if (!(error instanceof errors.JOSEError)) throw error
      if (error instanceof errors.JWTExpired) return 'it has expired'
      if (error instanceof errors.JWTClaimValidationFailed) return `its claim ${error.claim} is missing or wrong`
      if (!(error instanceof errors.JWSSignatureVerificationFailed)) return foreign
    }
  }
  return foreign
}

/** The client's keys that may have signed the assertion. */
function keysFor(assertion: string, clientKeys: Credential['clientKeys']) {
  if (clientKeys === null || !isCanonicalToken(assertion)) return []
  try {
    const { alg, kid: keyId } = decodeProtectedHeader(assertion)
    const algorithm = tokenAlgorithms.find((each) => each === alg)
    if (algorithm === undefined) return []
    const keys = clientKeys.keys.flatMap((jwk) => readVerificationKey(jwk) ?? [])
    return keys.filter((each) => mayHaveSigned(each, { algorithm, keyId })).map(({ key }) => key)
  } catch {
    // The assertion is not a JWT.
    return []
  }
}

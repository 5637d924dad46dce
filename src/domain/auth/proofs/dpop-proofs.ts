import { createHash, type KeyObject } from 'node:crypto'
import { calculateJwkThumbprint, decodeProtectedHeader, errors, type JWK, jwtVerify } from 'jose'
import type { Database } from '../../../db/database.ts'
import type { Clock } from '../../../kernel/clock.ts'
import { isCanonicalToken } from '../../../kernel/token-spelling.ts'
import { mayHaveSigned, readVerificationKey, tokenAlgorithms } from '../verification-key.ts'
import { insertUsedProof } from './used-proofs.store.ts'

/** The request that a proof came with. */
export interface ProvenRequest {
  method: string
  /** The path as it was sent, without the query. */
  path: string
  /** The access token of the request; undefined for token calls. */
  accessToken?: string
}

/** Checks DPoP proofs (RFC 9449 §4.3). */
export interface DpopProofs {
  /** The thumbprint of the key that signed the proof (RFC 7638), or why the proof is rejected, worded for a response header. */
  check(proof: string, request: ProvenRequest): Promise<{ thumbprint: string } | { refused: string }>
}

/** How far a proof's time of issue may be from now, either way. */
const acceptedForSeconds = 60

/** A proof is for one request, at most a minute old, and accepted once in all processes together. `publicUrl` is the base of the URLs in proofs. */
export function createDpopProofs({
  db,
  clock,
  publicUrl,
}: {
  db: Database
  clock: Clock
  publicUrl: string
}): DpopProofs {
  return {
    async check(proof, { method, path, accessToken }) {
      const now = clock.now()
      const read = await readProof(proof, now)
      if ('refused' in read) return read
      const { htm, htu, iat = 0, jti, ath } = read.claims
      if (htm !== method) return { refused: `its htm must be ${method}` }
      if (withoutQuery(htu) !== withoutQuery(`${publicUrl}${path}`))
        return { refused: 'its htu must be the URL of the request, without the query' }
      if (Math.abs(now.getTime() / 1000 - iat) > acceptedForSeconds)
        return { refused: `its iat must be at most ${acceptedForSeconds} seconds from now` }
      if (typeof jti !== 'string' || jti === '') return { refused: 'its jti must be a text' }
      if (accessToken !== undefined && ath !== createHash('sha256').update(accessToken).digest('base64url'))
        return { refused: 'its ath must be the SHA-256 of the access token' }
      // Twice as long, because the clocks of two processes may differ.
      const expiresAt = new Date((iat + 2 * acceptedForSeconds) * 1000)
      if (!(await insertUsedProof(db, { owner: read.thumbprint, jti, expiresAt })))
        return { refused: 'it was used before' }
      return { thumbprint: read.thumbprint }
    },
  }
}

const unsigned = { refused: 'it is not a JWT that is signed with the public key in its header' }

async function readProof(proof: string, now: Date) {
  const key = keyOf(proof)
  if (key === undefined) return unsigned
  try {
    const { payload: claims } = await jwtVerify(proof, key, {
      typ: 'dpop+jwt',
      algorithms: [...tokenAlgorithms],
      requiredClaims: ['htm', 'htu', 'iat', 'jti'],
      currentDate: now,
    })
    return { claims, thumbprint: await calculateJwkThumbprint(key.export({ format: 'jwk' }) as JWK) }
  } catch (error) {
    if (!(error instanceof errors.JOSEError)) throw error
    return error instanceof errors.JWTClaimValidationFailed
      ? { refused: `its ${error.claim} is missing or wrong` }
      : unsigned
  }
}

/** The key in the header of the proof; undefined if it is private, weak or cannot have signed the proof. */
function keyOf(proof: string): KeyObject | undefined {
  if (!isCanonicalToken(proof)) return undefined
  try {
    const { alg, jwk } = decodeProtectedHeader(proof)
    const algorithm = tokenAlgorithms.find((each) => each === alg)
    if (algorithm === undefined || jwk === undefined || 'd' in jwk) return undefined
    const read = readVerificationKey(jwk)
    return read !== undefined && mayHaveSigned(read, { algorithm, keyId: undefined }) ? read.key : undefined
  } catch {
    // The proof is not a JWT, or its jwk is not an object.
    return undefined
  }
}

/** The URL in its normal form, without query and fragment; undefined if it is not one. */
function withoutQuery(text: unknown): string | undefined {
  const url = typeof text === 'string' ? URL.parse(text) : null
  return url === null ? undefined : `${url.origin}${url.pathname}`
}

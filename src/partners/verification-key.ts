import { createPublicKey, type KeyObject, type webcrypto } from 'node:crypto'

/** The accepted signature algorithms, all of them asymmetric. RFC 9864 calls `Ed25519` what RFC 8037 calls `EdDSA`. */
export const tokenAlgorithms = ['ES256', 'RS256', 'PS256', 'EdDSA', 'Ed25519'] as const
export type TokenAlgorithm = (typeof tokenAlgorithms)[number]

/** The algorithm and key id in a token's header. */
export interface TokenKeyHeader {
  algorithm: TokenAlgorithm
  keyId: string | undefined
}

/** The public keys of one issuer. */
export interface VerificationKeys {
  /**
   * The keys that may have signed the token; empty if the issuer has none. Leaves out the keys in `tried`, which did
   * not sign it. Throws `UpstreamFailure` if the issuer's keys cannot be fetched.
   */
  find(wanted: TokenKeyHeader, tried?: readonly KeyObject[]): Promise<readonly KeyObject[]>
  /**
   * A value that differs once a key was added or withdrawn, so that tokens verified earlier are verified again. Absent
   * if tokens outlive the withdrawal of their key.
   */
  generation?(): Promise<unknown>
}

/** A published key (RFC 7517), checked and ready to use. */
export interface VerificationKey {
  keyId: string | undefined
  algorithms: readonly TokenAlgorithm[]
  key: KeyObject
}

/** The minimum length of an RSA key, because shorter keys are not safe (RFC 7518 §3.3). */
const shortestRsaBits = 2_048

/**
 * Reads one entry of a key set. Returns undefined if the entry's use, type, curve or size makes it unable to verify
 * tokens.
 */
export function readVerificationKey(jwk: object): VerificationKey | undefined {
  const { kid, alg, use, key_ops: operations } = jwk as Record<string, unknown>
  if (use !== undefined && use !== 'sig') return undefined
  if (Array.isArray(operations) && !operations.includes('verify')) return undefined
  const key = publicKeyOf(jwk)
  if (key === undefined) return undefined
  const algorithms = algorithmsOf(key).filter((each) => alg === undefined || modernName(each) === modernName(alg))
  return algorithms.length === 0 ? undefined : { keyId: typeof kid === 'string' ? kid : undefined, algorithms, key }
}

/** Whether the key may have signed the token: the algorithm fits and, if the token names a key, the id matches. */
export function mayHaveSigned({ keyId, algorithms }: VerificationKey, wanted: TokenKeyHeader): boolean {
  return algorithms.includes(wanted.algorithm) && (wanted.keyId === undefined || wanted.keyId === keyId)
}

/** Whether two entries have the same id and the same key. */
export function isSameKey(one: VerificationKey, other: VerificationKey): boolean {
  return one.keyId === other.keyId && one.key.equals(other.key)
}

/** Reads only the public half, even if a private key was published. */
function publicKeyOf(jwk: object): KeyObject | undefined {
  try {
    return createPublicKey({ key: jwk as webcrypto.JsonWebKey, format: 'jwk' })
  } catch {
    // The entry is a shared secret, an unsupported key type or not a key at all.
    return undefined
  }
}

function algorithmsOf({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): readonly TokenAlgorithm[] {
  switch (asymmetricKeyType) {
    case 'ec':
      return asymmetricKeyDetails?.namedCurve === 'prime256v1' ? ['ES256'] : []
    case 'rsa':
      return (asymmetricKeyDetails?.modulusLength ?? 0) >= shortestRsaBits ? ['RS256', 'PS256'] : []
    case 'ed25519':
      return ['EdDSA', 'Ed25519']
    default:
      return []
  }
}

function modernName(algorithm: unknown): unknown {
  return algorithm === 'EdDSA' ? 'Ed25519' : algorithm
}

import { createPublicKey, type KeyObject, type webcrypto } from 'node:crypto'

/** Signatures a token may carry, all with a public key. `Ed25519` is RFC 9864's name for what RFC 8037 calls `EdDSA`. */
export const tokenAlgorithms = ['ES256', 'RS256', 'PS256', 'EdDSA', 'Ed25519'] as const
export type TokenAlgorithm = (typeof tokenAlgorithms)[number]

/** What a token's header says of the key it was signed with. */
export interface WantedKey {
  algorithm: TokenAlgorithm
  keyId: string | undefined
}

/** The public keys of one issuer. */
export interface VerificationKeys {
  /**
   * Those that may have signed such a token: none where the issuer has no such key. `tried`: known not to have signed it, so only
   * another one will do. Throws `UpstreamFailure` where it cannot tell.
   */
  find(wanted: WantedKey, tried?: readonly KeyObject[]): Promise<readonly KeyObject[]>
}

/** A published key (RFC 7517), checked and ready to verify with. */
export interface VerificationKey {
  keyId: string | undefined
  algorithms: readonly TokenAlgorithm[]
  key: KeyObject
}

/** A shorter RSA key is no longer safe (RFC 7518 §3.3). */
const shortestRsaBits = 2_048

/** Reads one entry of a key set; undefined for one that no token can be verified with: another use, kind, curve or size. */
export function readVerificationKey(jwk: object): VerificationKey | undefined {
  const { kid, alg, use, key_ops: operations } = jwk as Record<string, unknown>
  if (use !== undefined && use !== 'sig') return undefined
  if (Array.isArray(operations) && !operations.includes('verify')) return undefined
  const key = publicKeyOf(jwk)
  if (key === undefined) return undefined
  const algorithms = algorithmsOf(key).filter((each) => alg === undefined || modernName(each) === modernName(alg))
  return algorithms.length === 0 ? undefined : { keyId: typeof kid === 'string' ? kid : undefined, algorithms, key }
}

/** A token that names a key was signed with a key of that name; one that names none, with any that fits its algorithm. */
export function mayHaveSigned({ keyId, algorithms }: VerificationKey, wanted: WantedKey): boolean {
  return algorithms.includes(wanted.algorithm) && (wanted.keyId === undefined || wanted.keyId === keyId)
}

/** Whether two entries are the same key under the same name. */
export function isSameKey(one: VerificationKey, other: VerificationKey): boolean {
  return one.keyId === other.keyId && one.key.equals(other.key)
}

/** Only the public half, whatever was published. */
function publicKeyOf(jwk: object): KeyObject | undefined {
  try {
    return createPublicKey({ key: jwk as webcrypto.JsonWebKey, format: 'jwk' })
  } catch {
    // A shared secret, a kind of key this machine does not know, or no key at all.
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

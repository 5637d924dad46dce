import {
  type CryptoKey,
  calculateJwkThumbprint,
  exportJWK,
  generateKeyPair,
  importJWK,
  type JSONWebKeySet,
  type JWK,
} from 'jose'
import { longestTokenSeconds } from '../platform/kernel/token-lifetime.ts'
import { type KeyKind, type RingDependencies, readRing } from '../platform/keys/key-ring.ts'

/** The embedded identity provider's ES256 keys. */
export interface SigningKeys {
  keyId: string
  privateKey: CryptoKey
  /** The public keys, for verification and for `/.well-known/jwks.json`. */
  publicKeys: JSONWebKeySet
}

const algorithm = 'ES256'

/** The keys that sign access tokens. */
export const signingKeyKind: KeyKind = {
  name: 'signing',
  async make() {
    const { privateKey } = await generateKeyPair(algorithm, { extractable: true })
    return JSON.stringify(await exportJWK(privateKey))
  },
  usefulForSeconds: longestTokenSeconds,
}

/** Reads the keys, which are made at the first start and stored in the database. */
export async function readSigningKeys(deps: RingDependencies): Promise<SigningKeys> {
  const keys = await Promise.all(
    (await readRing(deps, signingKeyKind)).map(async ({ secret }) => {
      const jwk = JSON.parse(secret.toString('utf8')) as JWK
      return { jwk, kid: await calculateJwkThumbprint(jwk) }
    }),
  )
  const [maker] = keys
  if (maker === undefined) throw new Error('there is no signing key')
  return {
    keyId: maker.kid,
    privateKey: (await importJWK(maker.jwk, algorithm)) as CryptoKey,
    publicKeys: { keys: keys.map(({ jwk, kid }) => ({ ...publicPartOf(jwk), kid, use: 'sig', alg: algorithm })) },
  }
}

function publicPartOf({ kty, crv, x, y }: JWK): JWK {
  return { kty, crv, x, y } as JWK
}

import {
  type CryptoKey,
  calculateJwkThumbprint,
  exportJWK,
  generateKeyPair,
  importJWK,
  type JSONWebKeySet,
  type JWK,
} from 'jose'
import type { Clock } from '../platform/kernel/clock.ts'
import { longestTokenSeconds } from '../platform/kernel/token-lifetime.ts'
import { followRing, type KeyKind, type RingDependencies } from '../platform/keys/key-ring.ts'

/** The embedded identity provider's ES256 keys at one moment. They stay the same object until a key is replaced. */
export interface SigningKeys {
  keyId: string
  privateKey: CryptoKey
  /** The public keys, for verification and for `/.well-known/jwks.json`. */
  publicKeys: JSONWebKeySet
}

/** The current keys, at most two seconds old. */
export type LoadSigningKeys = () => Promise<SigningKeys>

const algorithm = 'ES256'

/** The keys that sign access tokens. */
export const signingKeyKind: KeyKind = {
  name: 'signing',
  async make() {
    const { privateKey } = await generateKeyPair(algorithm, { extractable: true })
    return JSON.stringify(await exportJWK(privateKey))
  },
  usefulForSeconds: longestTokenSeconds,
  settleSeconds: 5,
}

/** Follows the keys, which are made at the first start and stored in the database. */
export function followSigningKeys(deps: RingDependencies & { clock: Clock }): LoadSigningKeys {
  return followRing(deps, signingKeyKind, async (ring) => {
    const keys = await Promise.all(
      ring.map(async ({ secret }) => {
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
  })
}

function publicPartOf({ kty, crv, x, y }: JWK): JWK {
  return { kty, crv, x, y } as JWK
}

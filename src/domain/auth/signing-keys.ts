import {
  type CryptoKey,
  calculateJwkThumbprint,
  exportJWK,
  generateKeyPair,
  importJWK,
  type JSONWebKeySet,
  type JWK,
} from 'jose'
import type { Database } from '../../db/database.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { FieldCipher } from '../../kernel/field-encryption.ts'
import { followSchedule, type ScheduledKeyKind } from '../deployment/scheduled-keys.ts'
import { erasePrivateKey, insertSigningKey, listSigningKeys } from './signing-keys.store.ts'

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

/** Follows the keys, which are created at first start and stored in the database. Several processes can do this concurrently. */
export function followSigningKeys(deps: { db: Database; cipher: FieldCipher; clock: Clock }): LoadSigningKeys {
  return followSchedule(deps, signingKeyKind(deps.cipher), async (accepted) => {
    const stored = await listSigningKeys(deps.db)
    const used = accepted.flatMap((keyId) => stored.find((each) => each.keyId === keyId) ?? [])
    const [current] = used
    if (current === undefined) throw new Error('the signing key is not stored')
    const privateJwk = JSON.parse(
      deps.cipher.decrypt(current.privateJwkEncrypted, placeOf(current.keyId)).toString('utf8'),
    ) as JWK
    return {
      keyId: current.keyId,
      privateKey: (await importJWK(privateJwk, algorithm)) as CryptoKey,
      publicKeys: { keys: used.map((key) => ({ ...key.publicJwk, kid: key.keyId, use: 'sig', alg: algorithm })) },
    }
  })
}

/** How signing keys are created and replaced. A replaced key loses its private half at once, because verification needs only the public one. */
export function signingKeyKind(cipher: FieldCipher): ScheduledKeyKind {
  const create: ScheduledKeyKind['create'] = async (tx) => {
    const key = await makeKey(cipher)
    await insertSigningKey(tx, key)
    return key.keyId
  }
  return {
    setting: 'signing-keys',
    first: async (tx) => (await listSigningKeys(tx))[0]?.keyId ?? create(tx),
    create,
    retire: erasePrivateKey,
    forget: erasePrivateKey,
  }
}

async function makeKey(cipher: FieldCipher): Promise<{ keyId: string; publicJwk: JWK; privateJwkEncrypted: string }> {
  const { publicKey, privateKey } = await generateKeyPair(algorithm, { extractable: true })
  const publicJwk = await exportJWK(publicKey)
  const keyId = await calculateJwkThumbprint(publicJwk)
  return {
    keyId,
    publicJwk,
    privateJwkEncrypted: cipher.encrypt(JSON.stringify(await exportJWK(privateKey)), placeOf(keyId)),
  }
}

function placeOf(keyId: string) {
  return { column: 'signing_keys.private_jwk', row: keyId }
}

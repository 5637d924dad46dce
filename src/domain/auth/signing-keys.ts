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
import { insertFirstSigningKey, listSigningKeys } from './signing-keys.store.ts'

/** The embedded identity provider's ES256 keys, created at first start and stored in the database. */
export interface SigningKeys {
  keyId: string
  privateKey: CryptoKey
  /** The public keys, for verification and for `/.well-known/jwks.json`. */
  publicKeys: JSONWebKeySet
}

const algorithm = 'ES256'

/** Loads the keys; creates the first one if there is none. Several processes can do this concurrently. */
export async function loadSigningKeys(
  { db, cipher, clock }: { db: Database; cipher: FieldCipher; clock: Clock },
  tokenLifetimeSeconds: number,
): Promise<SigningKeys> {
  const since = new Date(clock.now().getTime() - tokenLifetimeSeconds * 1000)
  let stored = await listSigningKeys(db, since)
  if (stored[0] === undefined || stored[0].retiredAt !== null) {
    await insertFirstSigningKey(db, await makeKey(cipher))
    stored = await listSigningKeys(db, since)
  }
  const [current] = stored
  if (current === undefined) throw new Error('the signing key could not be stored')
  const privateJwk = JSON.parse(
    cipher.decrypt(current.privateJwkEncrypted, placeOf(current.keyId)).toString('utf8'),
  ) as JWK
  return {
    keyId: current.keyId,
    privateKey: (await importJWK(privateJwk, algorithm)) as CryptoKey,
    publicKeys: { keys: stored.map((key) => ({ ...key.publicJwk, kid: key.keyId, use: 'sig', alg: algorithm })) },
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

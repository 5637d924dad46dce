import { randomBytes } from 'node:crypto'
import { type Database, inTransaction } from '../../db/database.ts'
import { brokenConstraint } from '../../db/failures.ts'
import type { Clock } from '../kernel/clock.ts'
import { newId } from '../kernel/ids.ts'
import { hashClientSecret, newClientSecret } from './client-secret.ts'
import {
  findCredential,
  findPartner,
  insertCredential,
  insertPartner,
  type Partner,
  updateDisabled,
  updateSecretHash,
} from './partners.store.ts'
import { scopes } from './scopes.ts'

export interface RegisteredClient {
  partnerId: string
  clientId: string
}

export interface IssuedCredentials extends RegisteredClient {
  /** Shown this once; only its hash is kept. */
  clientSecret: string
}

/** Credentials show their realm, so that a sandbox secret in a live configuration is seen at a glance. */
export function newClientId(realm: 'sandbox' | 'live'): string {
  return `${realm === 'sandbox' ? 'sb' : 'live'}_${randomBytes(12).toString('hex')}`
}

/** `housebill partner create`: a partner with one set of credentials that carry every scope. */
export async function createPartner(
  { db, clock, realm }: { db: Database; clock: Clock; realm: 'sandbox' | 'live' },
  input: { name: string; clientId?: string | undefined; clientSecret?: string | undefined },
): Promise<IssuedCredentials> {
  const now = clock.now()
  const partnerId = newId('partner')
  const clientId = input.clientId ?? newClientId(realm)
  const clientSecret = input.clientSecret ?? newClientSecret()
  const secretHash = await hashClientSecret(clientSecret)
  await inTransaction(db, {}, async (tx) => {
    await insertPartner(tx, { partnerId, name: input.name, now })
    await insertCredential(tx, { clientId, partnerId, secretHash, scopes, now })
  })
  return { partnerId, clientId, clientSecret }
}

/**
 * `housebill partner create --client-id`: a partner for a client id that an external identity provider knows, with every scope.
 * There is no secret here. Undefined where the client id is registered already, whoever's it is.
 */
export async function registerPartner(
  { db, clock }: { db: Database; clock: Clock },
  { name, clientId }: { name: string; clientId: string },
): Promise<RegisteredClient | undefined> {
  const now = clock.now()
  const partnerId = newId('partner')
  try {
    await inTransaction(db, {}, async (tx) => {
      await insertPartner(tx, { partnerId, name, now })
      await insertCredential(tx, { clientId, partnerId, secretHash: null, scopes, now })
    })
  } catch (error) {
    if (brokenConstraint(error) === 'credentials_pkey') return undefined
    throw error
  }
  return { partnerId, clientId }
}

/** `housebill partner rotate-secret`: a new secret for a client id, the old one ends. Undefined where the id is unknown. */
export async function rotateSecret({ db }: { db: Database }, clientId: string): Promise<string | undefined> {
  const clientSecret = newClientSecret()
  return (await updateSecretHash(db, clientId, await hashClientSecret(clientSecret))) ? clientSecret : undefined
}

/**
 * `housebill partner disable`: its tokens stop within seconds. Named by its id or by one of its client ids. Disabling twice
 * keeps the first moment. Undefined where nothing is called so.
 */
export async function disablePartner(
  { db, clock }: { db: Database; clock: Clock },
  id: string,
): Promise<Partner | undefined> {
  const partnerId = (await findCredential(db, id))?.partnerId ?? id
  await updateDisabled(db, partnerId, clock.now())
  return findPartner(db, partnerId)
}

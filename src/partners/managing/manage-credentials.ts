import { type Database, inTransaction } from '../../platform/db/database.ts'
import { violatedConstraint } from '../../platform/db/failures.ts'
import type { Clock } from '../../platform/kernel/clock.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import { hashClientSecret, newClientId, newClientSecret } from '../client-secret.ts'
import {
  deleteCredential,
  findCredential,
  findPartner,
  insertCredential,
  lockCredential,
  updateAllowedFrom,
  updateSecretHash,
} from '../partners.store.ts'
import type { Scope } from '../scopes.ts'

interface CredentialOptions {
  /** The partner's id, or one of its client ids. */
  partner: string
  scopes: readonly Scope[]
  name?: string | undefined
  /** If absent, the credentials do not expire. */
  lifetimeSeconds?: number | undefined
  /** A client id from an external identity provider, which keeps the secret. */
  clientId?: string | undefined
  /** The addresses and CIDR ranges from which the credentials may be used. If absent, from anywhere. */
  allowedFrom?: readonly string[] | undefined
}

interface AddedCredential {
  partnerId: Id<'partner'>
  clientId: string
  /** Shown only once; undefined if an external identity provider keeps it. */
  clientSecret: string | undefined
  expiresAt: Date | null
}

/** `housebill partner add-credential`: adds credentials with the given scopes to a partner. */
export async function addCredential(
  { db, clock, realm }: { db: Database; clock: Clock; realm: 'sandbox' | 'live' },
  { partner, scopes, name, lifetimeSeconds, clientId: externalClientId, allowedFrom }: CredentialOptions,
): Promise<AddedCredential | { rejected: 'unknown_partner' | 'partner_disabled' | 'client_id_taken' }> {
  const now = clock.now()
  const found = await findPartner(db, (await findCredential(db, partner))?.partnerId ?? partner)
  if (found === undefined) return { rejected: 'unknown_partner' }
  if (found.disabledAt !== null) return { rejected: 'partner_disabled' }
  const { partnerId } = found
  const clientId = externalClientId ?? newClientId(realm)
  const clientSecret = externalClientId === undefined ? newClientSecret() : undefined
  const secretHash = clientSecret === undefined ? null : hashClientSecret(clientSecret)
  const expiresAt = lifetimeSeconds === undefined ? null : new Date(now.getTime() + lifetimeSeconds * 1000)
  try {
    await inTransaction(db, {}, (tx) =>
      insertCredential(tx, {
        clientId,
        partnerId,
        secretHash,
        scopes,
        now,
        name,
        expiresAt,
        allowedFrom,
      }),
    )
  } catch (error) {
    if (violatedConstraint(error) === 'credentials_pkey') return { rejected: 'client_id_taken' }
    throw error
  }
  return { partnerId, clientId, clientSecret, expiresAt }
}

interface RotatedSecret {
  clientSecret: string
  /** The time until which the previous secret also works; null if it no longer works. */
  previousSecretUntil: Date | null
}

/**
 * `housebill partner rotate-secret`: sets a new secret for a client id. The old secret keeps working for `overlapSeconds`, or
 * stops at once if that is 0. At most two secrets work at a time, so rotating again during an overlap ends the oldest.
 * If `endsTokens`, every token issued until now is rejected within two seconds. Returns undefined for an unknown client
 * id.
 */
export async function rotateSecret(
  { db, clock }: { db: Database; clock: Clock },
  { clientId, overlapSeconds, endsTokens }: { clientId: string; overlapSeconds: number; endsTokens: boolean },
): Promise<RotatedSecret | undefined> {
  const clientSecret = newClientSecret()
  const secretHash = hashClientSecret(clientSecret)
  return inTransaction(db, {}, async (tx) => {
    await lockCredential(tx, clientId)
    const present = await findCredential(tx, clientId)
    if (present === undefined) return undefined
    const overlaps = overlapSeconds > 0 && present.secretHash !== null
    const previousSecretUntil = overlaps ? new Date(clock.now().getTime() + overlapSeconds * 1000) : null
    await updateSecretHash(tx, clientId, secretHash, { previousUntil: previousSecretUntil, endsTokens })
    return { clientSecret, previousSecretUntil }
  })
}

/**
 * `housebill partner allow-from`: sets from where a credential may be used; null allows every address. Token calls follow at once, other calls
 * within two seconds. Returns false for an unknown client id.
 */
export async function setAllowedFrom(
  { db }: { db: Database },
  clientId: string,
  allowedFrom: readonly string[] | null,
): Promise<boolean> {
  return updateAllowedFrom(db, clientId, allowedFrom)
}

/**
 * `housebill partner remove-credential`: removes credentials. Their secrets stop working at once, and their tokens within
 * seconds. Returns undefined for an unknown id.
 */
export async function removeCredential({ db }: { db: Database }, clientId: string): Promise<string | undefined> {
  return deleteCredential(db, clientId)
}

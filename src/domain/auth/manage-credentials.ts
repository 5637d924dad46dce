import { type Database, inTransaction } from '../../db/database.ts'
import { violatedConstraint } from '../../db/failures.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Id } from '../../kernel/ids.ts'
import { newClientId } from './client-id.ts'
import { hashClientSecret, newClientSecret } from './client-secret.ts'
import { deleteCredential, findCredential, findPartner, insertCredential, updateSecretHash } from './partners.store.ts'
import type { Scope } from './scopes.ts'

export interface CredentialOptions {
  /** The partner's id, or one of its client ids. */
  partner: string
  scopes: readonly Scope[]
  name?: string | undefined
  /** Without it they have no end. */
  lifetimeSeconds?: number | undefined
  /** One that an external identity provider knows: then there is no secret here. */
  clientId?: string | undefined
}

export interface AddedCredential {
  partnerId: Id<'partner'>
  clientId: string
  /** Shown this once; undefined where an external identity provider keeps it. */
  clientSecret: string | undefined
  expiresAt: Date | null
}

/** `housebill partner add-credential`: further credentials of a partner, with the scopes they need and no more. */
export async function addCredential(
  { db, clock, realm }: { db: Database; clock: Clock; realm: 'sandbox' | 'live' },
  { partner, scopes, name, lifetimeSeconds, clientId: outside }: CredentialOptions,
): Promise<AddedCredential | { refused: 'unknown_partner' | 'partner_disabled' | 'client_id_taken' }> {
  const now = clock.now()
  const found = await findPartner(db, (await findCredential(db, partner))?.partnerId ?? partner)
  if (found === undefined) return { refused: 'unknown_partner' }
  if (found.disabledAt !== null) return { refused: 'partner_disabled' }
  const { partnerId } = found
  const clientId = outside ?? newClientId(realm)
  const clientSecret = outside === undefined ? newClientSecret() : undefined
  const secretHash = clientSecret === undefined ? null : await hashClientSecret(clientSecret)
  const expiresAt = lifetimeSeconds === undefined ? null : new Date(now.getTime() + lifetimeSeconds * 1000)
  try {
    await inTransaction(db, {}, (tx) =>
      insertCredential(tx, { clientId, partnerId, secretHash, scopes, now, name, expiresAt }),
    )
  } catch (error) {
    if (violatedConstraint(error) === 'credentials_pkey') return { refused: 'client_id_taken' }
    throw error
  }
  return { partnerId, clientId, clientSecret, expiresAt }
}

export interface RotatedSecret {
  clientSecret: string
  /** Until when the secret before is taken too; null where it has ended. */
  previousSecretUntil: Date | null
}

/**
 * `housebill partner rotate-secret`: a new secret for a client id. The old one is taken for `overlapSeconds` more, or ends at once
 * with 0. Never more than two are: a rotation within an overlap ends the oldest. Undefined where the id is unknown or its secret is
 * kept elsewhere.
 */
export async function rotateSecret(
  { db, clock }: { db: Database; clock: Clock },
  { clientId, overlapSeconds }: { clientId: string; overlapSeconds: number },
): Promise<RotatedSecret | undefined> {
  const present = await findCredential(db, clientId)
  if (present === undefined) return undefined
  const clientSecret = newClientSecret()
  const overlaps = overlapSeconds > 0 && present.secretHash !== null
  const previousSecretUntil = overlaps ? new Date(clock.now().getTime() + overlapSeconds * 1000) : null
  const secretHash = await hashClientSecret(clientSecret, overlaps ? (present.secretHash ?? undefined) : undefined)
  if (!(await updateSecretHash(db, clientId, secretHash, previousSecretUntil))) return undefined
  return { clientSecret, previousSecretUntil }
}

/** `housebill partner remove-credential`: its secrets end at once, its tokens within seconds. Undefined where the id is unknown. */
export async function removeCredential({ db }: { db: Database }, clientId: string): Promise<string | undefined> {
  return deleteCredential(db, clientId)
}

import { type Database, inTransaction } from '../../platform/db/database.ts'
import { violatedConstraint } from '../../platform/db/failures.ts'
import type { Clock } from '../../platform/kernel/clock.ts'
import { DomainError, invalidFields } from '../../platform/kernel/errors.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import { hashClientSecret, newClientId, newClientSecret } from '../client-secret.ts'
import type { Sealer } from '../credential-seal.ts'
import { claimRequest } from '../operators/claim-request.ts'
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

/** What new credentials of a partner may do. */
export interface NewCredential {
  scopes: readonly Scope[]
  name?: string | undefined
  /** If absent, the credentials do not expire. */
  lifetimeSeconds?: number | undefined
  /** A client id from an external identity provider, which keeps the secret. */
  clientId?: string | undefined
  /** Addresses and CIDR ranges from which they may be used; undefined for anywhere. */
  allowedFrom?: readonly string[] | undefined
}

/** Credentials that were made or replaced. */
export interface IssuedCredential {
  partnerId: Id<'partner'>
  clientId: string
  /** Null if an identity provider keeps it, or if this repeats an earlier call: only the hash of a secret is stored. */
  clientSecret: string | null
  expiresAt: Date | null
  /** Until when the previous secret works too; null if it does not. */
  previousSecretUntil: Date | null
}

/**
 * POST /operator-api/Partners/{partnerId}/credentials: adds credentials to a partner. With a `requestKey`, the same call
 * made again adds nothing and returns no secret. Throws `not_found`, also if the credentials that an earlier call added
 * were removed, `partner_disabled`, `idempotency_key_reused`, and `validation_failed` for a client id that is registered
 * already.
 */
export async function addCredential(
  { db, clock, cipher, realm }: { db: Database; clock: Clock; cipher: Sealer; realm: 'sandbox' | 'live' },
  partnerId: string,
  { scopes, name, lifetimeSeconds, clientId: externalClientId, allowedFrom }: NewCredential,
  requestKey?: string,
): Promise<IssuedCredential> {
  const partner = await findPartner(db, partnerId)
  if (partner === undefined)
    throw new DomainError('not_found', 'There is no partner with this id. GET /operator-api/Partners lists them all.')
  if (partner.disabledAt !== null)
    throw new DomainError('partner_disabled', 'This partner is disabled, which cannot be undone. Create a new partner.')
  const now = clock.now()
  const clientId = externalClientId ?? newClientId(realm)
  const clientSecret = externalClientId === undefined ? newClientSecret() : null
  const secretHash = clientSecret === null ? null : hashClientSecret(clientSecret)
  const expiresAt = lifetimeSeconds === undefined ? null : new Date(now.getTime() + lifetimeSeconds * 1_000)
  const credential = { clientId, partnerId: partner.partnerId, secretHash, scopes, now, name, expiresAt, allowedFrom }
  const request = { add: partnerId, scopes: [...scopes].sort(), name, lifetimeSeconds, allowedFrom, externalClientId }
  const issued = { partnerId: partner.partnerId, clientId, clientSecret, expiresAt, previousSecretUntil: null }
  try {
    return await inTransaction(db, {}, async (tx) => {
      const earlier = await claimRequest(tx, requestKey, request, { subjectId: clientId, now })
      if (earlier === undefined) {
        await insertCredential(tx, cipher, credential)
        return issued
      }
      const present = await findCredential(tx, cipher, earlier)
      if (present !== undefined)
        return { ...issued, clientId: earlier, clientSecret: null, expiresAt: present.expiresAt }
      const detail = 'The credentials that this Idempotency-Key added were removed. Send a new key to add others.'
      throw new DomainError('not_found', detail)
    })
  } catch (error) {
    if (violatedConstraint(error) !== 'credentials_pkey') throw error
    const detail = 'This client id is registered already. GET /operator-api/Partners shows its partner.'
    throw invalidFields([{ pointer: '/clientId', code: 'taken', detail }])
  }
}

/** Credentials by their client id, if they are this partner's. */
interface WhichCredential {
  clientId: string
  partnerId: string
}

/**
 * POST /operator-api/Partners/{partnerId}/credentials/{clientId}/rotate: sets a new secret. The old one keeps working for `overlapSeconds`, or stops at once if that is 0. At most two secrets work
 * at a time, so rotating again during an overlap ends the oldest. If `endsTokens`, every token issued until now is
 * rejected within two seconds. With a `requestKey`, the same call made again changes nothing and returns no secret.
 * Throws `not_found`, also for a partner's client whose secret an identity provider keeps, and
 * `idempotency_key_reused`.
 */
export async function rotateCredential(
  { db, clock, cipher }: { db: Database; clock: Clock; cipher: Sealer },
  { clientId, partnerId }: WhichCredential,
  { overlapSeconds, endsTokens }: { overlapSeconds: number; endsTokens: boolean },
  requestKey?: string,
): Promise<IssuedCredential> {
  const now = clock.now()
  const clientSecret = newClientSecret()
  const secretHash = hashClientSecret(clientSecret)
  return inTransaction(db, {}, async (tx) => {
    await lockCredential(tx, clientId)
    const present = await findCredential(tx, cipher, clientId)
    if (present?.partnerId !== partnerId || present.secretHash === null) throw unknownCredential()
    const about = { partnerId: present.partnerId, clientId, expiresAt: present.expiresAt }
    const request = { rotate: clientId, overlapSeconds, endsTokens }
    if ((await claimRequest(tx, requestKey, request, { subjectId: clientId, now })) !== undefined)
      return { ...about, clientSecret: null, previousSecretUntil: present.previousSecretUntil }
    const previousUntil = overlapSeconds > 0 ? new Date(now.getTime() + overlapSeconds * 1_000) : null
    await updateSecretHash(tx, cipher, present, secretHash, { previousUntil, endsTokens })
    return { ...about, clientSecret, previousSecretUntil: previousUntil }
  })
}

/**
 * POST /operator-api/Partners/{partnerId}/credentials/{clientId}/remove: removes credentials. Their secrets stop working
 * at once, and their tokens within seconds. Throws `not_found`.
 */
export async function removeCredential({ db }: { db: Database }, which: WhichCredential): Promise<void> {
  if (!(await deleteCredential(db, which))) throw unknownCredential()
}

/**
 * PATCH /operator-api/Partners/{partnerId}/credentials/{clientId}: sets from where a credential may be used; null allows
 * every address. Token calls follow at once, other calls within two seconds. Throws `not_found`.
 */
export async function setAllowedFrom(
  { db, cipher }: { db: Database; cipher: Sealer },
  { clientId, partnerId }: WhichCredential,
  allowedFrom: readonly string[] | null,
): Promise<void> {
  if ((await findCredential(db, cipher, clientId))?.partnerId !== partnerId) throw unknownCredential()
  await updateAllowedFrom(db, clientId, allowedFrom)
}

function unknownCredential(): DomainError {
  return new DomainError(
    'not_found',
    'This partner has no such credentials, or an identity provider keeps their secret.',
  )
}

import { inTransaction } from '../../platform/db/database.ts'
import { DomainError } from '../../platform/kernel/errors.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import { hashClientSecret, newClientId, newClientSecret } from '../client-secret.ts'
import { claimRequest } from '../operators/claim-request.ts'
import {
  deleteCredential,
  findCredential,
  findPartner,
  insertCredential,
  lockCredential,
  updateSecretHash,
} from '../partners.store.ts'
import type { Scope } from '../scopes.ts'
import type { ManagingDependencies } from './manage-partners.ts'

/** What new credentials of a partner may do. */
export interface NewPartnerCredential {
  scopes: readonly Scope[]
  name: string | undefined
  expiresInDays: number | undefined
  /** Addresses and CIDR ranges from which they may be used; undefined for anywhere. */
  allowedFrom: readonly string[] | undefined
}

/** Credentials that were made or replaced. */
export interface IssuedPartnerCredential {
  partnerId: Id<'partner'>
  clientId: string
  /** Null if this repeats an earlier call: only the hash of a secret is stored. */
  clientSecret: string | null
  expiresAt: Date | null
  /** Until when the previous secret works too; null if it does not. */
  previousSecretUntil: Date | null
}

type Dependencies = ManagingDependencies & { realm: 'sandbox' | 'live' }

/**
 * POST /operator-api/Partners/{partnerId}/credentials, as `housebill partner add-credential`. With a `requestKey`, the
 * same call made again adds nothing and returns no secret. Throws `not_found`, also if the credentials that an earlier
 * call added were removed, `partner_disabled` and `idempotency_key_reused`.
 */
export async function addPartnerCredential(
  { system, clock, realm }: Dependencies,
  partnerId: string,
  { scopes, name, expiresInDays, allowedFrom }: NewPartnerCredential,
  requestKey: string | undefined,
): Promise<IssuedPartnerCredential> {
  const partner = await findPartner(system, partnerId)
  if (partner === undefined)
    throw new DomainError('not_found', 'There is no partner with this id. GET /operator-api/Partners lists them all.')
  if (partner.disabledAt !== null)
    throw new DomainError('partner_disabled', 'This partner is disabled, which cannot be undone. Create a new partner.')
  const now = clock.now()
  const clientId = newClientId(realm)
  const clientSecret = newClientSecret()
  const secretHash = hashClientSecret(clientSecret)
  const expiresAt = expiresInDays === undefined ? null : new Date(now.getTime() + expiresInDays * 86_400_000)
  const credential = { clientId, partnerId: partner.partnerId, secretHash, scopes, now, name, expiresAt, allowedFrom }
  const request = { add: partnerId, scopes: [...scopes].sort(), name, expiresInDays, allowedFrom }
  return inTransaction(system, {}, async (tx) => {
    const earlier = await claimRequest(tx, requestKey, request, { subjectId: clientId, now })
    if (earlier === undefined) {
      await insertCredential(tx, credential)
      return { partnerId: partner.partnerId, clientId, clientSecret, expiresAt, previousSecretUntil: null }
    }
    const present = await findCredential(tx, earlier)
    if (present === undefined)
      throw new DomainError(
        'not_found',
        'The credentials that this Idempotency-Key added were removed. Send a new key to add others.',
      )
    return {
      partnerId: partner.partnerId,
      clientId: earlier,
      clientSecret: null,
      expiresAt: present.expiresAt,
      previousSecretUntil: null,
    }
  })
}

/**
 * POST /operator-api/Partners/{partnerId}/credentials/{clientId}/rotate, as `housebill partner rotate-secret`. With a
 * `requestKey`, the same call made again changes nothing and returns no secret. Throws `not_found`, also for a client
 * whose secret an identity provider keeps, and `idempotency_key_reused`.
 */
export async function rotatePartnerCredential(
  { system, clock }: Dependencies,
  { partnerId, clientId }: { partnerId: string; clientId: string },
  { overlapSeconds, endsTokens }: { overlapSeconds: number; endsTokens: boolean },
  requestKey: string | undefined,
): Promise<IssuedPartnerCredential> {
  const now = clock.now()
  const clientSecret = newClientSecret()
  const secretHash = hashClientSecret(clientSecret)
  const previousUntil = overlapSeconds > 0 ? new Date(now.getTime() + overlapSeconds * 1_000) : null
  return inTransaction(system, {}, async (tx) => {
    await lockCredential(tx, clientId)
    const present = await findCredential(tx, clientId)
    if (present?.partnerId !== partnerId || present.secretHash === null) throw unknownCredential()
    const about = { partnerId: present.partnerId, clientId, expiresAt: present.expiresAt }
    const request = { rotate: clientId, overlapSeconds, endsTokens }
    if ((await claimRequest(tx, requestKey, request, { subjectId: clientId, now })) !== undefined)
      return { ...about, clientSecret: null, previousSecretUntil: present.previousSecretUntil }
    await updateSecretHash(tx, clientId, secretHash, { previousUntil, endsTokens })
    return { ...about, clientSecret, previousSecretUntil: previousUntil }
  })
}

/**
 * POST /operator-api/Partners/{partnerId}/credentials/{clientId}/remove, as `housebill partner remove-credential`.
 * Throws `not_found`.
 */
export async function removePartnerCredential(
  { system }: ManagingDependencies,
  { partnerId, clientId }: { partnerId: string; clientId: string },
): Promise<void> {
  const present = await findCredential(system, clientId)
  if (present?.partnerId !== partnerId) throw unknownCredential()
  await deleteCredential(system, clientId)
}

function unknownCredential(): DomainError {
  return new DomainError(
    'not_found',
    'This partner has no such credentials, or an identity provider keeps their secret.',
  )
}

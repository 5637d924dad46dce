import { type Database, inTransaction } from '../../platform/db/database.ts'
import type { Clock } from '../../platform/kernel/clock.ts'
import { DomainError } from '../../platform/kernel/errors.ts'
import type { FieldCipher } from '../../platform/kernel/field-encryption.ts'
import { isId, newId } from '../../platform/kernel/ids.ts'
import type { Caller } from '../caller.ts'
import { claimRequest } from '../operators/claim-request.ts'
import { type PartnerSettings, settingsOf } from '../partner-settings.schema.ts'
import {
  findOwnSettings,
  insertPartnerWithSettings,
  type OwnSettings,
  updatePartnerSettings,
  updateSenderName,
} from '../partner-settings.store.ts'
import {
  type ListedCredential,
  listCredentials,
  listPartnerDetails,
  lockPartner,
  markPartnerDisabled,
  type PartnerDetails,
  updateSuspension,
} from '../partners.store.ts'

export interface ManagingDependencies {
  db: Database
  cipher: FieldCipher
  clock: Clock
}

/** A partner as the operator sees it, with its credentials but never a secret. */
export interface ManagedPartner extends PartnerDetails {
  credentials: ListedCredential[]
}

/** GET /operator-api/Partners: every partner, oldest first. */
export async function listManagedPartners({ db, cipher }: ManagingDependencies): Promise<ManagedPartner[]> {
  const [partners, credentials] = [await listPartnerDetails(db, cipher), await listCredentials(db)]
  return partners.map((partner) => withCredentials(partner, credentials))
}

/**
 * POST /operator-api/Partners: registers a partner without credentials. With a `requestKey`, the same call made again
 * returns the partner that the first one registered. Throws `idempotency_key_reused` if the key was used for another
 * partner.
 */
export async function registerPartner(
  deps: ManagingDependencies,
  settings: PartnerSettings & { name: string },
  requestKey: string | undefined,
): Promise<ManagedPartner> {
  const now = deps.clock.now()
  const partnerId = newId('partner')
  const earlier = await inTransaction(deps.db, {}, async (tx) => {
    const repeated = await claimRequest(tx, requestKey, { register: settings }, { subjectId: partnerId, now })
    if (repeated === undefined) await insertPartnerWithSettings(tx, deps.cipher, { ...settings, partnerId, now })
    return repeated
  })
  return requirePartner(deps, earlier ?? partnerId)
}

/** PATCH /operator-api/Partners/{partnerId}: changes what is given. Throws `not_found`. */
export async function changePartner(
  deps: ManagingDependencies,
  partnerId: string,
  { name, ...changes }: Partial<PartnerSettings> & { name?: string | undefined },
): Promise<ManagedPartner> {
  await inTransaction(deps.db, {}, async (tx) => {
    await lockPartner(tx, partnerId)
    const [present] = await listPartnerDetails(tx, deps.cipher, partnerId)
    if (present === undefined) throw unknownPartner()
    const settings = { ...settingsOf(present), ...changes }
    await updatePartnerSettings(tx, deps.cipher, {
      ...settings,
      partnerId: present.partnerId,
      name: name ?? present.name,
    })
  })
  return requirePartner(deps, partnerId)
}

/**
 * POST /operator-api/Partners/{partnerId}/suspend and /resume. Everything that does not need a call of the partner goes
 * on. Suspending it again keeps the time of the first call. Throws `not_found` and `partner_disabled`.
 */
export async function setSuspended(
  deps: ManagingDependencies,
  partnerId: string,
  isSuspended: boolean,
): Promise<ManagedPartner> {
  await requirePartner(deps, partnerId)
  if (!(await updateSuspension(deps.db, partnerId, isSuspended ? deps.clock.now() : null))) throw disabled()
  return requirePartner(deps, partnerId)
}

/**
 * POST /operator-api/Partners/{partnerId}/disable: its tokens stop working within seconds, and its contracts in force go
 * on. Disabling it again keeps the time of the first call. Throws `not_found`.
 */
export async function disablePartner(deps: ManagingDependencies, partnerId: string): Promise<ManagedPartner> {
  await requirePartner(deps, partnerId)
  await markPartnerDisabled(deps.db, partnerId, deps.clock.now())
  return requirePartner(deps, partnerId)
}

/** GET /Settings: what applies to the calling partner. */
export function readOwnSettings(
  { db }: { db: Database },
  { partnerId }: Pick<Caller, 'partnerId'>,
): Promise<OwnSettings> {
  return findOwnSettings(db, partnerId)
}

/** PATCH /Settings: what the partner calls itself to tenants; its own name takes another one back. */
export function changeOwnSettings(
  { db }: { db: Database },
  caller: Caller,
  { senderName }: { senderName: string },
): Promise<OwnSettings> {
  return inTransaction(db, caller, async (tx) => {
    await updateSenderName(tx, caller.partnerId, senderName)
    return findOwnSettings(tx, caller.partnerId)
  })
}

/** The error for a partner that was disabled for ever. */
function disabled(): DomainError {
  return new DomainError('partner_disabled', 'This partner is disabled, which cannot be undone. Create a new partner.')
}

/** The error for a partner that does not exist. */
function unknownPartner(): DomainError {
  return new DomainError('not_found', 'There is no partner with this id. GET /operator-api/Partners lists them all.')
}

async function requirePartner({ db, cipher }: ManagingDependencies, partnerId: string): Promise<ManagedPartner> {
  const [partner] = isId('partner', partnerId) ? await listPartnerDetails(db, cipher, partnerId) : []
  if (partner === undefined) throw unknownPartner()
  return withCredentials(partner, await listCredentials(db))
}

function withCredentials(partner: PartnerDetails, all: readonly ListedCredential[]): ManagedPartner {
  return { ...partner, credentials: all.filter(({ partnerId }) => partnerId === partner.partnerId) }
}

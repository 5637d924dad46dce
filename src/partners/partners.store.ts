import type { Queryable, Tx } from '../platform/db/database.ts'
import { type Sql, sql } from '../platform/db/sql.ts'
import type { FieldCipher } from '../platform/kernel/field-encryption.ts'
import type { Id } from '../platform/kernel/ids.ts'
import { isSealed, type Sealer, sealOf } from './credential-seal.ts'
import { operatorAccountId } from './operators/operator-scopes.ts'
import type { CallSettings, PartnerSettings } from './partner-settings.schema.ts'
import { callSettingsColumn, decryptEmail } from './partner-settings.store.ts'
import type { Scope } from './scopes.ts'

/**
 * The partner to which something belongs, and how far its sandbox clock is ahead; undefined if `partner` selects none.
 */
export async function findOwner(
  system: Queryable,
  partner: Sql,
): Promise<{ partnerId: Id<'partner'>; clockOffsetSeconds: number } | undefined> {
  const [row] = await system.query<{ partnerId: Id<'partner'>; clockOffsetSeconds: number }>(sql`
    select partner_id as "partnerId", clock_offset_seconds::float8 as "clockOffsetSeconds" from partners
     where partner_id = (${partner})`)
  return row
}

/**
 * SQL for the time on the partners' clock that is furthest ahead. What is due on no partner's clock lies after it, so
 * that an index finds what may be due. `now` is real time.
 */
export function latestTime(now: Date): Sql {
  return sql`(${now}::timestamptz + make_interval(secs => (select max(clock_offset_seconds) from partners)))`
}

/** SQL for the day in London on the clock of the partner `p`. `now` is real time. */
export const partnersDay = (now: Date): Sql =>
  sql`((${now}::timestamptz + make_interval(secs => p.clock_offset_seconds)) at time zone 'Europe/London')::date`

/** SQL for the day of `latestTime` in London. */
export const latestDay = (now: Date): Sql => sql`(${latestTime(now)} at time zone 'Europe/London')::date`

export interface Partner {
  partnerId: Id<'partner'>
  name: string
  disabledAt: Date | null
  suspendedAt: Date | null
  clockOffsetSeconds: number
  createdAt: Date
}

/** A partner with what the operator has set for it. */
export interface PartnerDetails extends Partner, PartnerSettings {}

export interface Credential {
  clientId: string
  partnerId: Id<'partner'>
  /** Null if an external identity provider keeps the secret. */
  secretHash: string | null
  /** The hash from before the last rotation; valid until `previousSecretUntil`. */
  previousSecretHash: string | null
  previousSecretUntil: Date | null
  scopes: Scope[]
  expiresAt: Date | null
  /** Counts how often all tokens of the credential were ended. A token of an earlier generation is not accepted. */
  tokenGeneration: number
  /** The addresses and CIDR ranges from which the credential may be used; null if it may be used from anywhere. */
  allowedFrom: readonly string[] | null
  /** The last day in UTC (`YYYY-MM-DD`) on which a token was issued. */
  lastTokenOn: string | null
  partnerDisabledAt: Date | null
  partnerSuspendedAt: Date | null
  settings: CallSettings
  /** How far the partner's sandbox clock is ahead. */
  clockOffsetSeconds: number
  /** When the credential was made. A token that was issued before is not accepted. */
  createdAt: Date
}

/** A credential as the operator sees it, without its secret or hash. */
export interface ListedCredential {
  clientId: string
  partnerId: Id<'partner'>
  name: string | null
  scopes: Scope[]
  createdAt: Date
  expiresAt: Date | null
  /** The time until which the previous secret also works. */
  previousSecretUntil: Date | null
  /** The addresses and CIDR ranges from which the credential may be used; null if it may be used from anywhere. */
  allowedFrom: readonly string[] | null
  /** The last day in UTC (`YYYY-MM-DD`) on which a token was issued. */
  lastTokenOn: string | null
}

/**
 * The credential and its partner's state; undefined for one that this deployment did not make or change. This is the
 * only query here that looks up a client id without knowing the partner.
 */
export async function findCredential(db: Queryable, sealer: Sealer, clientId: string): Promise<Credential | undefined> {
  const [row] = await db.query<Credential & { seal: string }>(sql`
    select c.client_id as "clientId", c.partner_id as "partnerId", c.secret_hash as "secretHash",
           c.previous_secret_hash as "previousSecretHash", c.previous_secret_until as "previousSecretUntil", c.scopes,
           c.expires_at as "expiresAt", c.token_generation as "tokenGeneration",
           c.allowed_from as "allowedFrom", c.last_token_on::text as "lastTokenOn",
           p.disabled_at as "partnerDisabledAt",
           p.suspended_at as "partnerSuspendedAt", ${callSettingsColumn},
           p.clock_offset_seconds::float8 as "clockOffsetSeconds", c.created_at as "createdAt", c.seal
      from credentials c join partners p using (partner_id)
     where c.client_id = ${clientId}`)
  if (row === undefined || !isSealed(sealer, row)) return undefined
  const { seal: _, ...credential } = row
  return credential
}

/** What decides on calls for a partner that no credential makes, such as those of its people. */
export type PartnerOfPerson = Pick<
  Credential,
  'partnerDisabledAt' | 'partnerSuspendedAt' | 'settings' | 'clockOffsetSeconds'
>

/** Finds it. */
export async function findPartnerOfPerson(
  db: Queryable,
  partnerId: Id<'partner'>,
): Promise<PartnerOfPerson | undefined> {
  const [row] = await db.query<PartnerOfPerson>(sql`
    select p.disabled_at as "partnerDisabledAt", p.suspended_at as "partnerSuspendedAt", ${callSettingsColumn},
           p.clock_offset_seconds::float8 as "clockOffsetSeconds"
      from partners p where p.partner_id = ${partnerId}`)
  return row
}

/** The client id of the partner's oldest credentials that have not expired; undefined if there are none. */
export async function findClientIdOfPartner(
  db: Queryable,
  partnerId: Id<'partner'>,
  now: Date,
): Promise<string | undefined> {
  const [row] = await db.query<{ clientId: string }>(sql`
    select client_id as "clientId" from credentials
     where partner_id = ${partnerId} and (expires_at is null or expires_at > ${now})
     order by created_at, client_id limit 1`)
  return row?.clientId
}

const partnerColumns = sql`partner_id as "partnerId", name, disabled_at as "disabledAt", suspended_at as "suspendedAt",
  clock_offset_seconds::float8 as "clockOffsetSeconds", created_at as "createdAt"`

export async function findPartner(db: Queryable, partnerId: string): Promise<Partner | undefined> {
  const [row] = await db.query<Partner>(sql`
    select ${partnerColumns} from partners where partner_id = ${partnerId} and partner_id <> ${operatorAccountId}`)
  return row
}

/**
 * Every partner, oldest first, and the operator's own account if there is one. Used by jobs that process the accounts
 * one by one.
 */
export async function listPartners(db: Queryable): Promise<Partner[]> {
  return db.query(sql`select ${partnerColumns} from partners order by created_at, partner_id`)
}

/** Every partner with its settings, oldest first; only one with `partnerId`. */
export async function listPartnerDetails(
  db: Queryable,
  cipher: FieldCipher,
  partnerId: string | null = null,
): Promise<PartnerDetails[]> {
  const rows = await db.query<
    Partner & { settings: CallSettings; emailEncrypted: string | null; returnUrls: string[] | null }
  >(sql`
    select ${partnerColumns}, ${callSettingsColumn}, contact_email_encrypted as "emailEncrypted",
           return_urls as "returnUrls"
      from partners where partner_id <> ${operatorAccountId} and (${partnerId}::text is null
                                                                  or partner_id = ${partnerId})
     order by created_at, partner_id`)
  return rows.map(({ emailEncrypted, settings, ...row }) => ({
    ...row,
    ...settings,
    contactEmail: decryptEmail(cipher, row.partnerId, emailEncrypted),
  }))
}

/** Keeps other changes of the partner waiting until the transaction ends. */
export async function lockPartner(tx: Tx, partnerId: string): Promise<void> {
  await tx.query(sql`select from partners where partner_id = ${partnerId} for no key update`)
}

/** Every partner's credentials, oldest first. Used by the operator. */
export async function listCredentials(db: Queryable): Promise<ListedCredential[]> {
  return db.query(sql`
    select client_id as "clientId", partner_id as "partnerId", name, scopes, created_at as "createdAt",
           expires_at as "expiresAt", previous_secret_until as "previousSecretUntil", allowed_from as "allowedFrom",
           last_token_on::text as "lastTokenOn"
      from credentials order by created_at, client_id`)
}

export async function insertPartner(
  tx: Tx,
  partner: { partnerId: Id<'partner'>; name: string; now: Date },
): Promise<void> {
  await tx.query(sql`
    insert into partners (partner_id, name, created_at) values (${partner.partnerId}, ${partner.name}, ${partner.now})`)
}

export interface NewCredential {
  clientId: string
  partnerId: Id<'partner'>
  secretHash: string | null
  scopes: readonly Scope[]
  now: Date
  name?: string | undefined
  expiresAt?: Date | null
  allowedFrom?: readonly string[] | null | undefined
}

export async function insertCredential(tx: Tx, sealer: Sealer, credential: NewCredential): Promise<void> {
  const { clientId, partnerId, secretHash, scopes, now, name = null, expiresAt = null, allowedFrom = null } = credential
  const seal = sealOf(sealer, { clientId, partnerId, scopes, secretHash })
  await tx.query(sql`
    insert into credentials (client_id, partner_id, secret_hash, scopes, created_at, name, expires_at, allowed_from,
                             seal)
    values (${clientId}, ${partnerId}, ${secretHash}, ${scopes}, ${now}, ${name}, ${expiresAt}, ${allowedFrom},
            ${seal})`)
}

/**
 * Replaces a credential's secret. The current secret becomes the previous one and works until `previousUntil`, or stops
 * at once if that is null. Any earlier secret stops working. If `endsTokens`, so do all tokens issued until now. The
 * caller holds the credential's lock. Returns false for unknown credentials.
 */
export async function updateSecretHash(
  tx: Tx,
  sealer: Sealer,
  {
    clientId,
    partnerId,
    scopes,
    secretHash: current,
  }: Pick<Credential, 'clientId' | 'partnerId' | 'scopes' | 'secretHash'>,
  secretHash: string,
  { previousUntil = null, endsTokens = false }: { previousUntil?: Date | null; endsTokens?: boolean } = {},
): Promise<boolean> {
  const previousSecretHash = previousUntil === null ? null : current
  const seal = sealOf(sealer, { clientId, partnerId, scopes, secretHash, previousSecretHash })
  const rows = await tx.query(sql`
    update credentials
       set secret_hash = ${secretHash}, scopes = ${scopes}, seal = ${seal}, previous_secret_hash = ${previousSecretHash},
           previous_secret_until = ${previousSecretHash === null ? null : previousUntil},
           token_generation = token_generation + ${endsTokens ? 1 : 0}
     where partner_id = ${partnerId} and client_id = ${clientId} returning 1`)
  return rows.length === 1
}

/** Sets from where a credential may be used; null allows every address. Returns false for an unknown client id. */
export async function updateAllowedFrom(
  db: Queryable,
  clientId: string,
  allowedFrom: readonly string[] | null,
): Promise<boolean> {
  const rows = await db.query(sql`
    update credentials set allowed_from = ${allowedFrom} where client_id = ${clientId} returning 1`)
  return rows.length === 1
}

/** Keeps other changes of the credential waiting until the transaction ends. Does nothing for an unknown client id. */
export async function lockCredential(tx: Tx, clientId: string): Promise<void> {
  await tx.query(sql`select from credentials where client_id = ${clientId} for update`)
}

/** Records the day on which a token was issued; `day` is `YYYY-MM-DD` in UTC. */
export async function updateLastTokenDate(
  db: Queryable,
  { partnerId, clientId }: Pick<Credential, 'partnerId' | 'clientId'>,
  day: string,
): Promise<void> {
  await db.query(sql`
    update credentials set last_token_on = ${day}
     where partner_id = ${partnerId} and client_id = ${clientId} and (last_token_on is null or last_token_on < ${day})`)
}

/** Deletes a partner's credentials, also such as this deployment did not make. Returns false if there are none. */
export async function deleteCredential(
  db: Queryable,
  { partnerId, clientId }: { partnerId: string; clientId: string },
): Promise<boolean> {
  const rows = await db.query(
    sql`delete from credentials where partner_id = ${partnerId} and client_id = ${clientId} returning 1`,
  )
  return rows.length === 1
}

/** Disables a partner. Returns false if it is unknown. Disabling it again keeps the time of the first call. */
export async function markPartnerDisabled(db: Queryable, partnerId: string, now: Date): Promise<boolean> {
  const rows = await db.query(sql`
    update partners set disabled_at = coalesce(disabled_at, ${now}) where partner_id = ${partnerId} returning 1`)
  return rows.length === 1
}

/** How far a partner's sandbox clock is ahead. It stays so until the transaction ends. */
export async function lockClockOffset(tx: Tx, partnerId: Id<'partner'>): Promise<number> {
  const [row] = await tx.query<{ offset: number }>(sql`
    select clock_offset_seconds::float8 as offset from partners where partner_id = ${partnerId} for no key update`)
  if (row === undefined) throw new Error('the partner does not exist')
  return row.offset
}

export async function updateClockOffset(tx: Tx, partnerId: Id<'partner'>, offsetSeconds: number): Promise<void> {
  await tx.query(sql`update partners set clock_offset_seconds = ${offsetSeconds} where partner_id = ${partnerId}`)
}

/** The partner's client ids, oldest first. */
export async function listClientIds(db: Queryable, partnerId: Id<'partner'>): Promise<string[]> {
  const rows = await db.query<{ clientId: string }>(sql`
    select client_id as "clientId" from credentials where partner_id = ${partnerId} order by created_at, client_id`)
  return rows.map((row) => row.clientId)
}

/**
 * Suspends a partner, or resumes it with null. A partner that is suspended already keeps its time. Returns false if the
 * partner is unknown or disabled.
 */
export async function updateSuspension(db: Queryable, partnerId: string, suspendedAt: Date | null): Promise<boolean> {
  const rows = await db.query(sql`
    update partners
       set suspended_at = case when ${suspendedAt}::timestamptz is not null then coalesce(suspended_at, ${suspendedAt})
           end
     where partner_id = ${partnerId} and disabled_at is null returning 1`)
  return rows.length === 1
}

/** Makes the account of the operator's webhooks unless it exists. */
export async function insertOperatorAccount(system: Queryable): Promise<void> {
  await system.query(sql`
    insert into partners (partner_id, name) values (${operatorAccountId}, 'Operator')
     on conflict (partner_id) do nothing`)
}

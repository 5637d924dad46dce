import type { Queryable, Tx } from '../../db/database.ts'
import { sql } from '../../db/sql.ts'
import type { Scope } from './scopes.ts'

export interface Partner {
  partnerId: string
  name: string
  disabledAt: Date | null
  clockOffsetSeconds: number
  createdAt: Date
}

export interface Credential {
  clientId: string
  partnerId: string
  /** Null where an external identity provider keeps the secret. */
  secretHash: string | null
  scopes: Scope[]
  expiresAt: Date | null
  partnerDisabledAt: Date | null
}

/** The credential and whether its partner may act. The one statement here that starts from a client id, not a partner. */
export async function findCredential(db: Queryable, clientId: string): Promise<Credential | undefined> {
  const [row] = await db.query<Credential>(sql`
    select c.client_id as "clientId", c.partner_id as "partnerId", c.secret_hash as "secretHash", c.scopes,
           c.expires_at as "expiresAt", p.disabled_at as "partnerDisabledAt"
      from credentials c join partners p using (partner_id)
     where c.client_id = ${clientId}`)
  return row
}

const partnerColumns = sql`partner_id as "partnerId", name, disabled_at as "disabledAt",
  clock_offset_seconds::float8 as "clockOffsetSeconds", created_at as "createdAt"`

export async function findPartner(db: Queryable, partnerId: string): Promise<Partner | undefined> {
  const [row] = await db.query<Partner>(sql`select ${partnerColumns} from partners where partner_id = ${partnerId}`)
  return row
}

/** Every partner with its client ids, oldest first: for the operator. */
export async function listPartners(db: Queryable): Promise<(Partner & { clientIds: string[] })[]> {
  return db.query(sql`
    select ${partnerColumns},
           array(select client_id from credentials c where c.partner_id = partners.partner_id order by created_at) as "clientIds"
      from partners order by created_at, partner_id`)
}

export async function insertPartner(tx: Tx, partner: { partnerId: string; name: string; now: Date }): Promise<void> {
  await tx.query(sql`
    insert into partners (partner_id, name, created_at) values (${partner.partnerId}, ${partner.name}, ${partner.now})`)
}

export async function insertCredential(
  tx: Tx,
  credential: { clientId: string; partnerId: string; secretHash: string | null; scopes: readonly Scope[]; now: Date },
): Promise<void> {
  await tx.query(sql`
    insert into credentials (client_id, partner_id, secret_hash, scopes, created_at)
    values (${credential.clientId}, ${credential.partnerId}, ${credential.secretHash}, ${credential.scopes}, ${credential.now})`)
}

/** Replaces the secret of a credential; returns false where the client id is unknown. */
export async function updateSecretHash(tx: Queryable, clientId: string, secretHash: string): Promise<boolean> {
  const rows = await tx.query(
    sql`update credentials set secret_hash = ${secretHash} where client_id = ${clientId} returning 1`,
  )
  return rows.length === 1
}

/** Disables a partner; returns false where it is unknown. Disabling twice keeps the first moment. */
export async function updateDisabled(db: Queryable, partnerId: string, now: Date): Promise<boolean> {
  const rows = await db.query(sql`
    update partners set disabled_at = coalesce(disabled_at, ${now}) where partner_id = ${partnerId} returning 1`)
  return rows.length === 1
}

/** Moves a partner's sandbox clock forward; returns the new offset, or undefined where it would pass the limit. */
export async function updateClockOffset(
  tx: Tx,
  partnerId: string,
  addedSeconds: number,
  limitSeconds: number,
): Promise<number | undefined> {
  const [row] = await tx.query<{ offset: number }>(sql`
    update partners set clock_offset_seconds = clock_offset_seconds + ${addedSeconds}
     where partner_id = ${partnerId} and clock_offset_seconds + ${addedSeconds} <= ${limitSeconds}
    returning clock_offset_seconds::float8 as offset`)
  return row?.offset
}

/** The partner's client ids, oldest first. */
export async function listClientIds(db: Queryable, partnerId: string): Promise<string[]> {
  const rows = await db.query<{ clientId: string }>(sql`
    select client_id as "clientId" from credentials where partner_id = ${partnerId} order by created_at, client_id`)
  return rows.map((row) => row.clientId)
}

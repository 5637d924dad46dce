import type { Confirmer } from '../../contracts/contract.ts'
import type { Queryable, Tx } from '../../platform/db/database.ts'
import { sql } from '../../platform/db/sql.ts'
import type { FieldCipher } from '../../platform/kernel/field-encryption.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import { operatorAccountId } from '../operators/operator-account.ts'
import type { Partner } from '../partners.store.ts'

/** What the operator sets for a partner. */
export interface PartnerSettings {
  name: string
  /** Whom to write to; null for nobody. */
  contactEmail: string | null
  /** Calls a second; null for the deployment's limit. */
  requestsPerSecond: number | null
  /** Who sends tenants the confirmations of their contracts; null for the deployment's default. */
  confirmations: Confirmer | null
}

/** A partner with what the operator has set for it. */
export interface PartnerDetails extends Partner, PartnerSettings {}

const emailColumn = 'partners.contact_email'

/** Every partner with its settings, oldest first; only one with `partnerId`. */
export async function listPartnerDetails(
  db: Queryable,
  cipher: FieldCipher,
  partnerId: string | null = null,
): Promise<PartnerDetails[]> {
  const rows = await db.query<Omit<PartnerDetails, 'contactEmail'> & { emailEncrypted: string | null }>(sql`
    select partner_id as "partnerId", name, disabled_at as "disabledAt", suspended_at as "suspendedAt",
           clock_offset_seconds::float8 as "clockOffsetSeconds", created_at as "createdAt", requests_per_second as "requestsPerSecond", confirmations,
           contact_email_encrypted as "emailEncrypted"
      from partners where partner_id <> ${operatorAccountId} and (${partnerId}::text is null or partner_id = ${partnerId})
     order by created_at, partner_id`)
  return rows.map(({ emailEncrypted, ...row }) => ({
    ...row,
    contactEmail: emailEncrypted === null ? null : decryptEmail(cipher, row.partnerId, emailEncrypted),
  }))
}

/** Keeps other changes of the partner waiting until the transaction ends. */
export async function lockPartnerDetails(tx: Tx, partnerId: string): Promise<void> {
  await tx.query(sql`select from partners where partner_id = ${partnerId} for no key update`)
}

/** Adds a partner without credentials. */
export async function insertPartnerDetails(
  tx: Tx,
  cipher: FieldCipher,
  partner: PartnerSettings & { partnerId: Id<'partner'>; now: Date },
): Promise<void> {
  const { partnerId, name, contactEmail, requestsPerSecond, confirmations, now } = partner
  await tx.query(sql`
    insert into partners (partner_id, name, created_at, contact_email_encrypted, requests_per_second, confirmations)
    values (${partnerId}, ${name}, ${now}, ${encryptEmail(cipher, partnerId, contactEmail)}, ${requestsPerSecond},
            ${confirmations})`)
}

/** Stores what the operator sets. Returns false for an unknown partner. */
export async function updatePartnerSettings(
  tx: Tx,
  cipher: FieldCipher,
  partnerId: Id<'partner'>,
  { name, contactEmail, requestsPerSecond, confirmations }: PartnerSettings,
): Promise<void> {
  await tx.query(sql`
    update partners set name = ${name}, contact_email_encrypted = ${encryptEmail(cipher, partnerId, contactEmail)},
                        requests_per_second = ${requestsPerSecond}, confirmations = ${confirmations}
     where partner_id = ${partnerId}`)
}

function encryptEmail(cipher: FieldCipher, partnerId: string, email: string | null): string | null {
  return email === null ? null : cipher.encrypt(email, { column: emailColumn, row: partnerId })
}

function decryptEmail(cipher: FieldCipher, partnerId: string, encrypted: string): string {
  return cipher.decrypt(encrypted, { column: emailColumn, row: partnerId }).toString('utf8')
}

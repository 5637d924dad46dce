import type { Tx } from '../platform/db/database.ts'
import { sql } from '../platform/db/sql.ts'
import type { FieldCipher } from '../platform/kernel/field-encryption.ts'
import type { Id } from '../platform/kernel/ids.ts'
import type { PartnerSettings } from './partner-settings.schema.ts'

/** The settings that apply to each call, as the column `settings` of a row of `partners`. */
export const callSettingsColumn = sql`
  json_build_object('requestsPerSecond', requests_per_second, 'confirmations', confirmations) as settings`

const emailColumn = 'partners.contact_email'

/** Adds a partner without credentials. */
export async function insertPartnerWithSettings(
  tx: Tx,
  cipher: FieldCipher,
  partner: PartnerSettings & { partnerId: Id<'partner'>; name: string; now: Date },
): Promise<void> {
  const { partnerId, name, contactEmail, requestsPerSecond, confirmations, now } = partner
  await tx.query(sql`
    insert into partners (partner_id, name, created_at, contact_email_encrypted, requests_per_second, confirmations)
    values (${partnerId}, ${name}, ${now}, ${encryptEmail(cipher, partnerId, contactEmail)}, ${requestsPerSecond},
            ${confirmations})`)
}

/** Stores the name and the settings. */
export async function updatePartnerSettings(
  tx: Tx,
  cipher: FieldCipher,
  partner: PartnerSettings & { partnerId: Id<'partner'>; name: string },
): Promise<void> {
  const { partnerId, name, contactEmail, requestsPerSecond, confirmations } = partner
  await tx.query(sql`
    update partners set name = ${name}, contact_email_encrypted = ${encryptEmail(cipher, partnerId, contactEmail)},
                        requests_per_second = ${requestsPerSecond}, confirmations = ${confirmations}
     where partner_id = ${partnerId}`)
}

function encryptEmail(cipher: FieldCipher, partnerId: string, email: string | null): string | null {
  return email === null ? null : cipher.encrypt(email, { column: emailColumn, row: partnerId })
}

/** The contact's address from the column `contact_email_encrypted`. */
export function decryptEmail(cipher: FieldCipher, partnerId: string, encrypted: string | null): string | null {
  return encrypted === null ? null : cipher.decrypt(encrypted, { column: emailColumn, row: partnerId }).toString('utf8')
}

import type { Queryable, Tx } from '../platform/db/database.ts'
import { joinSql, type Sql, sql } from '../platform/db/sql.ts'
import type { FieldCipher } from '../platform/kernel/field-encryption.ts'
import type { Id } from '../platform/kernel/ids.ts'
import type { CallSettings, PartnerSettings } from './partner-settings.schema.ts'

/** The columns of the settings that apply to each call. */
const columns: Readonly<Record<keyof CallSettings, Sql>> = {
  requestsPerSecond: sql`requests_per_second`,
  confirmations: sql`confirmations`,
  nudges: sql`nudges`,
  agentDocuments: sql`agent_documents`,
}
const callSettings = Object.keys(columns) as (keyof CallSettings)[]

/** The settings that apply to each call, as the column `settings` of a row of `partners`. */
export const callSettingsColumn = sql`
  json_build_object(${joinSql(callSettings.map((name) => sql`${name}::text, ${columns[name]}`))}) as settings`

/** The columns that the operator changes, in the order of `valuesOf`. */
const changedColumns = sql`name, contact_email_encrypted, return_urls, ${joinSql(Object.values(columns))}`
const emailColumn = 'partners.contact_email'

interface StoredPartner extends PartnerSettings {
  partnerId: Id<'partner'>
  name: string
}

/** Adds a partner without credentials. */
export async function insertPartnerWithSettings(
  tx: Tx,
  cipher: FieldCipher,
  partner: StoredPartner & { now: Date },
): Promise<void> {
  await tx.query(sql`
    insert into partners (partner_id, created_at, ${changedColumns})
    values (${partner.partnerId}, ${partner.now}, ${valuesOf(cipher, partner)})`)
}

/** Stores the name and the settings. */
export async function updatePartnerSettings(tx: Tx, cipher: FieldCipher, partner: StoredPartner): Promise<void> {
  await tx.query(sql`
    update partners set (${changedColumns}) = row(${valuesOf(cipher, partner)})
      where partner_id = ${partner.partnerId}`)
}

function valuesOf(cipher: FieldCipher, partner: StoredPartner): Sql {
  const { partnerId, name, contactEmail, returnUrls } = partner
  const email = contactEmail === null ? null : cipher.encrypt(contactEmail, { column: emailColumn, row: partnerId })
  return joinSql([name, email, returnUrls, ...callSettings.map((setting) => partner[setting])])
}

/** The pages to which the partner may send tenants back. */
export async function findReturnUrls(db: Queryable, partnerId: Id<'partner'>): Promise<string[]> {
  const [row] = await db.query<{ returnUrls: string[] | null }>(sql`
    select return_urls as "returnUrls" from partners where partner_id = ${partnerId}`)
  return row?.returnUrls ?? []
}

/** The contact's address from the column `contact_email_encrypted`. */
export function decryptEmail(cipher: FieldCipher, partnerId: string, encrypted: string | null): string | null {
  return encrypted === null ? null : cipher.decrypt(encrypted, { column: emailColumn, row: partnerId }).toString('utf8')
}

/** What a partner sees of its settings: the operator sets all but the sender's name, which is null if it is the name. */
export interface OwnSettings {
  name: string
  senderName: string | null
  returnUrls: string[]
  confirmations: string | null
  nudges: string | null
}

export async function findOwnSettings(db: Queryable, partnerId: Id<'partner'>): Promise<OwnSettings> {
  const [row] = await db.query<OwnSettings>(sql`
    select name, sender_name as "senderName", coalesce(return_urls, '{}') as "returnUrls", confirmations, nudges
      from partners where partner_id = ${partnerId}`)
  if (row === undefined) throw new Error('a caller has no partner')
  return row
}

export async function updateSenderName(tx: Tx, partnerId: Id<'partner'>, senderName: string): Promise<void> {
  await tx.query(sql`
    update partners set sender_name = nullif(${senderName}, name) where partner_id = ${partnerId}`)
}

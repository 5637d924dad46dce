import type { Queryable } from '../../platform/db/database.ts'
import { sql } from '../../platform/db/sql.ts'
import type { FieldCipher } from '../../platform/kernel/field-encryption.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import { type Agreement, hashOf, type PreviewedTerms, shownPart } from './agreement.ts'

export type ShownSource = 'payment-schedule' | 'preview-html' | 'preview-pdf'

/** Something that a tenant was shown. A payment schedule shows only a part of an agreement. */
export interface ShownRecord {
  source: ShownSource
  termsHash: string
  documentHash: string | null
  content: PreviewedTerms & Partial<Agreement>
  firstShownAt: Date
  openedAt: Date | null
}

interface Owner {
  partnerId: Id<'partner'>
  customerId: Id<'tenant'>
}

const contentColumn = 'previewed_terms.content'

/** What the tenant was shown last; undefined if nothing. */
export async function findLastShown(
  db: Queryable,
  cipher: FieldCipher,
  owner: Owner,
): Promise<ShownRecord | undefined> {
  const [latest] = await listShown(db, cipher, owner, 1)
  return latest
}

/** What the tenant was shown, the latest first. */
export async function listShown(
  db: Queryable,
  cipher: FieldCipher,
  owner: Owner,
  limit = 1_000,
): Promise<ShownRecord[]> {
  const rows = await db.query<Omit<ShownRecord, 'content'> & { shownId: string; encrypted: string }>(sql`
    select preview_id as "shownId", source, terms_hash as "termsHash", document_hash as "documentHash",
           content_encrypted as encrypted, first_shown_at as "firstShownAt", opened_at as "openedAt"
      from previewed_terms where partner_id = ${owner.partnerId} and customer_id = ${owner.customerId}
     order by last_shown_at desc limit ${limit}`)
  return rows.map(({ shownId, encrypted, ...rest }) => {
    const plain = cipher.decrypt(encrypted, { column: contentColumn, row: shownId })
    return { ...rest, content: JSON.parse(plain.toString('utf8')) as ShownRecord['content'] }
  })
}

/**
 * Records that the tenant was shown this. Writes nothing if it is what they were shown last, from the same source or,
 * for a payment schedule, from any, or if the tenant has just been removed.
 */
export async function recordShown(
  db: Queryable,
  cipher: FieldCipher,
  owner: Owner,
  shown: { source: ShownSource; content: PreviewedTerms | Agreement; now: Date },
): Promise<void> {
  const { source, content, now } = shown
  const termsHash = hashOf(shownPart(content))
  const documentHash = source === 'payment-schedule' ? null : hashOf(content)
  const shownId = shownIdOf(owner.customerId, source, documentHash ?? termsHash)
  const encrypted = cipher.encrypt(JSON.stringify(content), { column: contentColumn, row: shownId })
  await db.query(sql`
    insert into previewed_terms (preview_id, partner_id, customer_id, source, terms_hash, document_hash, content_encrypted, first_shown_at)
    select ${shownId}, ${owner.partnerId}, ${owner.customerId}, ${source}, ${termsHash}, ${documentHash}::text, ${encrypted}, ${now}
      from customers c
     where c.partner_id = ${owner.partnerId} and c.customer_id = ${owner.customerId} and not exists (
       select from (select preview_id, terms_hash from previewed_terms
                     where partner_id = ${owner.partnerId} and customer_id = ${owner.customerId}
                     order by last_shown_at desc limit 1) latest
        where latest.preview_id = ${shownId} or (${documentHash}::text is null and latest.terms_hash = ${termsHash}))
       for key share of c
    on conflict (preview_id) do update set last_shown_at = clock_timestamp()`)
}

/** Records that a preview was opened, the first time. */
export async function recordOpened(
  db: Queryable,
  owner: Owner,
  preview: { source: ShownSource; documentHash: string; now: Date },
): Promise<void> {
  await db.query(sql`
    update previewed_terms set opened_at = ${preview.now}
     where partner_id = ${owner.partnerId} and customer_id = ${owner.customerId} and opened_at is null
       and preview_id = ${shownIdOf(owner.customerId, preview.source, preview.documentHash)}`)
}

function shownIdOf(customerId: string, source: ShownSource, hash: string): string {
  return `${customerId}/${source}/${hash}`
}

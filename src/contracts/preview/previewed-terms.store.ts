import type { Queryable } from '../../platform/db/database.ts'
import { sql } from '../../platform/db/sql.ts'
import type { FieldCipher } from '../../platform/kernel/field-encryption.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import { type Agreement, hashOf, type PreviewedTerms, previewedPart } from './agreement.ts'

export type PreviewSource = 'payment-schedule' | 'preview-html' | 'preview-pdf'

/** Something that a tenant was shown. A payment schedule shows only a part of an agreement. */
export interface PreviewRecord {
  source: PreviewSource
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
export async function findLastPreview(
  db: Queryable,
  cipher: FieldCipher,
  owner: Owner,
): Promise<PreviewRecord | undefined> {
  const [latest] = await listPreviews(db, cipher, owner, 1)
  return latest
}

/** What the tenant was shown, the latest first. */
export async function listPreviews(
  db: Queryable,
  cipher: FieldCipher,
  owner: Owner,
  limit = 1_000,
): Promise<PreviewRecord[]> {
  const rows = await db.query<Omit<PreviewRecord, 'content'> & { previewId: string; encrypted: string }>(sql`
    select preview_id as "previewId", source, terms_hash as "termsHash", document_hash as "documentHash",
           content_encrypted as encrypted, first_shown_at as "firstShownAt", opened_at as "openedAt"
      from previewed_terms where partner_id = ${owner.partnerId} and customer_id = ${owner.customerId}
     order by last_shown_at desc limit ${limit}`)
  return rows.map(({ previewId, encrypted, ...rest }) => {
    const plain = cipher.decrypt(encrypted, { column: contentColumn, row: previewId })
    return { ...rest, content: JSON.parse(plain.toString('utf8')) as PreviewRecord['content'] }
  })
}

/**
 * Records that the tenant was shown this. Writes nothing if it is what they were shown last, from the same source or,
 * for a payment schedule, from any, or if the tenant has been removed or erased.
 */
export async function recordPreview(
  db: Queryable,
  cipher: FieldCipher,
  owner: Owner,
  shown: { source: PreviewSource; content: PreviewedTerms | Agreement; now: Date },
): Promise<void> {
  const { source, content, now } = shown
  const termsHash = hashOf(previewedPart(content))
  const documentHash = source === 'payment-schedule' ? null : hashOf(content)
  const previewId = previewIdOf(owner.customerId, source, documentHash ?? termsHash)
  const encrypted = cipher.encrypt(JSON.stringify(content), { column: contentColumn, row: previewId })
  await db.query(sql`
    insert into previewed_terms (preview_id, partner_id, customer_id, source, terms_hash, document_hash,
                                 content_encrypted, first_shown_at)
    select ${previewId}, ${owner.partnerId}, ${owner.customerId}, ${source}, ${termsHash}, ${documentHash}::text,
           ${encrypted}, ${now}
      from customers c
     where c.partner_id = ${owner.partnerId} and c.customer_id = ${owner.customerId}
       and c.erased_at is null and c.removed_at is null and not exists (
       select from (select preview_id, terms_hash from previewed_terms
                     where partner_id = ${owner.partnerId} and customer_id = ${owner.customerId}
                     order by last_shown_at desc limit 1) latest
        where latest.preview_id = ${previewId} or (${documentHash}::text is null and latest.terms_hash = ${termsHash}))
       for share of c
    on conflict (preview_id, partner_id) do update set last_shown_at = clock_timestamp()`)
}

/** Records that a preview was opened, the first time. */
export async function recordOpened(
  db: Queryable,
  owner: Owner,
  preview: { source: PreviewSource; documentHash: string; now: Date },
): Promise<void> {
  await db.query(sql`
    update previewed_terms set opened_at = ${preview.now}
     where partner_id = ${owner.partnerId} and customer_id = ${owner.customerId} and opened_at is null
       and preview_id = ${previewIdOf(owner.customerId, preview.source, preview.documentHash)}`)
}

function previewIdOf(customerId: string, source: PreviewSource, hash: string): string {
  return `${customerId}/${source}/${hash}`
}

import type { Queryable, Tx } from '../platform/db/database.ts'
import { sql } from '../platform/db/sql.ts'
import type { FieldCipher } from '../platform/kernel/field-encryption.ts'
import type { Id } from '../platform/kernel/ids.ts'
import type { DocumentFormat } from './document-format.ts'

/** A rendered document with the hash of its unencrypted bytes. */
export interface HashedDocument {
  bytes: Buffer
  sha256: string
}

export async function insertContractDocuments(
  tx: Tx,
  cipher: FieldCipher,
  contract: {
    contractNumber: string
    customerId: Id<'tenant'>
    partnerId: Id<'partner'>
    html: HashedDocument
    pdf: HashedDocument
    now: Date
  },
): Promise<void> {
  const { contractNumber, customerId, partnerId, html, pdf, now } = contract
  const encrypted = (format: DocumentFormat, bytes: Buffer) =>
    Buffer.from(cipher.encrypt(bytes, locationOf(format, contractNumber)), 'latin1')
  await tx.query(sql`
    insert into contract_documents (contract_number, customer_id, partner_id, html_encrypted, html_sha256,
                                    pdf_encrypted, pdf_sha256, created_at)
    values (${contractNumber}, ${customerId}, ${partnerId}, ${encrypted('html', html.bytes)}, ${html.sha256},
            ${encrypted('pdf', pdf.bytes)}, ${pdf.sha256}, ${now})`)
}

/** Returns one document of a customer's contract, decrypted. */
export async function findContractDocument(
  db: Queryable,
  cipher: FieldCipher,
  document: { partnerId: Id<'partner'>; customerId: Id<'tenant'>; contractNumber: string; format: DocumentFormat },
): Promise<{ bytes: Buffer; sha256: string } | undefined> {
  const { partnerId, customerId, contractNumber, format } = document
  const column =
    format === 'html'
      ? sql`html_encrypted as encrypted, html_sha256 as sha256`
      : sql`pdf_encrypted as encrypted, pdf_sha256 as sha256`
  const [row] = await db.query<{ encrypted: Buffer; sha256: string }>(
    sql`select ${column} from contract_documents 
      where partner_id = ${partnerId} and customer_id = ${customerId} and contract_number = ${contractNumber}`,
  )
  if (row === undefined) return undefined
  return {
    bytes: cipher.decrypt(row.encrypted.toString('latin1'), locationOf(format, contractNumber)),
    sha256: row.sha256,
  }
}

/** Whose links are opened, and which of them still work. */
export interface LinkOwner {
  partnerId: Id<'partner'>
  clockOffsetSeconds: number
  /** How often the customer's links were revoked. */
  revision: number
}

/**
 * Finds the customer's partner and that partner's clock offset. Contract links need this, because they name only the
 * customer.
 */
export async function findPartnerOfCustomer(db: Queryable, customerId: Id<'tenant'>): Promise<LinkOwner | undefined> {
  const [row] = await db.query<LinkOwner>(sql`
    select partner_id as "partnerId", p.clock_offset_seconds::float8 as "clockOffsetSeconds",
           c.links_revision as revision
      from customers c join partners p using (partner_id) where c.customer_id = ${customerId}`)
  return row
}

/** How often the customer's links were revoked. */
export async function findLinksRevision(
  db: Queryable,
  { partnerId, customerId }: { partnerId: Id<'partner'>; customerId: Id<'tenant'> },
): Promise<number> {
  const [row] = await db.query<{ revision: number }>(sql`
    select links_revision as revision from customers where partner_id = ${partnerId} and customer_id = ${customerId}`)
  return row?.revision ?? 0
}

/** Makes every link that was made for the customer until now open nothing. */
export async function revokeLinksOf(tx: Tx, partnerId: Id<'partner'>, customerId: Id<'tenant'>): Promise<void> {
  await tx.query(sql`
    update customers set links_revision = links_revision + 1 where partner_id = ${partnerId}
        and customer_id = ${customerId}`)
}

function locationOf(format: DocumentFormat, contractNumber: string) {
  return { column: `contract_documents.${format}`, row: contractNumber }
}

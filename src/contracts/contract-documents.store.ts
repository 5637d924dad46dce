import { zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import type { Queryable, Tx } from '../platform/db/database.ts'
import { sql } from '../platform/db/sql.ts'
import type { FieldCipher } from '../platform/kernel/field-encryption.ts'
import type { Id } from '../platform/kernel/ids.ts'
import type { DocumentFormat } from './document-renderer.ts'

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
    // Encrypted bytes cannot be compressed any more, and documents are most of what a deployment stores.
    cipher.encryptBytes(zstdCompressSync(bytes), locationOf(format, contractNumber))
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
    bytes: zstdDecompressSync(cipher.decrypt(row.encrypted, locationOf(format, contractNumber))),
    sha256: row.sha256,
  }
}

function locationOf(format: DocumentFormat, contractNumber: string) {
  return { column: `contract_documents.${format}`, row: contractNumber }
}

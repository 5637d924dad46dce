import { findContractDocument, type HashedDocument } from '../../contracts/contract-documents.store.ts'
import { findContract } from '../../contracts/contracts.store.ts'
import { type DocumentFormat, documentFormats } from '../../contracts/document-renderer.ts'
import type { Caller } from '../../partners/caller.ts'
import type { ReadLog } from '../../platform/audit/read-log.ts'
import type { Database } from '../../platform/db/database.ts'
import { DomainError } from '../../platform/kernel/errors.ts'
import type { FieldCipher } from '../../platform/kernel/field-encryption.ts'

/**
 * GET /operator-api/Contracts/{number}/documents: the documents of a contract that is or was in force, as the customer
 * received them. The reading is recorded in the audit log. Throws `not_found` before the contract is in force and once
 * its documents have been deleted.
 */
export async function readContractDocuments(
  { db, cipher, readLog }: { db: Database; cipher: FieldCipher; readLog: ReadLog },
  { partnerId }: Caller,
  contractNumber: string,
): Promise<{ contractNumber: string; documents: (HashedDocument & { format: DocumentFormat })[] }> {
  const contract = await findContract(db, partnerId, contractNumber)
  const found = await Promise.all(
    documentFormats.map(async (format) => {
      if (contract === undefined || contract.effectiveAt === null) return []
      const document = await findContractDocument(db, cipher, { ...contract, format })
      return document === undefined ? [] : [{ format, ...document }]
    }),
  )
  const documents = found.flat()
  if (contract === undefined || documents.length === 0)
    throw new DomainError(
      'not_found',
      'This contract has no documents. They are there once it is in force, until the customer is erased.',
    )
  await readLog.record(db, { subjectType: 'contract', customerId: contract.customerId })
  return { contractNumber, documents }
}

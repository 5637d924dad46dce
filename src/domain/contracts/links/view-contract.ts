import type { Databases } from '../../../db/databases.ts'
import type { Clock } from '../../../kernel/clock.ts'
import type { FieldCipher } from '../../../kernel/field-encryption.ts'
import type { Id } from '../../../kernel/ids.ts'
import type { ReadLog } from '../../audit/read-log.ts'
import { findContractDocument, findPartnerOfCustomer, type HashedDocument } from '../contract-documents.store.ts'
import type { DocumentFormat } from '../document-format.ts'
import type { ContractLinks } from './contract-link.ts'

/**
 * The stored document that a contract URL opens; unless only the headers were asked for, the audit log says that it was opened. Undefined if the token has expired, has been altered or is for a different document.
 */
export async function viewContract(
  {
    databases,
    cipher,
    clock,
    contractLinks,
    readLog,
  }: { databases: Databases; cipher: FieldCipher; clock: Clock; contractLinks: ContractLinks; readLog: ReadLog },
  input: { customerId: Id<'tenant'>; format: DocumentFormat; token: string; requestId: string; isHead: boolean },
): Promise<(HashedDocument & { contractNumber: string }) | undefined> {
  const { customerId, format, token } = input
  if (!/^tenant_[0-9a-z]{26}$/.test(customerId)) return undefined
  const owner = await findPartnerOfCustomer(databases.system, customerId)
  if (owner === undefined) return undefined
  const now = new Date(clock.now().getTime() + owner.clockOffsetSeconds * 1000)
  const contractNumber = await contractLinks.opens(token, { customerId, format, now })
  if (contractNumber === undefined) return undefined
  const { partnerId } = owner
  const db = databases.forPartner(partnerId, { actor: 'link', requestId: input.requestId, operation: 'viewContract' })
  const document = await findContractDocument(db, cipher, { partnerId, customerId, contractNumber, format })
  if (document !== undefined && !input.isHead) await readLog.record(db, { subjectType: 'contract', customerId })
  return document === undefined ? undefined : { ...document, contractNumber }
}

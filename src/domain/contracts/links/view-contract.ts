import type { Databases } from '../../../db/databases.ts'
import type { Clock } from '../../../kernel/clock.ts'
import type { FieldCipher } from '../../../kernel/field-encryption.ts'
import type { Id } from '../../../kernel/ids.ts'
import { findContractDocument, findPartnerOfCustomer, type HashedDocument } from '../contract-documents.store.ts'
import type { DocumentFormat } from '../document-format.ts'
import type { ContractLinks } from './contract-link.ts'

/**
 * The stored document that a contract URL opens. Undefined if the token has expired, has been altered or is for a different document.
 */
export async function viewContract(
  {
    databases,
    cipher,
    clock,
    contractLinks,
  }: { databases: Databases; cipher: FieldCipher; clock: Clock; contractLinks: ContractLinks },
  input: { customerId: Id<'tenant'>; format: DocumentFormat; token: string },
): Promise<HashedDocument | undefined> {
  const { customerId, format, token } = input
  if (!/^tenant_[0-9a-z]{26}$/.test(customerId)) return undefined
  const owner = await findPartnerOfCustomer(databases.system, customerId)
  if (owner === undefined) return undefined
  const now = new Date(clock.now().getTime() + owner.clockOffsetSeconds * 1000)
  const contractNumber = await contractLinks.opens(token, { customerId, format, now })
  if (contractNumber === undefined) return undefined
  return findContractDocument(databases.forPartner(owner.partnerId), cipher, {
    partnerId: owner.partnerId,
    customerId,
    contractNumber,
    format,
  })
}

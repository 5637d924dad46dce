import type { Database } from '../../db/database.ts'
import type { Clock } from '../kernel/clock.ts'
import type { FieldCipher } from '../kernel/field-encryption.ts'
import type { ContractLinks } from './contract-link.ts'
import { findClockOffsetOfCustomer, findContractDocument, type HashedDocument } from './contracts.store.ts'
import type { DocumentFormat } from './document-format.ts'

/** The stored document behind a contract URL, or undefined for a token that does not open it: expired, altered, another's. */
export async function viewContract(
  {
    db,
    cipher,
    clock,
    contractLinks,
  }: { db: Database; cipher: FieldCipher; clock: Clock; contractLinks: ContractLinks },
  input: { customerId: string; format: DocumentFormat; token: string },
): Promise<HashedDocument | undefined> {
  const { customerId, format, token } = input
  if (!/^tenant_[0-9a-z]{26}$/.test(customerId)) return undefined
  const clockOffsetSeconds = await findClockOffsetOfCustomer(db, customerId)
  if (clockOffsetSeconds === undefined) return undefined
  const now = new Date(clock.now().getTime() + clockOffsetSeconds * 1000)
  if (!(await contractLinks.opens(token, { customerId, format, now }))) return undefined
  return findContractDocument(db, cipher, customerId, format)
}

import type { ReadLog } from '../../platform/audit/read-log.ts'
import { type Database, withoutEffect } from '../../platform/db/database.ts'
import type { Databases } from '../../platform/db/databases.ts'
import type { Clock } from '../../platform/kernel/clock.ts'
import type { FieldCipher } from '../../platform/kernel/field-encryption.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import { findPartnerOfCustomer } from '../../quoting/tenants/customers.store.ts'
import { type Contract, contractsAsOf } from '../contract.ts'
import { findContractDocument, type HashedDocument } from '../contract-documents.store.ts'
import { listContracts } from '../contracts.store.ts'
import type { DocumentFormat } from '../document-renderer.ts'
import { loadQuoteOfCustomer } from '../load-quote-of-customer.ts'
import type { ContractLinks } from './contract-link.ts'

interface ViewDependencies {
  databases: Databases
  cipher: FieldCipher
  clock: Clock
  contractLinks: ContractLinks
  readLog: ReadLog
}

/** What a link is asked to open. */
interface OpenedLink {
  customerId: Id<'tenant'>
  token: string
  requestId: string
  isHead: boolean
}

/**
 * The stored document that a contract URL opens; the audit log says that it was opened. Undefined if the token has
 * expired, was revoked, has been altered or is for a different document.
 */
export async function viewContract(
  deps: ViewDependencies,
  input: OpenedLink & { format: DocumentFormat },
): Promise<(HashedDocument & { contractNumber: string }) | undefined> {
  const { customerId, format } = input
  const opened = await openLink(deps, input, 'viewContract')
  if (opened === undefined) return undefined
  const { db, partnerId, contractNumber } = opened
  const document = await findContractDocument(db, deps.cipher, { partnerId, customerId, contractNumber, format })
  if (document !== undefined) await deps.readLog.record(db, { subjectType: 'contract', customerId })
  return document === undefined ? undefined : { ...document, contractNumber }
}

/** The contract that a page's URL opens, as it is now; undefined in the same cases as `viewContract`. */
export async function viewContractState(deps: ViewDependencies, input: OpenedLink): Promise<Contract | undefined> {
  const { customerId } = input
  const opened = await openLink(deps, { ...input, format: 'html' }, 'viewContractState')
  if (opened === undefined) return undefined
  const { db, partnerId, now, contractNumber } = opened
  const [quote, contracts] = await Promise.all([
    loadQuoteOfCustomer(db, deps.cipher, { partnerId, now }, customerId),
    listContracts(db, partnerId, customerId),
  ])
  await deps.readLog.record(db, { subjectType: 'contract', customerId })
  return contractsAsOf(contracts, quote).find((each) => each.contractNumber === contractNumber)
}

async function openLink(
  { databases, clock, contractLinks }: ViewDependencies,
  { customerId, format, token, requestId, isHead }: OpenedLink & { format: DocumentFormat },
  operation: string,
): Promise<{ db: Database; partnerId: Id<'partner'>; now: Date; contractNumber: string } | undefined> {
  if (!/^tenant_[0-9a-z]{26}$/.test(customerId)) return undefined
  const owner = await findPartnerOfCustomer(databases.system, customerId)
  if (owner === undefined) return undefined
  const { partnerId, clockOffsetSeconds, revision } = owner
  const now = new Date(clock.now().getTime() + clockOffsetSeconds * 1000)
  const contractNumber = await contractLinks.opens(token, { customerId, format, revision, now })
  if (contractNumber === undefined) return undefined
  const db = databases.forPartner(partnerId, { actor: 'link', requestId, operation })
  return { db: isHead ? withoutEffect(db) : db, partnerId, now, contractNumber }
}

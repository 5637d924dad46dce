import type { Caller } from '../../partners/caller.ts'
import type { Database } from '../../platform/db/database.ts'
import { DomainError, invalidFields } from '../../platform/kernel/errors.ts'
import type { FieldCipher } from '../../platform/kernel/field-encryption.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import type { Customer } from '../../quoting/tenants/customer.ts'
import { loadCustomer } from '../../quoting/tenants/load-customer.ts'
import { findLinksRevision } from '../contract-documents.store.ts'
import { listContracts } from '../contracts.store.ts'
import type { DocumentFormat } from '../document-format.ts'
import type { ContractLinks } from './contract-link.ts'
import { type ContractUrlPolicy, linkExpiry } from './link-policy.ts'

export interface ContractUrl {
  customerId: Id<'tenant'>
  contractNumber: string
  contractUrl: string
  /** A page that shows the present state of the contract around the document. */
  pageUrl: string
  expiresAt: Date
}

/**
 * Spec: GET /Customers/{id}/pci-contract-url-html and -pdf. Returns a temporary URL that opens this one document
 * without other credentials: by default of the contract that the customer has accepted, otherwise of the contract with
 * the given number, whatever became of it. Throws `onboarding_incomplete` and `validation_failed`.
 */
export async function contractUrl(
  deps: { db: Database; cipher: FieldCipher; contractLinks: ContractLinks; contractUrlPolicy: ContractUrlPolicy },
  caller: Caller,
  input: { customerId: Id<'tenant'>; contractNumber: string | undefined; format: DocumentFormat },
): Promise<ContractUrl> {
  const { customerId, format } = input
  const customer = await loadCustomer(deps.db, deps.cipher, caller, customerId)
  const contractNumber =
    input.contractNumber === undefined
      ? acceptedContract(customer)
      : await requireContractOf(deps.db, customer, input.contractNumber)
  const { publicUrl, lifetimeSeconds } = deps.contractUrlPolicy
  const expiresAt = linkExpiry(caller.now, lifetimeSeconds)
  const revision = await findLinksRevision(deps.db, customer)
  const sign = (of: DocumentFormat) =>
    deps.contractLinks.sign({ customerId, contractNumber, format: of, revision, expiresAt })
  const base = `${publicUrl}/contracts/${customerId}`
  return {
    ...{ customerId, contractNumber, expiresAt },
    contractUrl: `${base}/pre-contract-information.${format}?token=${await sign(format)}`,
    pageUrl: `${base}?token=${await sign('html')}`,
  }
}

function acceptedContract({ status, contractNumber }: Customer): string {
  if (status === 'OnboardingComplete' && contractNumber !== null) return contractNumber
  if (contractNumber !== null) {
    throw new DomainError(
      'onboarding_incomplete',
      `The customer has no contract at present. The documents of their earlier contracts stay readable: send a contractNumber from GET /Customers/{id}/contracts, such as ?contractNumber=${contractNumber}.`,
    )
  }
  throw new DomainError(
    'onboarding_incomplete',
    'The contract documents are created when the customer accepts the terms. First call POST /Customers/{id}/accept-terms.',
  )
}

async function requireContractOf(db: Database, customer: Customer, contractNumber: string): Promise<string> {
  const contracts = await listContracts(db, customer.partnerId, customer.customerId)
  if (contracts.some((each) => each.contractNumber === contractNumber)) return contractNumber
  const detail =
    'The customer has no contract with this number. Use a contractNumber from GET /Customers/{id}/contracts, or leave it out.'
  throw invalidFields([{ pointer: '/query/contractNumber', code: 'not_allowed', detail }])
}

import type { Database } from '../../db/database.ts'
import { DomainError } from '../../kernel/errors.ts'
import type { FieldCipher } from '../../kernel/field-encryption.ts'
import type { Id } from '../../kernel/ids.ts'
import type { Caller } from '../auth/caller.ts'
import { loadCustomer } from '../customers/load-customer.ts'
import type { ContractLinks } from './contract-link.ts'
import type { DocumentFormat } from './document-format.ts'

export interface ContractUrlPolicy {
  /** The base URL of the document links: the value of PUBLIC_URL. */
  publicUrl: string
  /** The value of CONTRACT_URL_TTL_SECONDS. */
  lifetimeSeconds: number
}

export interface ContractUrl {
  customerId: Id<'tenant'>
  contractUrl: string
  expiresAt: Date
}

/**
 * Spec: GET /Customers/{id}/pci-contract-url-html and -pdf. Returns a temporary URL that opens this one document without other
 * credentials. Throws `onboarding_incomplete`.
 */
export async function contractUrl(
  deps: { db: Database; cipher: FieldCipher; contractLinks: ContractLinks; contractUrlPolicy: ContractUrlPolicy },
  caller: Caller,
  input: { customerId: Id<'tenant'>; format: DocumentFormat },
): Promise<ContractUrl> {
  const customer = await loadCustomer(deps.db, deps.cipher, caller, input.customerId)
  if (customer.status !== 'OnboardingComplete') {
    throw new DomainError(
      'onboarding_incomplete',
      'The contract documents are created when the customer accepts the terms. First call POST /Customers/{id}/accept-terms.',
    )
  }
  const { publicUrl, lifetimeSeconds } = deps.contractUrlPolicy
  // Use whole seconds, so that expiresAt equals the token's expiry.
  const expiresAt = new Date((Math.floor(caller.now.getTime() / 1000) + lifetimeSeconds) * 1000)
  const token = await deps.contractLinks.sign({ ...input, expiresAt })
  const path = `/contracts/${input.customerId}/pre-contract-information.${input.format}`
  return { customerId: input.customerId, contractUrl: `${publicUrl}${path}?token=${token}`, expiresAt }
}

import { DomainError } from '../../platform/kernel/errors.ts'
import type { Quote } from '../../quoting/quotes/quote.ts'
import { requireOperation, requireProducts } from '../../quoting/quotes/quote-operations.ts'
import type { Customer } from '../../quoting/tenants/customer.ts'
import { requireNotErased, requireNotRemoved, requirePersonalInformation } from '../../quoting/tenants/load-customer.ts'

/** Throws unless the tenant could be shown what they would agree to: before acceptance, while the price stands. */
export function requirePreviewable(quote: Quote, customer: Customer, now: Date): void {
  requireNotErased(customer)
  requireNotRemoved(customer)
  if (customer.termsAcceptedAt !== null) {
    throw new DomainError(
      'already_onboarded',
      'This customer has accepted the terms. Read their contract with GET /Customers/{id}/pci-contract-url-html.',
    )
  }
  requireOperation(quote, 'preview', now)
  requirePersonalInformation(customer)
  requireProducts(quote)
}

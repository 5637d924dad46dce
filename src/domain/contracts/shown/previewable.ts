import { DomainError } from '../../../kernel/errors.ts'
import type { Customer } from '../../customers/customer.ts'
import { requireNotErased, requireNotRemoved } from '../../customers/load-customer.ts'
import { requirePersonalInformation } from '../../payments/personal-information-required.ts'
import { requireProducts } from '../../pricing/required-products.ts'
import type { Quote } from '../../quotes/quote.ts'
import { requireOperation } from '../../quotes/quote-operations.ts'

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

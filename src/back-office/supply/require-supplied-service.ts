import { DomainError, invalidFields } from '../../platform/kernel/errors.ts'
import { serviceIds } from '../../quoting/pricing/customer-packages.ts'
import type { Quote } from '../../quoting/quotes/quote.ts'

/**
 * Throws `onboarding_incomplete` until every tenant has accepted, and `validation_failed` for a service that the quote
 * does not have.
 */
export function requireSuppliedService({ stage, price }: Pick<Quote, 'stage' | 'price'>, serviceId: string): void {
  if (stage !== 'completed') {
    throw new DomainError(
      'onboarding_incomplete',
      'Supply is only requested once every tenant has accepted the terms. First take each tenant of this quote through POST /Customers/{id}/accept-terms.',
    )
  }
  const ids = serviceIds(price?.lines ?? [])
  if (ids.includes(serviceId)) return
  const detail = `The quote has no such service. Must be one of: ${ids.join(', ')}.`
  throw invalidFields([{ pointer: '/serviceId', code: 'not_allowed', detail }])
}

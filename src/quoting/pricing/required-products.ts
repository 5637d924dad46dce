import { DomainError } from '../../platform/kernel/errors.ts'
import type { Quote } from '../quotes/quote.ts'
import { broadbandWarning } from './warnings/price-warning.ts'

/**
 * Throws `broadband_products_required` if the quote has nothing but broadband without a main line, so that there is
 * nothing to agree to. Beside other services such broadband is left out of the contract, which says so.
 */
export function requireProducts({ price }: Pick<Quote, 'price'>): void {
  if (broadbandWarning(price)?.code !== 'broadband_products_required') return
  throw new DomainError(
    'broadband_products_required',
    'The quote has only broadband, without a main line, and add-ons need one. Add a line with POST /Quotes/{id}/add-broadband-products, or add another package with add-packages.',
  )
}

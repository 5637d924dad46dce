import { DomainError } from '../../kernel/errors.ts'
import type { Quote } from '../quotes/quote.ts'
import { lacksBroadbandLine } from './warnings/price-warning.ts'

/**
 * Throws `broadband_products_required` if an open quote has broadband without a main line. A quote that is locked can no longer get one, so it
 * is left as it was agreed.
 */
export function requireProducts(quote: Pick<Quote, 'stage' | 'price' | 'broadbandProducts'>): void {
  if (quote.stage !== 'open' || !lacksBroadbandLine(quote)) return
  throw new DomainError(
    'broadband_products_required',
    'The broadband package is selected without a main line, and add-ons need one. Add a line with POST /Quotes/{id}/add-broadband-products, or remove the package with update-packages.',
  )
}

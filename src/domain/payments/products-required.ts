import { DomainError } from '../../kernel/errors.ts'
import { lacksProducts } from '../pricing/price.ts'
import type { Quote } from '../quotes/quote.ts'

/** Throws `broadband_products_required` if the broadband package is selected without a product. */
export function requireProducts({ price }: Pick<Quote, 'price'>): void {
  if (price === null || !lacksProducts(price)) return
  throw new DomainError(
    'broadband_products_required',
    'The broadband package is selected without a product. Add one with POST /Quotes/{id}/add-broadband-products, or remove the package with update-packages.',
  )
}

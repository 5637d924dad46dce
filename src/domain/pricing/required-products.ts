import { DomainError } from '../../kernel/errors.ts'
import { lacksProducts, type QuotePrice } from './price.ts'

/** Throws `broadband_products_required` if the price contains the broadband package without a product. */
export function requireProducts({ price }: { price: QuotePrice | null }): void {
  if (price === null || !lacksProducts(price)) return
  throw new DomainError(
    'broadband_products_required',
    'The broadband package is selected without a product. Add one with POST /Quotes/{id}/add-broadband-products, or remove the package with update-packages.',
  )
}

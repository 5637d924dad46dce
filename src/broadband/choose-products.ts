import { type DomainError, type FieldError, invalidFields } from '../platform/kernel/errors.ts'
import type { BroadbandProduct } from '../quoting/packages/package.ts'

/**
 * Adds products to those that a quote already has. A new line replaces the earlier one, so that there is at most one.
 * Adding a product again changes nothing. Throws `broadband_product_not_available` naming every id that the check did
 * not find, and any second line; `broadband_products_required` naming every add-on if there would be no line.
 */
export function chooseProducts(
  offered: readonly BroadbandProduct[],
  present: readonly BroadbandProduct[],
  productIds: readonly string[],
): BroadbandProduct[] {
  const fields: FieldError[] = []
  const added = new Map<string, BroadbandProduct>()
  let line: BroadbandProduct | undefined
  for (const [index, productId] of productIds.entries()) {
    const pointer = `/broadbandProducts/${index}`
    const product = offered.find((candidate) => candidate.productId === productId)
    if (product === undefined)
      fields.push(notAvailable(pointer, 'The last availability check for this address did not return this product.'))
    else if (product.kind === 'line' && line !== undefined && line.productId !== productId) {
      fields.push(
        notAvailable(pointer, `A quote can have only one main line. The list also contains ${line.productId}.`),
      )
    } else {
      if (product.kind === 'line') line = product
      added.set(productId, product)
    }
  }
  if (fields.length > 0) throw invalidFields(fields, 'broadband_product_not_available')
  const kept = present.filter(
    (product) => !added.has(product.productId) && !(product.kind === 'line' && line !== undefined),
  )
  const all = [...kept, ...added.values()]
  const lines = all.filter(({ kind }) => kind === 'line')
  if (lines.length === 0) throw lineRequired(productIds)
  return [...lines, ...all.filter(({ kind }) => kind === 'addon')]
}

function lineRequired(addOnIds: readonly string[]): DomainError {
  const code = 'broadband_products_required'
  const detail = 'An add-on needs a main line. Add a line first, or in the same call.'
  return invalidFields(
    addOnIds.map((_, index) => ({ pointer: `/broadbandProducts/${index}`, code, detail })),
    code,
  )
}

function notAvailable(pointer: string, detail: string): FieldError {
  return { pointer, code: 'broadband_product_not_available', detail }
}

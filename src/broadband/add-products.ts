import type { Caller } from '../partners/caller.ts'
import type { Database, Tx } from '../platform/db/database.ts'
import { type IsoDate, londonDate } from '../platform/kernel/dates.ts'
import { DomainError, type FieldError, invalidFields } from '../platform/kernel/errors.ts'
import type { Id } from '../platform/kernel/ids.ts'
import { findCheckedProducts } from '../quoting/broadband/broadband-checks.store.ts'
import { scheduleBroadband } from '../quoting/broadband/schedule-broadband.ts'
import type { QuoteWithPackages } from '../quoting/packages/change-packages.ts'
import type { BroadbandProduct, Package } from '../quoting/packages/package.ts'
import { withoutDateWarnings } from '../quoting/pricing/warnings/stored-warning.ts'
import { changeQuote } from '../quoting/quotes/change-quote.ts'
import type { Quote } from '../quoting/quotes/quote.ts'
import type { RenewDependencies } from '../quoting/quotes/renew-expired-quote.ts'
import { offeredPackages } from '../quoting/rates/card-catalogue.ts'
import { askInstallDates } from './find-install-dates.ts'
import type { BroadbandUpstreams } from './upstreams-for-property.ts'

export type AddProductsDependencies = RenewDependencies & BroadbandUpstreams

/** Products that a check found, and the days on which they can be installed. */
interface PreparedProducts {
  productIds: readonly string[]
  checked: readonly BroadbandProduct[]
  installDates: IsoDate[]
}

/**
 * Finds out what `addProducts` needs to add these products to the quote. Calls the provider, so call this before the
 * transaction. Throws `broadband_check_required`, `broadband_product_not_available` and `broadband_products_required`.
 */
export async function prepareProducts(
  deps: AddProductsDependencies & { db: Database },
  caller: Caller,
  quote: Quote,
  productIds: readonly string[],
): Promise<PreparedProducts> {
  const checked = await findCheckedProducts(deps.db, caller.partnerId, quote.address.addressUid, caller.now)
  if (checked === undefined) {
    throw new DomainError(
      'broadband_check_required',
      'First run GET /Quotes/run-broadband-availability-check/{uid} for this address. If the home telecom provider failed, run it again.',
    )
  }
  const wanted = chooseProducts(checked, quote.broadbandProducts, productIds)
  return { productIds, checked, installDates: await askInstallDates(deps, caller, quote, wanted) }
}

/**
 * Adds the products, selects the broadband package, and sets the day on which broadband starts. Throws
 * `package_not_available`, and as `prepareProducts` if the quote has changed since.
 */
export async function addProducts(
  tx: Tx,
  deps: AddProductsDependencies,
  caller: Caller,
  quoteId: Id<'quote'>,
  { productIds, checked, installDates }: PreparedProducts,
): Promise<QuoteWithPackages> {
  let offered: Package[] = []
  const target = { quoteId, operation: 'add-broadband-products', reason: 'broadband_changed' } as const
  const quote = await changeQuote(tx, deps, caller, target, (current, card) => {
    offered = offeredPackages(card, current)
    const chosen = {
      ...current,
      selectedPackageIds: withBroadband(offered, current.selectedPackageIds),
      broadbandProducts: chooseProducts(checked, current.broadbandProducts, productIds),
      broadbandInstallDates: installDates,
      broadbandStartDate: null,
      priceWarnings: withoutDateWarnings(current.priceWarnings),
    }
    return { ...chosen, ...scheduleBroadband(chosen, current, londonDate(caller.now), deps.bankHolidays) }
  })
  return { quote, offered }
}

/**
 * Selects the broadband package unless it is already selected. Throws `package_not_available` if the rate card has no
 * such package.
 */
function withBroadband(offered: readonly Package[], selected: readonly string[]): string[] {
  const broadband = offered.filter((each) => each.type === 'broadband')
  if (broadband.some((each) => selected.includes(each.packageId))) return [...selected]
  const chosen = broadband.find((each) => each.isDefault)
  if (chosen !== undefined) return [...selected, chosen.packageId]
  throw new DomainError(
    'package_not_available',
    "This quote's quoting tool version has no broadband. Create a quote with another version.",
  )
}

/**
 * Adds products to those that a quote already has. A new line replaces the earlier one, so that there is at most one.
 * Adding a product again changes nothing. Throws `broadband_product_not_available` naming every id that the check did
 * not find, and any second line; `broadband_products_required` naming every add-on if there would be no line.
 */
function chooseProducts(
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

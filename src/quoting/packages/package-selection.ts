import type { Id } from '../../platform/kernel/ids.ts'
import type { Quote } from '../quotes/quote.ts'
import type { Package } from './package.ts'

/** The packages that a partner selects for a quote. */
export interface PackageSelection {
  quoteId: Id<'quote'>
  packageIds: readonly string[]
}

/** A quote and every package that its rate card offers for the property. */
export interface QuoteWithPackages {
  quote: Quote
  offered: Package[]
}

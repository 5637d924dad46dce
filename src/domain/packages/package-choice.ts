import type { Id } from '../../kernel/ids.ts'
import type { Quote } from '../quotes/quote.ts'
import type { Package } from './package.ts'

/** The packages a partner names for a quote. */
export interface ChoosePackages {
  quoteId: Id<'quote'>
  packageIds: readonly string[]
}

/** A quote and everything its card offers for the home. */
export interface QuoteWithOffer {
  quote: Quote
  offered: Package[]
}

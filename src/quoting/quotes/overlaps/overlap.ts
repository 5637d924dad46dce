import type { Id } from '../../../platform/kernel/ids.ts'

/** A warning names at most this many other quotes. */
export const maxNamedOverlaps = 5

/**
 * A tenant of another quote of the same partner who has the same e-mail address and is covered on some of the same
 * days.
 */
export interface OtherTenancy {
  customerId: Id<'tenant'>
  quoteId: Id<'quote'>
}

/** A quote that may be of the same household: of the same property, or with a tenant of the same e-mail address. */
export interface SimilarQuote {
  code: 'property_already_quoted' | 'tenant_already_invited'
  quoteId: Id<'quote'>
}

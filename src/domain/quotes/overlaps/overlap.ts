import type { Id } from '../../../kernel/ids.ts'

/** A warning names at most this many other quotes. */
export const maxNamedOverlaps = 5

/** A tenant of another quote of the same partner who has the same e-mail address and is covered on some of the same days. */
export interface OtherTenancy {
  customerId: Id<'tenant'>
  quoteId: Id<'quote'>
}

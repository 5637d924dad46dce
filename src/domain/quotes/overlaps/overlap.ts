import type { IsoDate } from '../../../kernel/dates.ts'
import type { Id } from '../../../kernel/ids.ts'
import type { Service } from '../../packages/services.ts'

/** A warning names at most this many other quotes. */
export const maxNamedOverlaps = 5

/** A tenant of another quote of the same partner who has the same e-mail address and is covered on some of the same days. */
export interface OtherTenancy {
  customerId: Id<'tenant'>
  quoteId: Id<'quote'>
}

/** The days on which a locked quote, or the contracts of a completed one, supply a property. Both days belong to it. */
export interface PropertyCover {
  addressUid: string
  partnerId: Id<'partner'>
  quoteId: Id<'quote'>
  startsOn: IsoDate
  lastDay: IsoDate
  services: Service[]
}

/** Those that supply a service of a property on a day on which another one also does. Keeps the order. */
export function coveredTwice(covers: readonly PropertyCover[]): PropertyCover[] {
  const ofProperty = Map.groupBy(covers, ({ addressUid }) => addressUid)
  return covers.filter((cover) => ofProperty.get(cover.addressUid)?.some((other) => collide(cover, other)))
}

function collide(a: PropertyCover, b: PropertyCover): boolean {
  return (
    a.quoteId !== b.quoteId &&
    a.startsOn <= b.lastDay &&
    b.startsOn <= a.lastDay &&
    a.services.some((service) => b.services.includes(service))
  )
}

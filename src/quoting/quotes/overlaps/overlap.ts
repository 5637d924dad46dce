import type { IsoDate } from '../../../platform/kernel/dates.ts'
import type { Id } from '../../../platform/kernel/ids.ts'
import type { MeterPoints } from '../../../properties/meter-points/meter-points.ts'
import { type Service, serviceRow } from '../../packages/services.ts'

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

/**
 * The days on which a locked quote, or the contracts of a completed one, supply a property. Both days belong to it.
 * Another property may have the same meter points.
 */
export interface PropertyCover extends MeterPoints {
  addressUid: string
  partnerId: Id<'partner'>
  quoteId: Id<'quote'>
  startsOn: IsoDate
  lastDay: IsoDate
  services: Service[]
}

/**
 * Those that supply a service of a property, or a meter point, on a day on which another one also does. Keeps the
 * order.
 */
export function coveredTwice(covers: readonly PropertyCover[]): PropertyCover[] {
  const bySupply = Map.groupBy(
    covers.flatMap((cover) => suppliesOf(cover).map((supply) => ({ supply, cover }))),
    ({ supply }) => supply,
  )
  return covers.filter((cover) =>
    suppliesOf(cover).some((supply) => bySupply.get(supply)?.some((other) => collide(cover, other.cover))),
  )
}

/** What only one supplier can serve at a time: each service of the property, and its meter points. */
function suppliesOf(cover: PropertyCover): string[] {
  return cover.services.flatMap((service) => {
    const meter = serviceRow(service).metered?.meter ?? null
    const meterPoint = meter === null ? null : cover[meter.field]
    return [`${service} ${cover.addressUid}`, ...(meterPoint === null ? [] : [`${service} ${meterPoint}`])]
  })
}

function collide(a: PropertyCover, b: PropertyCover): boolean {
  return a.quoteId !== b.quoteId && a.startsOn <= b.lastDay && b.startsOn <= a.lastDay
}

import { listPartners } from '../../../partners/partners.store.ts'
import type { Databases } from '../../../platform/db/databases.ts'
import type { Clock } from '../../../platform/kernel/clock.ts'
import { londonDate } from '../../../platform/kernel/dates.ts'
import { coveredTwice, type PropertyCover } from './overlap.ts'
import { listPropertyCovers } from './overlaps.store.ts'

/**
 * `housebill quotes overlaps`: the locked and completed quotes of all partners that supply the same service of a
 * property on the same days, today or later, by property. Reads each partner's rows as that partner, because nothing
 * else may.
 */
export async function listOverlaps({
  databases,
  clock,
}: {
  databases: Databases
  clock: Clock
}): Promise<PropertyCover[]> {
  const covers: PropertyCover[] = []
  for (const { partnerId, clockOffsetSeconds } of await listPartners(databases.system)) {
    const now = new Date(clock.now().getTime() + clockOffsetSeconds * 1000)
    const own = await listPropertyCovers(databases.forPartner(partnerId), partnerId, { now, today: londonDate(now) })
    covers.push(...own)
  }
  return coveredTwice(covers).sort((a, b) => (a.addressUid < b.addressUid ? -1 : a.addressUid > b.addressUid ? 1 : 0))
}

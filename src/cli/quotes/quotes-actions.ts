import { systemClock } from '../../platform/kernel/clock.ts'
import { listOverlaps } from '../../quoting/quotes/overlaps/list-overlaps.ts'
import { type JsonOption, print, printJson } from '../print.ts'
import { alignRows } from '../table.ts'
import { withDatabase } from '../with-database.ts'

/** `quotes overlaps`: prints ids, dates and services only. */
export async function printOverlaps({ json }: JsonOption): Promise<void> {
  const overlaps = await withDatabase('quotes overlaps', ({ databases }) =>
    listOverlaps({ databases, clock: systemClock }),
  )
  if (json) {
    printJson({ overlaps })
    return
  }
  if (overlaps.length === 0) {
    print('No property is covered twice.')
    return
  }
  const rows = overlaps.map(({ addressUid, partnerId, quoteId, startsOn, lastDay, services }) => [
    addressUid,
    partnerId,
    quoteId,
    startsOn,
    lastDay,
    services.join(', '),
  ])
  print(alignRows([['PROPERTY', 'PARTNER', 'QUOTE', 'FIRST DAY', 'LAST DAY', 'SERVICES'], ...rows]))
}

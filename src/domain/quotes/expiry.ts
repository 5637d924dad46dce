import { addDays, type IsoDate, startOfLondonDay } from '../../kernel/dates.ts'

/**
 * Until when prices are valid (docs/api-behaviour.md#expiry): some seconds from now, but never beyond the last day the
 * rate card is sold or the first day of the contract. Both days still count.
 */
export function expiryOf(offer: {
  now: Date
  validitySeconds: number
  onSaleTo: IsoDate | null
  contractStartDate: IsoDate
}): Date {
  const ends = [offer.now.getTime() + offer.validitySeconds * 1000, endOfDay(offer.contractStartDate)]
  if (offer.onSaleTo !== null) ends.push(endOfDay(offer.onSaleTo))
  return new Date(Math.min(...ends))
}

/** The last millisecond of the day: the offer ends within the day that it may not pass. */
function endOfDay(date: IsoDate): number {
  return startOfLondonDay(addDays(date, 1)).getTime() - 1
}

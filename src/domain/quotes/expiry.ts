import { addDays, type IsoDate, startOfLondonDay } from '../../kernel/dates.ts'

/**
 * Until when a price is offered (decisions §4, "Validity"): so many seconds from now, but never past the last day of the
 * card's sale nor past the first day of the contract; both days still count.
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

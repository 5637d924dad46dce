import { addDays, type IsoDate, startOfLondonDay } from '../../kernel/dates.ts'

/**
 * When the prices expire (docs/api-behaviour.md#expiry): `validitySeconds` from now, but no later than the end of the rate card's
 * last day on sale or the end of the contract's first day.
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

/** The last millisecond of the day. */
function endOfDay(date: IsoDate): number {
  return startOfLondonDay(addDays(date, 1)).getTime() - 1
}

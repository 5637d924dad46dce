import { addDays, endOfDayBefore, type IsoDate } from '../../platform/kernel/dates.ts'

/**
 * When the prices expire (docs/api-behaviour.md#expiry): `validitySeconds` from now, but no later than the end of the
 * rate card's last day on sale or the end of the day before the contract starts.
 */
export function expiryOf(offer: {
  now: Date
  validitySeconds: number
  onSaleTo: IsoDate | null
  contractStartDate: IsoDate
}): Date {
  const ends = [offer.now.getTime() + offer.validitySeconds * 1000, endOfDayBefore(offer.contractStartDate).getTime()]
  if (offer.onSaleTo !== null) ends.push(endOfDayBefore(addDays(offer.onSaleTo, 1)).getTime())
  return new Date(Math.min(...ends))
}

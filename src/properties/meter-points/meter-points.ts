import type { GivenMeterFacts } from '../meter-facts/meter-facts.ts'

/** One property's meters. A meter is null if it is unknown or the property does not have that supply. */
export interface MeterPoints {
  /** The electricity meter point (MPAN): 13 digits. */
  mpan: string | null
  /** The gas meter point (MPRN): 6 to 10 digits. */
  mprn: string | null
}

/** What the operator's file says of the meters of a home. */
export interface KnownMeters extends MeterPoints {
  meter: GivenMeterFacts | null
}

/** A source of meter points, which address suppliers do not provide. */
export interface MeterPointSource {
  /** The known meters of these properties, by UPRN without leading zeros. */
  findByUprns(uprns: readonly string[]): Promise<ReadonlyMap<string, KnownMeters>>
}

const mpanWeights = [3, 5, 7, 13, 17, 19, 23, 29, 31, 37, 41, 43]

/** The lowest distributor id. An MPAN that starts with a lower number is a placeholder, such as thirteen zeros. */
const lowestDistributorId = '10'

/** Whether the text is an MPAN core: 13 digits, the last of which is a check digit. No spaces. */
export function isMpan(text: string): boolean {
  if (!/^\d{13}$/.test(text) || distributorId(text) < lowestDistributorId) return false
  return mpanCheckDigit(text.slice(0, 12)) === text.slice(12)
}

/** Completes an MPAN from its first twelve digits: two for the distributor and ten for the meter point. */
export function mpanWithCheckDigit(twelveDigits: string): string {
  if (!/^\d{12}$/.test(twelveDigits)) throw new RangeError('an MPAN has twelve digits and a check digit')
  return twelveDigits + mpanCheckDigit(twelveDigits)
}

/** An MPAN's first two digits: 10 to 23 for the distributor of a region, 24 and above for an independent network. */
export function distributorId(mpan: string): string {
  return mpan.slice(0, 2)
}

/** Whether the text is an MPRN: 6 to 10 digits, the last two of which are check digits. No spaces. */
export function isMprn(text: string): boolean {
  if (!/^\d{6,10}$/.test(text)) return false
  const number = text.slice(0, -2)
  return !/^0+$/.test(number) && mprnCheckDigits(number) === text.slice(-2)
}

/** Appends the two check digits to the first four to eight digits of an MPRN. */
export function mprnWithCheckDigits(number: string): string {
  if (!/^\d{4,8}$/.test(number)) throw new RangeError('an MPRN has four to eight digits and two check digits')
  return number + mprnCheckDigits(number)
}

/** Remainders 0 and 10 both give the check digit 0, so this check cannot distinguish them. */
function mpanCheckDigit(twelveDigits: string): string {
  let sum = 0
  for (const [index, weight] of mpanWeights.entries()) sum += weight * digitAt(twelveDigits, index)
  return String((sum % 11) % 10)
}

function mprnCheckDigits(number: string): string {
  let sum = 0
  for (let index = 0; index < number.length; index += 1) sum += digitAt(number, index) * (number.length - index)
  return String(sum % 11).padStart(2, '0')
}

function digitAt(digits: string, index: number): number {
  return digits.charCodeAt(index) - 48
}

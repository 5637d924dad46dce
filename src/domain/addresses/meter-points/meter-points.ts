const mpanWeights = [3, 5, 7, 13, 17, 19, 23, 29, 31, 37, 41, 43]

/** Distributors' ids are handed out from 10 on, so a number below is a placeholder, such as thirteen zeros. */
const lowestDistributorId = '10'

/** Whether the text is the core of an MPAN: 13 digits, the last of which checks the others. No spaces. */
export function isMpan(text: string): boolean {
  if (!/^\d{13}$/.test(text) || distributorId(text) < lowestDistributorId) return false
  return mpanCheckDigit(text.slice(0, 12)) === text.slice(12)
}

/** An MPAN from its first twelve digits, two of the distributor and ten of the meter point. */
export function mpanWithCheckDigit(twelveDigits: string): string {
  if (!/^\d{12}$/.test(twelveDigits)) throw new RangeError('an MPAN has twelve digits and a check digit')
  return twelveDigits + mpanCheckDigit(twelveDigits)
}

/** The two digits an MPAN begins with: 10–23 a region's distributor, 24 and above an independent network. */
export function distributorId(mpan: string): string {
  return mpan.slice(0, 2)
}

/** Whether the text is an MPRN: 6 to 10 digits, the last two of which check the others. No spaces. */
export function isMprn(text: string): boolean {
  if (!/^\d{6,10}$/.test(text)) return false
  const number = text.slice(0, -2)
  return !/^0+$/.test(number) && mprnCheckDigits(number) === text.slice(-2)
}

/** An MPRN from its digits without the two check digits, four to eight of them. */
export function mprnWithCheckDigits(number: string): string {
  if (!/^\d{4,8}$/.test(number)) throw new RangeError('an MPRN has four to eight digits and two check digits')
  return number + mprnCheckDigits(number)
}

/** A remainder of 10 is written 0, as a remainder of 0 is: the one difference this check cannot see. */
function mpanCheckDigit(twelveDigits: string): string {
  const sum = mpanWeights.reduce((total, weight, place) => total + weight * Number(twelveDigits[place]), 0)
  return String((sum % 11) % 10)
}

function mprnCheckDigits(number: string): string {
  const sum = [...number].reduce((total, digit, place) => total + Number(digit) * (number.length - place), 0)
  return String(sum % 11).padStart(2, '0')
}

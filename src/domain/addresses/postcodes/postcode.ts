import { toNormalised } from 'postcode'
import { regionOfArea } from './postcode-areas.ts'

/**
 * The six forms of BS 7666 with the letters it allows in each place. The package `postcode` checks only where letters
 * and digits stand.
 */
const bs7666 =
  /^(?:[A-PR-UWYZ][0-9]{1,2}|[A-PR-UWYZ][A-HK-Y][0-9]{1,2}|[A-PR-UWYZ][0-9][A-HJKPSTUW]|[A-PR-UWYZ][A-HK-Y][0-9][ABEHMNPRV-Y]) [0-9][ABD-HJLNP-UW-Z]{2}$/

/** Girobank's postcode fits no form; BS 7666 lists it by itself. */
const girobank = 'GIR0AA'

/** White space of every kind, and the invisible characters that come along when text is copied from a page. */
const invisible = /[\s\u00ad\u180e\u200b-\u200f\u2060]+/g

/** Longer than any spacing a person types: keeps the work small for text that cannot be a postcode. */
const maxLength = 100

/**
 * A postcode in its normal form, upper case with one space before the last three characters (`sw72az` → `SW7 2AZ`);
 * null for anything that has no British form. The form says nothing about whether the postcode exists or is served.
 */
export function normalisePostcode(text: string): string | null {
  if (text.length > maxLength) return null
  const compact = text.replace(invisible, '')
  // Before any change of case: `ſ` and `ı` would otherwise become an S and an I.
  if (!/^[A-Za-z0-9]{5,7}$/.test(compact)) return null
  if (compact.toUpperCase() === girobank) return 'GIR 0AA'
  const normal = toNormalised(compact)
  return normal !== null && bs7666.test(normal) ? normal : null
}

/** The letters a normal postcode begins with, e.g. `SW` of `SW7 2AZ`. */
export function postcodeArea(postcode: string): string {
  return /^[A-Z]+/.exec(postcode)?.[0] ?? ''
}

/**
 * Whether homes at this postcode (in its normal form) can be quoted for: Great Britain's areas and the sandbox's `TE`.
 * Northern Ireland, the Crown dependencies, the forces, overseas territories and areas which are no place are not.
 */
export function isServedPostcode(postcode: string): boolean {
  return regionOfArea(postcodeArea(postcode)) !== null
}

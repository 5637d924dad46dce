import { toNormalised } from 'postcode'
import { regionOfArea } from './postcode-areas.ts'

/**
 * The six formats of BS 7666 with the letters allowed in each position. The `postcode` package checks only the
 * positions of letters and digits.
 */
const bs7666 =
  /^(?:[A-PR-UWYZ][0-9]{1,2}|[A-PR-UWYZ][A-HK-Y][0-9]{1,2}|[A-PR-UWYZ][0-9][A-HJKPSTUW]|[A-PR-UWYZ][A-HK-Y][0-9][ABEHMNPRV-Y]) [0-9][ABD-HJLNP-UW-Z]{2}$/

/** Girobank's postcode fits no format; BS 7666 lists it separately. */
const girobank = 'GIR0AA'

/** White space, and the invisible characters that text copied from a web page may contain. */
const invisible = /[\s\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2069]+/g

/** Text longer than this is rejected immediately. No one types a postcode this long. */
const maxLength = 100

/**
 * Normalises a postcode to upper case with one space before the last three characters (`sw72az` → `SW7 2AZ`); null if
 * the format is not British. The result may be a postcode that does not exist or is not served.
 */
export function normalisePostcode(text: string): string | null {
  if (text.length > maxLength) return null
  const compact = text.replace(invisible, '')
  // Check before changing case: `ſ` and `ı` would become S and I.
  if (!/^[A-Za-z0-9]{5,7}$/.test(compact)) return null
  if (compact.toUpperCase() === girobank) return 'GIR 0AA'
  const normal = toNormalised(compact)
  return normal !== null && bs7666.test(normal) ? normal : null
}

/** The area of a normalised postcode, e.g. `SW` for `SW7 2AZ`. */
export function postcodeArea(postcode: string): string {
  return /^[A-Z]+/.exec(postcode)?.[0] ?? ''
}

/**
 * Whether properties at this normalised postcode can be quoted. This is true for the postcode areas of Great Britain
 * and the sandbox's
 * `TE`. It is false for Northern Ireland, the Crown dependencies, the armed forces, overseas territories and non-geographic areas.
 */
export function isServedPostcode(postcode: string): boolean {
  return regionOfArea(postcodeArea(postcode)) !== null
}

import { parsePhoneNumberFromString } from 'libphonenumber-js'

/** True for a possible number, national UK or international. Ofcom's drama numbers count: "possible", not "in use". */
export function isPossiblePhone(text: string): boolean {
  return text.length <= 40 && (parsePhoneNumberFromString(text, 'GB')?.isPossible() ?? false)
}

/** The number in E.164 form, e.g. `+447700900123`. Throws RangeError for text that `isPossiblePhone` refuses. */
export function toE164(text: string): string {
  const parsed = parsePhoneNumberFromString(text, 'GB')
  if (parsed === undefined || !parsed.isPossible()) throw new RangeError('not a possible phone number')
  return parsed.number
}

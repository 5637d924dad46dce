import { type PhoneNumber, parsePhoneNumberFromString } from 'libphonenumber-js'

/** True for a possible number, national UK or international. Ofcom's drama numbers count: "possible", not "in use". */
export function isPossiblePhone(text: string): boolean {
  return text.length <= 40 && (parse(text)?.isPossible() ?? false)
}

/** The number in E.164 form, e.g. `+447700900123`. Throws RangeError for text that `isPossiblePhone` refuses. */
export function toE164(text: string): string {
  const parsed = parse(text)
  if (parsed === undefined || !parsed.isPossible()) throw new RangeError('not a valid phone number')
  return parsed.number
}

/** The text as a whole: a number inside a sentence is no number. */
function parse(text: string): PhoneNumber | undefined {
  return parsePhoneNumberFromString(text, { defaultCountry: 'GB', extract: false })
}

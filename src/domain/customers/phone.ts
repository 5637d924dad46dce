import { type PhoneNumber, parsePhoneNumberFromString } from 'libphonenumber-js'

/**
 * Whether the text is a possible phone number, UK or international. The number need not be in use, so the numbers that Ofcom
 * reserves for drama are accepted.
 */
export function isPossiblePhone(text: string): boolean {
  return text.length <= 40 && (parse(text)?.isPossible() ?? false)
}

/** The number in E.164 format, e.g. `+447700900123`. Throws RangeError if `isPossiblePhone` is false. */
export function toE164(text: string): string {
  const parsed = parse(text)
  if (parsed === undefined || !parsed.isPossible()) throw new RangeError('not a valid phone number')
  return parsed.number
}

/** Parses the whole text as a phone number. Does not search the text for one. */
function parse(text: string): PhoneNumber | undefined {
  return parsePhoneNumberFromString(text, { defaultCountry: 'GB', extract: false })
}

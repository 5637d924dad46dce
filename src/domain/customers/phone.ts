import { type PhoneNumber, parsePhoneNumberFromString } from 'libphonenumber-js'
import type { FieldCipher } from '../../kernel/field-encryption.ts'

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

/** The keyed hash by which customers with this number, in E.164 format, are found; "" for "". It cannot be compared with other hashes. */
export function phoneHash(cipher: FieldCipher, phone: string): string {
  return phone === '' ? '' : cipher.hash(hashedText(phone))
}

/** Every hash under which the number may be stored: during a replacement of the key, there are two. */
export function phoneHashes(cipher: FieldCipher, phone: string): string[] {
  return cipher.hashes(hashedText(phone))
}

function hashedText(phone: string): string {
  return `customers.phone\0${phone}`
}

/** Parses the whole text as a phone number. Does not search the text for one. */
function parse(text: string): PhoneNumber | undefined {
  return parsePhoneNumberFromString(text, { defaultCountry: 'GB', extract: false })
}

import { type PhoneNumber, parsePhoneNumberFromString } from 'libphonenumber-js'
import type { FieldCipher } from './field-encryption.ts'

/**
 * Whether the text is a possible phone number, UK or international. The number need not be in use, so the numbers that
 * Ofcom reserves for drama are accepted. A number with an extension is not: E.164 has no place for it.
 */
export function isPossiblePhone(text: string): boolean {
  if (text.length > 40) return false
  const parsed = parse(text)
  return parsed !== undefined && parsed.ext === undefined && parsed.isPossible()
}

/** Whether the text is a phone number with an extension, such as `020 7946 0018 ext. 12`. */
export function hasExtension(text: string): boolean {
  return text.length <= 40 && parse(text)?.ext !== undefined
}

/** The number in E.164 format, e.g. `+447700900123`. Throws RangeError if `isPossiblePhone` is false. */
export function toE164(text: string): string {
  const parsed = parse(text)
  if (parsed === undefined || !isPossiblePhone(text)) throw new RangeError('not a valid phone number')
  return parsed.number
}

/**
 * The keyed hash by which customers with this number, in E.164 format, are found; "" for "". It cannot be compared with
 * other hashes.
 */
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

/** What a link or a spreadsheet puts before a number, and the invisible marks that set the direction of pasted text. */
const pastedAround = /^\s*tel:|[\u200e\u200f\u202a-\u202e\u2066-\u2069]/giu

/** Parses the whole text as a phone number. Does not search the text for one. */
function parse(text: string): PhoneNumber | undefined {
  const number = text.replaceAll(pastedAround, ' ')
  return parsePhoneNumberFromString(number.trim(), { defaultCountry: 'GB', extract: false })
}

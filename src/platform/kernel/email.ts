import type { FieldCipher } from './field-encryption.ts'

/**
 * Whether the text looks like an email address: something before one @ and a dotted domain after it. Deliberately
 * lenient, because no pattern can tell whether mail arrives. At most 254 characters (RFC 5321). Invisible characters
 * (Unicode's category Cf) are not allowed: with one, an address would look like another person's.
 */
export function isPlausibleEmail(text: string): boolean {
  if (text.length > 254) return false
  return /^[^\s@"(),:;<>[\\\]\p{Cc}\p{Cf}]{1,64}@(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?\.)+[\p{L}\p{N}][\p{L}\p{N}-]{0,61}[\p{L}\p{N}]$/u.test(
    text,
  )
}

/**
 * Whether the address ends in `.example` or `.test`, which are reserved so that nobody ever has such an address (RFC
 * 2606).
 */
export function isTestAddress(email: string): boolean {
  return /\.(example|test)$/i.test(email)
}

/** Converts an email address to the form in which addresses are compared. */
export function comparableEmail(text: string): string {
  return text.normalize('NFC').toLowerCase()
}

/** The keyed hash by which customers with the same email address are found. */
export function emailHash(cipher: FieldCipher, email: string): string {
  return cipher.hash(comparableEmail(email))
}

/** Every hash under which the email address may be stored: during a replacement of the key, there are two. */
export function emailHashes(cipher: FieldCipher, email: string): string[] {
  return cipher.hashes(comparableEmail(email))
}

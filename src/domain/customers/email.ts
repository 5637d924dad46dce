/**
 * True for text that may well be an e-mail address: one @ with something before it and a dotted domain after it. Deliberately
 * lenient: whether mail arrives is for the address's owner to show, not for a pattern. At most 254 characters (RFC 5321).
 */
export function isPlausibleEmail(text: string): boolean {
  if (text.length > 254) return false
  return /^[^\s@"(),:;<>[\\\]\p{Cc}]{1,64}@(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?\.)+[\p{L}\p{N}][\p{L}\p{N}-]{0,61}[\p{L}\p{N}]$/u.test(
    text,
  )
}

/** The form in which two addresses of one quote are compared. */
export function comparableEmail(text: string): string {
  return text.normalize('NFC').toLowerCase()
}

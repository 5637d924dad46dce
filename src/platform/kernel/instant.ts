/** The RFC 3339 format, in which a time zone is required. */
const pattern = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|[+-]\d{2}:\d{2})$/i

/**
 * Parses an RFC 3339 instant, to the millisecond; undefined if the text is not one. A leap second, which RFC 3339
 * allows and Date does not, becomes the second before it.
 */
export function readInstant(text: string): Date | undefined {
  if (!pattern.test(text)) return undefined
  try {
    return new Date(Temporal.Instant.from(text.toUpperCase()).epochMilliseconds)
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

/** Like `readInstant`, but for text that has been validated. Throws RangeError if it is not an instant. */
export function requireInstant(text: string): Date {
  const read = readInstant(text)
  if (read === undefined) throw new RangeError(`not an instant: ${text}`)
  return read
}

/** Whether `readInstant` accepts the text. */
export function isInstant(text: string): boolean {
  return readInstant(text) !== undefined
}

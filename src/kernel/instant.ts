/** RFC 3339, with a time zone: an instant without one is refused. */
const pattern = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|[+-]\d{2}:\d{2})$/i

/**
 * The instant a text names, to the millisecond; undefined where it names none. A leap second, which RFC 3339 allows and a
 * Date cannot hold, is the second before it.
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

/** The same for text that was checked before. Throws RangeError where it names none. */
export function instant(text: string): Date {
  const read = readInstant(text)
  if (read === undefined) throw new RangeError(`not an instant: ${text}`)
  return read
}

/** True for text that `readInstant` reads. */
export function isInstant(text: string): boolean {
  return readInstant(text) !== undefined
}

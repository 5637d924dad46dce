const format = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'Europe/London' })

/** A time as people in the United Kingdom read it, such as "28 Nov 2026, 18:10". */
export function inWords(at: Date): string {
  return format.format(at)
}

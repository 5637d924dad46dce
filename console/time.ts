import { limits } from './api/partner-api.ts'

/** The console shows and reads all times in UK time. */
const zone = 'Europe/London'

const words = new Intl.DateTimeFormat('en-GB', {
  timeZone: zone,
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  timeZoneName: 'short',
})
/** Uses the Swedish locale, whose date format is that of ISO 8601. */
const fields = new Intl.DateTimeFormat('sv-SE', {
  timeZone: zone,
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
})

/** An instant in words, such as `20 Nov 2026, 09:29:10 GMT`. */
export function momentInWords(instant: string): string {
  return words.format(new Date(instant))
}

/** Converts an instant to the value of a `datetime-local` field, in UK time, such as `2026-11-20T09:29:10`. */
export function toDatetimeLocal(instant: string): string {
  return fields.format(new Date(instant)).replace(' ', 'T')
}

/**
 * Converts the value of a `datetime-local` field, in UK time, to an instant. A time in the hour that repeats in October
 * means its first occurrence; a time in the hour that is skipped in March is moved one hour later. Returns undefined if
 * the field is empty or invalid.
 */
export function fromDatetimeLocal(text: string): string | undefined {
  const asUtcMs = Date.parse(`${text}Z`)
  if (text === '' || Number.isNaN(asUtcMs)) return undefined
  const aheadMs = Math.max(aheadOfUtcMs(asUtcMs - 3_600_000), aheadOfUtcMs(asUtcMs))
  const summer = asUtcMs - aheadMs
  const instantMs = aheadOfUtcMs(summer) === aheadMs ? summer : asUtcMs
  return new Date(instantMs).toISOString()
}

function aheadOfUtcMs(instantMs: number): number {
  const whole = Math.floor(instantMs / 1_000) * 1_000
  return Date.parse(`${toDatetimeLocal(new Date(whole).toISOString())}Z`) - whole
}

/** A duration in words, such as `120 ms` or `1.5 s`. */
export function durationInWords(durationMs: number): string {
  return durationMs < 1_000 ? `${durationMs} ms` : `${(durationMs / 1_000).toFixed(1)} s`
}

/**
 * Returns the instant or, if it is too early, the earliest one that the API accepts for a replay. The earliest one
 * includes a margin of a minute, so that it is still accepted when the request arrives.
 */
export function clampToRetentionPeriod(instant: string, nowMs = Date.now()): string {
  const earliestMs = nowMs - limits.keptDays * 86_400_000 + 60_000
  return new Date(Math.max(Date.parse(instant), earliestMs)).toISOString()
}

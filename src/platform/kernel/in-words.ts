import Fraction from 'fraction.js'
import { type IsoDate, londonDate } from './dates.ts'
import { periodText } from './period-text.ts'

/** A day, e.g. "31 January 2027". */
export function dayInWords(date: IsoDate): string {
  return periodText(date, date)
}

/** A day and time, e.g. "20 December 2026 at 14:03 (UK time)". */
export function momentInWords(instant: Date): string {
  const time = Temporal.Instant.fromEpochMilliseconds(instant.getTime())
    .toZonedDateTimeISO('Europe/London')
    .toPlainTime()
    .toString({ smallestUnit: 'minute' })
  return `${dayInWords(londonDate(instant))} at ${time} (UK time)`
}

/** A VAT rate as a percentage: "0.05" becomes "5%", and "0.125" becomes "12.5%". */
export function percentInWords(rate: string): string {
  return `${new Fraction(rate).mul(100).toString()}%`
}

/** An amount with its unit, e.g. "2,500 kWh". */
export function quantityInWords(amount: number, unit: string): string {
  return `${amount.toLocaleString('en-GB')} ${unit}`
}

const ordinals: Record<string, string> = { 1: 'st', 2: 'nd', 3: 'rd', 21: 'st', 22: 'nd', 23: 'rd' }

/** A day of the month as an ordinal, e.g. "1st", "22nd" or "28th". */
export function ordinal(day: number): string {
  return `${day}${ordinals[day] ?? 'th'}`
}

/** Numbers up to twelve as words ("three", "twelve"), higher numbers in digits. */
export function countInWords(count: number): string {
  const words = [
    'no',
    'one',
    'two',
    'three',
    'four',
    'five',
    'six',
    'seven',
    'eight',
    'nine',
    'ten',
    'eleven',
    'twelve',
  ]
  return words[count] ?? String(count)
}

import Fraction from 'fraction.js'

declare const penceBrand: unique symbol

/** A whole number of pence, VAT included unless the name says otherwise. Never a fraction, never pounds. */
export type Pence = number & { readonly [penceBrand]: true }

/**
 * Marks a whole number as an amount in pence. Throws RangeError for any other number, so nothing is rounded silently.
 */
export function pence(amount: number): Pence {
  if (!Number.isSafeInteger(amount)) throw new RangeError(`not a whole number of pence: ${amount}`)
  return amount as Pence
}

export const noPence = pence(0)

/** The only place where money is rounded: half a penny rounds up. Amounts are never negative. */
export function roundHalfUp(exact: Fraction): Pence {
  return pence(exact.add(new Fraction(1, 2)).floor().valueOf())
}

export function sumPence(amounts: Iterable<Pence>): Pence {
  let total = 0
  for (const amount of amounts) total += amount
  return pence(total)
}

/** Formats `12345` as `£123.45`, with thousands separators: for documents and pages, never for the API. */
export function formatPounds(amount: Pence): string {
  const sign = amount < 0 ? '−' : ''
  const absolute = Math.abs(amount)
  const pounds = Math.floor(absolute / 100).toLocaleString('en-GB')
  return `${sign}£${pounds}.${String(absolute % 100).padStart(2, '0')}`
}

import type { CardBrand } from './test-cards.ts'

/** The digits of a typed card number without its spaces and hyphens; undefined where anything else is in it. */
export function cardDigits(typed: string): string | undefined {
  const digits = typed.replaceAll(/[\s-]/g, '')
  return /^\d{12,19}$/.test(digits) ? digits : undefined
}

/** ISO/IEC 7812-1 check digit: from the right every second digit doubled, digit sums added, divisible by ten. */
export function passesLuhn(digits: string): boolean {
  const sum = Array.from(digits)
    .toReversed()
    .map((digit, place) => Number(digit) * (place % 2 === 1 ? 2 : 1))
    .reduce((total, value) => total + (value > 9 ? value - 9 : value), 0)
  return sum % 10 === 0
}

/** How many digits the security code of a brand has. */
export function securityCodeLength(brand: CardBrand | undefined): 3 | 4 {
  return brand === 'amex' ? 4 : 3
}

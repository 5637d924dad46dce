import type { CardBrand } from '../../../payments/test-cards.ts'

/** The digits of a typed card number, without spaces and hyphens; undefined if it has other characters. */
export function cardDigits(typed: string): string | undefined {
  const digits = typed.replaceAll(/[\s-]/g, '')
  return /^\d{12,19}$/.test(digits) ? digits : undefined
}

/**
 * Verifies the check digit (ISO/IEC 7812-1): with every second digit from the right doubled, the sum of all digits is
 * divisible by ten.
 */
export function passesLuhn(digits: string): boolean {
  const sum = Array.from(digits)
    .toReversed()
    .map((digit, place) => Number(digit) * (place % 2 === 1 ? 2 : 1))
    .reduce((total, value) => total + (value > 9 ? value - 9 : value), 0)
  return sum % 10 === 0
}

/** The length of a brand's security code. */
export function securityCodeLength(brand: CardBrand | undefined): 3 | 4 {
  return brand === 'amex' ? 4 : 3
}

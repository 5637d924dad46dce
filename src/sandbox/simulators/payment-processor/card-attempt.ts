import { createHash } from 'node:crypto'
import {
  type CardBrand,
  type CardOutcome,
  findCardByName,
  findCardByNumber,
  type TestCard,
} from '../../../payments/test-cards.ts'
import { type FormFields, nestedFields, optionalText, rejectUnknown, requiredText } from './protocol/parameters.ts'
import { invalidCard, invalidRequest, noSuchObject } from './protocol/stripe-fault.ts'

/**
 * The digits of a typed card number, without spaces and hyphens; undefined if it has other characters.
 * @internal Tested alone.
 */
export function cardDigits(typed: string): string | undefined {
  const digits = typed.replaceAll(/[\s-]/g, '')
  return /^\d{12,19}$/.test(digits) ? digits : undefined
}

/**
 * Verifies the check digit (ISO/IEC 7812-1): with every second digit from the right doubled, the sum of all digits is
 * divisible by ten.
 * @internal Tested alone.
 */
export function passesLuhn(digits: string): boolean {
  const sum = Array.from(digits)
    .toReversed()
    .map((digit, place) => Number(digit) * (place % 2 === 1 ? 2 : 1))
    .reduce((total, value) => total + (value > 9 ? value - 9 : value), 0)
  return sum % 10 === 0
}

/** The length of a brand's security code. */
function securityCodeLength(brand: CardBrand | undefined): 3 | 4 {
  return brand === 'amex' ? 4 : 3
}

/** The only parts of a card that may be stored: its brand, its last four digits, its expiry, and what follows from them. */
export interface CardSummary {
  brand: CardBrand
  last4: string
  exp_month: number
  exp_year: number
  /** The same for every card with this number. */
  fingerprint: string
}

/**
 * One attempt to attach a card. `card` is null if the number is not a test card; no part of such a number is stored.
 */
export interface CardAttempt {
  card: CardSummary | null
  outcome: CardOutcome
}

const notATestCard: CardOutcome = {
  kind: 'declined',
  decline: {
    code: 'card_declined',
    declineCode: 'test_mode_live_card',
    message: 'Your card was declined. This is a sandbox: only test cards work here.',
  },
}

/**
 * Parses the card of a confirm call: `payment_method` (a name such as `pm_card_visa`) or `payment_method_data` with raw
 * digits. Throws the processor's `card_error` for data that cannot be a card, before anything is attempted.
 */
export function readCardAttempt(fields: FormFields, now: Date): CardAttempt {
  const name = optionalText(fields, 'payment_method')
  const data = nestedFields(fields, 'payment_method_data')
  const hasData = Object.keys(data).length > 0
  if (name !== undefined && hasData) {
    throw invalidRequest('You may only specify one of these parameters: payment_method, payment_method_data.')
  }
  if (name !== undefined) return attemptByName(name, now)
  if (hasData) return attemptByNumber(data, now)
  throw invalidRequest(
    "You cannot confirm this SetupIntent because it's missing a payment method. Pass payment_method or payment_method_data.",
    { code: 'setup_intent_unexpected_state', param: 'payment_method' },
  )
}

function attemptByName(name: string, now: Date): CardAttempt {
  const card = findCardByName(name)
  if (card === undefined) throw noSuchObject('PaymentMethod', name, 'payment_method', 400)
  return {
    card: summaryOf(card, { exp_month: 12, exp_year: now.getUTCFullYear() + 3 }),
    outcome: card.outcome,
  }
}

function attemptByNumber(data: FormFields, now: Date): CardAttempt {
  rejectUnknown(data, ['type', 'card', 'billing_details', 'metadata', 'allow_redisplay'], 'payment_method_data')
  if (requiredText(data, 'type') !== 'card') {
    throw invalidRequest('This SetupIntent accepts only cards.', { param: 'payment_method_data[type]' })
  }
  const typed = nestedFields(data, 'card')
  rejectUnknown(typed, ['number', 'exp_month', 'exp_year', 'cvc'], 'payment_method_data[card]')

  const digits = cardDigits(requiredText(typed, 'number'))
  if (digits === undefined || !passesLuhn(digits)) {
    throw invalidCard('incorrect_number', 'Your card number is incorrect.', 'number')
  }
  const expiry = readExpiry(typed, now)
  const card = findCardByNumber(digits)
  rejectSecurityCode(optionalText(typed, 'cvc'), card?.brand)
  if (card === undefined) return { card: null, outcome: notATestCard }
  return { card: summaryOf(card, expiry), outcome: card.outcome }
}

/**
 * What tells cards apart without their numbers, as Stripe's fingerprints do.
 * @internal
 */
export function fingerprintOf(number: string): string {
  return createHash('sha256').update(number).digest('base64url').slice(0, 16)
}

function summaryOf({ brand, number }: TestCard, expiry: { exp_month: number; exp_year: number }): CardSummary {
  const last4 = number.slice(-4)
  return { brand, last4, ...expiry, fingerprint: fingerprintOf(number) }
}

function readExpiry(typed: FormFields, now: Date): { exp_month: number; exp_year: number } {
  const month = wholeNumber(requiredText(typed, 'exp_month'))
  const given = wholeNumber(requiredText(typed, 'exp_year'))
  const year = given < 100 ? 2000 + given : given
  const thisYear = now.getUTCFullYear()
  const thisMonth = now.getUTCMonth() + 1
  if (!(year >= thisYear && year <= thisYear + 50)) {
    throw invalidCard('invalid_expiry_year', "Your card's expiration year is invalid.", 'exp_year')
  }
  if (!(month >= 1 && month <= 12) || (year === thisYear && month < thisMonth)) {
    throw invalidCard('invalid_expiry_month', "Your card's expiration month is invalid.", 'exp_month')
  }
  return { exp_month: month, exp_year: year }
}

function rejectSecurityCode(code: string | undefined, brand: CardBrand | undefined): void {
  if (code === undefined) return
  const right =
    brand === undefined ? /^\d{3,4}$/.test(code) : /^\d+$/.test(code) && code.length === securityCodeLength(brand)
  if (!right) throw invalidCard('invalid_cvc', "Your card's security code is invalid.", 'cvc')
}

/**
 * Parses a whole number of up to four digits. Returns NaN for any other text, so that every comparison with it fails.
 */
function wholeNumber(text: string): number {
  return /^\d{1,4}$/.test(text) ? Number(text) : Number.NaN
}

export type CardBrand = 'visa' | 'mastercard' | 'amex'

/** Why a card is declined, with the processor's codes and message. */
export interface Decline {
  code: string
  declineCode?: string
  message: string
}

/** With `laterDecline`, the card is attached, but later payments without the customer present are declined. */
export type FinalOutcome = { kind: 'attaches'; laterDecline?: Decline } | { kind: 'declined'; decline: Decline }

/** The outcome of an attempt to attach a card. */
export type CardOutcome = FinalOutcome | { kind: 'asks-authentication'; afterwards: FinalOutcome }

/** A card for testing only, with the number that a person types and the names that a program sends. */
export interface TestCard {
  number: string
  brand: CardBrand
  /** Names accepted as `payment_method`; the first is the one to show. */
  names: readonly [string, ...string[]]
  outcome: CardOutcome
  /** Whether refunds to it succeed at first and then fail. */
  refundsFail?: true
  /** What the card is for, in a few words. */
  purpose: string
}

const attaches: FinalOutcome = { kind: 'attaches' }

const authenticationRequired: Decline = {
  code: 'authentication_required',
  declineCode: 'authentication_required',
  message: 'Your card was declined. This transaction requires authentication.',
}

const insufficientFunds: Decline = {
  code: 'card_declined',
  declineCode: 'insufficient_funds',
  message: 'Your card has insufficient funds.',
}

function declinedWith(code: string, message: string, declineCode?: string): FinalOutcome {
  return { kind: 'declined', decline: { code, message, ...(declineCode === undefined ? {} : { declineCode }) } }
}

const declined = (declineCode: string, message = 'Your card was declined.') =>
  declinedWith('card_declined', message, declineCode)

/** Every test card of the simulator, with the numbers and names of the processor's own test mode. */
export const testCards: readonly TestCard[] = [
  { number: '4242424242424242', brand: 'visa', names: ['pm_card_visa'], outcome: attaches, purpose: 'Succeeds' },
  {
    number: '4000056655665556',
    brand: 'visa',
    names: ['pm_card_visa_debit'],
    outcome: attaches,
    purpose: 'Succeeds (debit)',
  },
  { number: '4000008260000000', brand: 'visa', names: ['pm_card_gb'], outcome: attaches, purpose: 'Succeeds (UK)' },
  {
    number: '4000058260000005',
    brand: 'visa',
    names: ['pm_card_gb_debit'],
    outcome: attaches,
    purpose: 'Succeeds (UK debit)',
  },
  {
    number: '5555555555554444',
    brand: 'mastercard',
    names: ['pm_card_mastercard'],
    outcome: attaches,
    purpose: 'Succeeds',
  },
  {
    number: '5200828282828210',
    brand: 'mastercard',
    names: ['pm_card_mastercard_debit'],
    outcome: attaches,
    purpose: 'Succeeds (debit)',
  },
  { number: '378282246310005', brand: 'amex', names: ['pm_card_amex'], outcome: attaches, purpose: 'Succeeds' },
  {
    number: '4000000000000341',
    brand: 'visa',
    names: ['pm_card_chargeCustomerFail'],
    outcome: {
      kind: 'attaches',
      laterDecline: { code: 'card_declined', declineCode: 'generic_decline', message: 'Your card was declined.' },
    },
    purpose: 'Card is saved, but later payments fail',
  },
  {
    number: '4000000000005126',
    brand: 'visa',
    names: ['pm_card_refundFail'],
    outcome: attaches,
    refundsFail: true,
    purpose: 'Succeeds; refunds fail later',
  },
  {
    number: '4000002500003155',
    brand: 'visa',
    names: ['pm_card_authenticationRequiredOnSetup'],
    outcome: { kind: 'asks-authentication', afterwards: attaches },
    purpose: 'Asks for authentication once',
  },
  {
    number: '4000002760003184',
    brand: 'visa',
    names: ['pm_card_authenticationRequired'],
    outcome: {
      kind: 'asks-authentication',
      afterwards: { kind: 'attaches', laterDecline: authenticationRequired },
    },
    purpose: 'Asks for authentication every time; later payments fail',
  },
  {
    number: '4000003800000446',
    brand: 'visa',
    names: ['pm_card_authenticationRequiredSetupForOffSession'],
    outcome: { kind: 'asks-authentication', afterwards: attaches },
    purpose: 'Asks for authentication when the tenant is present; later payments succeed',
  },
  {
    number: '4000000000003220',
    brand: 'visa',
    names: ['pm_card_threeDSecure2Required'],
    outcome: { kind: 'asks-authentication', afterwards: attaches },
    purpose: 'Asks for authentication (3D Secure 2)',
  },
  {
    number: '4000008260003178',
    brand: 'visa',
    names: ['pm_card_authenticationRequiredChargeDeclinedInsufficientFunds'],
    outcome: { kind: 'asks-authentication', afterwards: { kind: 'attaches', laterDecline: insufficientFunds } },
    purpose: 'Asks for authentication; later payments fail: insufficient funds',
  },
  {
    number: '4000008400001280',
    brand: 'visa',
    names: ['pm_card_threeDSecureRequiredProcessingError'],
    outcome: declined('generic_decline'),
    purpose: 'Declined: authentication cannot be looked up',
  },
  {
    number: '4000008400001629',
    brand: 'visa',
    names: ['pm_card_threeDSecureRequiredChargeDeclined'],
    outcome: { kind: 'asks-authentication', afterwards: declined('generic_decline') },
    purpose: 'Declined after authentication',
  },
  {
    number: '4000000000000002',
    brand: 'visa',
    names: ['pm_card_chargeDeclined', 'pm_card_visa_chargeDeclined'],
    outcome: declined('generic_decline'),
    purpose: 'Declined',
  },
  {
    number: '4000000000009995',
    brand: 'visa',
    names: ['pm_card_visa_chargeDeclinedInsufficientFunds', 'pm_card_chargeDeclinedInsufficientFunds'],
    outcome: declined('insufficient_funds', 'Your card has insufficient funds.'),
    purpose: 'Declined: insufficient funds',
  },
  {
    number: '4000000000009987',
    brand: 'visa',
    names: ['pm_card_visa_chargeDeclinedLostCard', 'pm_card_chargeDeclinedLostCard'],
    outcome: declined('lost_card'),
    purpose: 'Declined: lost card',
  },
  {
    number: '4000000000009979',
    brand: 'visa',
    names: ['pm_card_visa_chargeDeclinedStolenCard', 'pm_card_chargeDeclinedStolenCard'],
    outcome: declined('stolen_card'),
    purpose: 'Declined: stolen card',
  },
  {
    number: '4000000000000069',
    brand: 'visa',
    names: ['pm_card_chargeDeclinedExpiredCard'],
    outcome: declinedWith('expired_card', 'Your card has expired.'),
    purpose: 'Declined: expired',
  },
  {
    number: '4000000000000127',
    brand: 'visa',
    names: ['pm_card_chargeDeclinedIncorrectCvc'],
    outcome: declinedWith('incorrect_cvc', "Your card's security code is incorrect."),
    purpose: 'Declined: wrong security code',
  },
  {
    number: '4000000000006975',
    brand: 'visa',
    names: ['pm_card_visa_chargeDeclinedVelocityLimitExceeded', 'pm_card_chargeDeclinedVelocityLimitExceeded'],
    outcome: declined(
      'card_velocity_exceeded',
      'Your card was declined for making repeated attempts too frequently or exceeding its amount limit.',
    ),
    purpose: 'Declined: used too often',
  },
  {
    number: '4000000000000119',
    brand: 'visa',
    names: ['pm_card_chargeDeclinedProcessingError'],
    outcome: declinedWith(
      'processing_error',
      'An error occurred while processing your card. Try again in a little bit.',
    ),
    purpose: 'Declined: processing error',
  },
]

/** Every name that can be sent as a payment method. */
export const paymentMethodNames: readonly string[] = testCards.flatMap((card) => card.names)

export function findCardByName(name: string): TestCard | undefined {
  return testCards.find((card) => card.names.includes(name))
}

export function findCardByNumber(number: string): TestCard | undefined {
  return testCards.find((card) => card.number === number)
}

/** Finds a card by the last four digits of its number, which is all that is kept of an attached card. */
export function findCardByLast4(last4: string | undefined): TestCard | undefined {
  return testCards.find((card) => last4 !== undefined && card.number.endsWith(last4))
}

/** Why later payments from this card are declined; null if they succeed. */
export function getLaterDecline(outcome: CardOutcome): Decline | null {
  if (outcome.kind === 'declined') return outcome.decline
  if (outcome.kind === 'attaches') return outcome.laterDecline ?? null
  return outcome.afterwards.kind === 'declined' ? outcome.afterwards.decline : (outcome.afterwards.laterDecline ?? null)
}

import canonicalize from 'canonicalize'
import { type PlannedPayment, planForCustomer } from '../../payments/plan/plan-payments.ts'
import type { Queryable } from '../../platform/db/database.ts'
import { addDays, type IsoDate, londonDate } from '../../platform/kernel/dates.ts'
import { DomainError, type FieldError } from '../../platform/kernel/errors.ts'
import type { FieldCipher } from '../../platform/kernel/field-encryption.ts'
import type { BankHolidays } from '../../platform/kernel/working-days.ts'
import type { QuotePrice } from '../../quoting/pricing/price.ts'
import type { Quote } from '../../quoting/quotes/quote.ts'
import { requireOperation, requireProducts } from '../../quoting/quotes/quote-operations.ts'
import type { RateCard } from '../../quoting/rates/rate-card.ts'
import type { Customer } from '../../quoting/tenants/customer.ts'
import { requireNotErased, requireNotRemoved, requirePersonalInformation } from '../../quoting/tenants/load-customer.ts'
import type { ContractDependencies } from '../contract-dependencies.ts'
import type { AgreedTerms } from '../terms/agreed-terms.ts'
import { findTermsVersion } from '../terms/terms-versions.store.ts'
import {
  type Agreement,
  agreementOf,
  changedParts,
  hashOf,
  type PreviewedTerms,
  previewedPart,
  previewedTermsOf,
} from './agreement.ts'
import { findLastPreview, listPreviews, type PreviewRecord } from './previewed-terms.store.ts'

/** A plan that a tenant was shown stands while its first payment is at least this many days ahead. */
const daysAheadOfPreviewedPlan = 5

/**
 * The payment plan that the tenant would agree to today. It is the plan that they were shown last, as long as the price
 * and the dates are the same and its first payment is at least 5 days ahead. Otherwise it is planned anew from today.
 */
export function planToAgree(
  quote: Quote,
  price: QuotePrice,
  customer: Pick<Customer, 'customerId' | 'termsAcceptedAt'>,
  given: { today: IsoDate; bankHolidays: BankHolidays; shown: PreviewedTerms | undefined },
): readonly PlannedPayment[] {
  const { today, bankHolidays, shown } = given
  const [first] = shown?.plan ?? []
  if (shown !== undefined && first !== undefined && first.date >= addDays(today, daysAheadOfPreviewedPlan)) {
    const withPreviewedPlan = previewedTermsOf(price, customer.customerId, shown.plan)
    const { contractStartDate, contractEndDate, own } = shown
    const { plan } = withPreviewedPlan
    if (canonicalize(withPreviewedPlan) === canonicalize({ contractStartDate, contractEndDate, own, plan })) return plan
  }
  return planForCustomer(quote, price, customer, { today, bankHolidays })
}

/** What a tenant would agree to now, and what its documents are made from. */
export interface PreparedAgreement {
  quote: Quote
  customer: Customer
  price: QuotePrice
  card: RateCard
  plan: readonly PlannedPayment[]
  terms: AgreedTerms
  agreement: Agreement
  documentHash: string
  /** What the tenant was shown last; undefined if nothing. */
  lastPreview: PreviewRecord | undefined
}

/**
 * Works out what the tenant would agree to now. Preview and acceptance use the same function, so that what is shown is
 * what is agreed.
 */
export async function prepareAgreement(
  db: Queryable,
  deps: ContractDependencies,
  { quote, customer, now }: { quote: Quote; customer: Customer; now: Date },
): Promise<PreparedAgreement> {
  const { cipher, cards, bankHolidays, operator } = deps
  const { price } = quote
  if (price === null) throw new Error('the quote has packages but no price')
  const card = await cards.load(db, price.quotingToolVersionId)
  const terms = await termsOfQuote(db, deps.terms, quote)
  const lastPreview = await findLastPreview(db, cipher, customer)
  const plan = planToAgree(quote, price, customer, {
    today: londonDate(now),
    bankHolidays,
    shown: lastPreview?.content,
  })
  const agreement = agreementOf({ quote, price, customer, plan, card, operator, terms })
  return { quote, customer, price, card, plan, terms, agreement, documentHash: hashOf(agreement), lastPreview }
}

/** The version of the terms that was fixed when the quote locked; for an open quote, the current one. */
async function termsOfQuote(db: Queryable, current: AgreedTerms, { termsVersion }: Quote): Promise<AgreedTerms> {
  if (termsVersion === null || termsVersion === current.version) return current
  const fixed = await findTermsVersion(db, termsVersion)
  if (fixed === undefined) throw new Error(`version ${termsVersion} of the terms is not stored`)
  return fixed
}

/** The operator's settings for what must be shown before a tenant accepts. */
export interface PreviewPolicy {
  /** Whether a tenant who was shown nothing can accept: false for REQUIRE_PREVIEW=on. */
  acceptsUnseen: boolean
}

/**
 * Requires that the tenant agrees to what they were shown. With a documentHash, everything is compared; without one,
 * what the last payment schedule or preview showed of figures, dates and plan. Throws `terms_changed`, naming what
 * changed, and `terms_not_shown`.
 */
export async function requirePreviewedTerms(
  db: Queryable,
  cipher: FieldCipher,
  prepared: PreparedAgreement,
  given: { documentHash: string | undefined; policy: PreviewPolicy },
): Promise<void> {
  const { agreement, documentHash, lastPreview, customer } = prepared
  if (given.documentHash !== undefined) {
    if (given.documentHash === documentHash) return
    const shown = (await listPreviews(db, cipher, customer)).find((each) => each.documentHash === given.documentHash)
    if (shown === undefined) throw termsChanged([], 'No preview of this customer has this documentHash.')
    throw termsChanged(changedParts(shown.content, agreement))
  }
  if (lastPreview === undefined) {
    if (given.policy.acceptsUnseen) return
    throw termsNotShown()
  }
  const changed = changedParts(previewedPart(lastPreview.content), agreement)
  if (changed.length > 0) throw termsChanged(changed)
}

/** The error for a tenant who was shown nothing, where the operator requires it. */
export function termsNotShown(): DomainError {
  return new DomainError(
    'terms_not_shown',
    'The tenant was not shown what they would agree to. Show them a preview (GET /Customers/{id}/pci-preview-url-html), then accept with its documentHash.',
  )
}

function termsChanged(changed: readonly string[], problem?: string): DomainError {
  const what =
    problem ?? `Since the tenant was last shown what they would agree to, this has changed: ${changed.join(', ')}.`
  const detail = `${what} Show the tenant a new preview (GET /Customers/{id}/pci-preview-url-html) or payment schedule, then accept again.`
  const fields: FieldError[] = changed.map((part) => ({
    pointer: '/documentHash',
    code: 'terms_changed',
    detail: changed.length === 1 ? detail : `Changed: ${part}.`,
  }))
  return new DomainError('terms_changed', detail, { fields })
}

/** Throws unless the tenant could be shown what they would agree to: before acceptance, while the price stands. */
export function requirePreviewable(quote: Quote, customer: Customer, now: Date): void {
  requireNotErased(customer)
  requireNotRemoved(customer)
  if (customer.termsAcceptedAt !== null) {
    throw new DomainError(
      'already_onboarded',
      'This customer has accepted the terms. Read their contract with GET /Customers/{id}/pci-contract-url-html.',
    )
  }
  requireOperation(quote, 'preview', now)
  requirePersonalInformation(customer)
  requireProducts(quote)
}

import assert from 'node:assert/strict'
import { DomainError, type ErrorCode } from '../../src/platform/kernel/errors.ts'
import { type QuoteStage, type QuoteStatus, quoteStatus, type StepLabel } from '../../src/quoting/quotes/quote.ts'
import {
  type QuoteOperation,
  type QuoteState,
  requireOperation,
  statusAfterOperation,
} from '../../src/quoting/quotes/quote-operations.ts'
import type { ApiResponse, Partner } from '../support/client.ts'
import { personalInformation, sampleTenants } from '../support/household.ts'
import { createQuote } from '../support/quote-fixtures.ts'
import type { Reply } from '../support/response-types.ts'
import { succeeded } from '../support/responses.ts'

/**
 * A call that the walk can make: any operation except `complete`, which happens as part of `accept-terms`, or one of
 * two sandbox-only calls.
 */
export type Move = Exclude<QuoteOperation, 'complete'> | 'expire' | 'confirm'

/** A quote as read from the service, and what the walk remembers because the service does not show it. */
export interface WalkedQuote {
  quoteId: string
  /** The body of the response to GET /Quotes/{id}, byte for byte. */
  text: string
  stage: QuoteStage
  stepLabel: StepLabel
  expired: boolean
  selectedPackageIds: string[]
  broadbandProducts: unknown[]
  tenants: { tenantId: string; status: 'active' | 'PersonalInfoComplete' | 'OnboardingComplete' }[]
  /** The intent of each tenant who has begun the payment setup, and whether its card is attached. */
  intents: Map<string, { setupIntentId: string; attached: boolean }>
  householdComplete: boolean
  /** Whether the partner moved the first day, so that the lead tenant can no longer choose it. */
  isMoved: boolean
  /** The number of dates requested so far, so that each request uses a new date. */
  datesAsked: number
}

export async function startWalk(partner: Partner): Promise<WalkedQuote> {
  const { quoteId } = await createQuote(partner)
  const fresh = { quoteId, stepLabel: 'draft' as const, expired: false, intents: new Map(), datesAsked: 0 }
  return refetch(partner, {
    ...fresh,
    text: '',
    stage: 'open',
    selectedPackageIds: [],
    broadbandProducts: [],
    tenants: [],
    householdComplete: false,
    isMoved: false,
  })
}

/** Reads the quote again. */
export async function refetch(partner: Partner, known: WalkedQuote): Promise<WalkedQuote> {
  const answer = await partner.get(`/Quotes/${known.quoteId}`)
  const { status, selectedPackages, broadbandProducts, tenants, householdComplete } = succeeded(answer)
  const isStage = status === 'active' || status === 'completed' || status === 'cancelled'
  return {
    ...known,
    text: answer.text,
    stage: isStage ? status : 'open',
    stepLabel: isStage ? known.stepLabel : status,
    selectedPackageIds: selectedPackages.map(({ packageId }) => packageId),
    broadbandProducts,
    tenants,
    householdComplete,
  }
}

/** The first tenant who has not accepted the terms, or the first tenant if all have. */
function nextTenant({ tenants }: WalkedQuote) {
  return tenants.find(({ status }) => status !== 'OnboardingComplete') ?? tenants[0]
}

/**
 * Everything that decides which steps a quote can take next, apart from the step label. It is one string that begins
 * with the quote's stage.
 */
export function stateOf(quote: WalkedQuote): string {
  const { stage, expired, selectedPackageIds, broadbandProducts, tenants, intents } = quote
  const next = nextTenant(quote)
  const intent = next === undefined ? undefined : intents.get(next.tenantId)
  const household = [
    selectedPackageIds.length > 0 ? 'packages' : 'no packages',
    broadbandProducts.length > 0 ? 'products' : 'no products',
    next === undefined ? 'no tenants' : 'tenants',
  ]
  const progress = [
    expired && stage === 'open' ? 'expired' : 'not expired',
    next?.status ?? '',
    intent === undefined ? 'no intent' : intent.attached ? 'card' : 'intent',
    tenants.some(({ status }) => status === 'OnboardingComplete') ? 'some onboarded' : 'none onboarded',
  ]
  return [stage, ...household, ...(stage === 'cancelled' || stage === 'completed' ? [] : progress)].join(', ')
}

/** Makes the call. Returns undefined if the quote lacks the tenant or intent that the call needs. */
export async function attemptMove(partner: Partner, quote: WalkedQuote, move: Move): Promise<ApiResponse | undefined> {
  const path = `/Quotes/${quote.quoteId}`
  const tenant = nextTenant(quote)
  const customer = `/Customers/${tenant?.tenantId}`
  const intent = tenant === undefined ? undefined : quote.intents.get(tenant.tenantId)
  switch (move) {
    case 'get':
      return partner.get(path)
    case 'get-bb-install-dates':
    case 'total-cost':
      return partner.get(`${path}/${move}`)
    case 'estimate':
      return partner.get(`${path}/${move}?tenants=2`)
    case 'select-install-date': {
      const { body } = await partner.get(`${path}/get-bb-install-dates`)
      const { earliestDate = '2027-01-04' } = body as { earliestDate?: string }
      return partner.post(`${path}/${move}`, { date: earliestDate })
    }
    case 'add-packages':
      return partner.post(`${path}/${move}`, { packageIds: ['gas-standard'] })
    case 'update-packages':
      return partner.post(`${path}/${move}`, { packageIds: ['electricity-standard'] })
    case 'add-tenants':
      return partner.post(`${path}/${move}`, { tenants: sampleTenants(2, quote.tenants.length + 1) })
    case 'add-broadband-products':
      return partner.post(`${path}/${move}`, { broadbandProducts: ['fibre-67'] })
    case 'set-household-complete':
      return partner.patch(path, { householdComplete: !quote.householdComplete })
    case 'set-tenancy':
      return partner.patch(path, { tenancy: { students: true } })
    case 'set-meter':
      return partner.patch(path, { meter: { smart: true } })
    case 'cancel':
    case 'reopen':
      return partner.post(`${path}/${move}`)
    case 'move-start':
      return partner.post(`${path}/${move}`, { contractStartDate: dayOfMonth(3, quote) })
    case 'expire':
      return partner.post(`/Sandbox/quotes/${quote.quoteId}/expire`)
  }
  if (tenant === undefined) return undefined
  switch (move) {
    case 'remove-tenants':
      return partner.post(`${path}/${move}`, { tenantIds: quote.tenants.map(({ tenantId }) => tenantId) })
    case 'finalise':
      return partner.post(`${customer}/finalise-personal-information`, informationOf(tenant.tenantId))
    case 'set-dates': {
      const [lead = tenant] = quote.tenants
      const body = { ...informationOf(lead.tenantId), contractStartDate: dayOfMonth(2, quote) }
      return partner.post(`/Customers/${lead.tenantId}/finalise-personal-information`, body)
    }
    case 'preview':
      return partner.get(`${customer}/pci-preview-url-html`)
    case 'payment-schedules':
      return partner.get(`${customer}/${move}`)
    case 'create-setup-intent':
    case 'accept-terms':
      return partner.post(`${customer}/${move}`)
    case 'confirm':
      if (intent === undefined) return undefined
      return partner.post(`/Sandbox/setup-intents/${intent.setupIntentId}/confirm`, { paymentMethod: 'pm_card_visa' })
  }
}

function dayOfMonth(month: number, { datesAsked }: WalkedQuote): string {
  return `2027-0${month}-${String(1 + (datesAsked % 28)).padStart(2, '0')}`
}

function informationOf(tenantId: string): Record<string, unknown> {
  return personalInformation({ email: `${tenantId}@example.com` })
}

/**
 * The expected error: the one that the table gives or, if it gives none, that of a rule about the customer. Undefined
 * for success.
 */
export function expectedError(quote: WalkedQuote, move: Move, now: Date): ErrorCode | undefined {
  const tenant = nextTenant(quote)
  const table = (operation: QuoteOperation) => tableError(quote, operation, now)
  switch (move) {
    case 'confirm':
      return undefined
    case 'expire':
      if (quote.stage === 'cancelled') return 'quote_cancelled'
      return quote.stage === 'completed' ? 'quote_locked' : undefined
    case 'set-dates':
      return (
        table('finalise') ??
        onboardedError(quote.tenants[0]) ??
        table('set-dates') ??
        (quote.isMoved ? 'validation_failed' : undefined)
      )
    case 'finalise':
      return table(move) ?? onboardedError(tenant)
    case 'preview':
      if (tenant?.status === 'OnboardingComplete') return 'already_onboarded'
      return table(move) ?? (tenant?.status === 'active' ? 'personal_information_required' : undefined)
    case 'payment-schedules':
    case 'create-setup-intent':
      return table(move) ?? (tenant?.status === 'active' ? 'personal_information_required' : undefined)
    case 'accept-terms': {
      if (tenant?.status === 'OnboardingComplete') return undefined
      const isAttached = tenant !== undefined && quote.intents.get(tenant.tenantId)?.attached === true
      return table(move) ?? (isAttached ? undefined : 'payment_setup_incomplete')
    }
    default:
      return table(move)
  }
}

function onboardedError(tenant: WalkedQuote['tenants'][number] | undefined): ErrorCode | undefined {
  return tenant?.status === 'OnboardingComplete' ? 'already_onboarded' : undefined
}

function tableError(quote: WalkedQuote, operation: QuoteOperation, now: Date): ErrorCode | undefined {
  // total-cost renews an expired quote before it checks its other preconditions.
  const isExpired = quote.expired && operation !== 'total-cost'
  const later = new Date(now.getTime() + 1)
  const state: QuoteState = {
    ...quote,
    expiresAt: isExpired ? new Date(now.getTime() - 1) : later,
  }
  try {
    requireOperation(state, operation, now)
    return undefined
  } catch (error) {
    assert.ok(error instanceof DomainError)
    return error.code
  }
}

/**
 * The operations that a successful move performed. When the last tenant accepts the terms, `complete` is performed as
 * well.
 */
export function performedOperations(before: WalkedQuote, move: Move): QuoteOperation[] {
  if (move === 'expire') return before.stage === 'active' ? ['reopen'] : []
  if (move === 'confirm') return []
  const left = before.tenants.filter(({ status }) => status !== 'OnboardingComplete')
  return move === 'accept-terms' && left.length === 1 ? ['accept-terms', 'complete'] : [move]
}

/**
 * The status that the table predicts after a successful move. Of `after`, it uses only the tenants and the selected
 * packages.
 */
export function expectedStatus(before: WalkedQuote, move: Move, after: WalkedQuote): QuoteStatus {
  const { tenants, selectedPackageIds } = after
  let { stage, stepLabel } = before
  for (const operation of performedOperations(before, move)) {
    ;({ stage, stepLabel } = statusAfterOperation({ stage, stepLabel, tenants, selectedPackageIds }, operation))
  }
  return quoteStatus({ stage, stepLabel })
}

/** Returns the quote, updated with the effects of a successful move that cannot be seen by reading the quote. */
export function withHiddenChanges(before: WalkedQuote, move: Move, answer: ApiResponse): WalkedQuote {
  const tenantId = nextTenant(before)?.tenantId ?? ''
  const intents = new Map(before.intents)
  if (move === 'create-setup-intent') {
    const { setupIntentId } = answer.body as Reply<'POST', '/Customers/{id}/create-setup-intent'>
    intents.set(tenantId, { setupIntentId, attached: intents.get(tenantId)?.attached ?? false })
  }
  if (move === 'confirm') {
    const { setupIntentId, status } = answer.body as Reply<'POST', '/Sandbox/setup-intents/{id}/confirm'>
    if (status === 'succeeded') intents.set(tenantId, { setupIntentId, attached: true })
  }
  const isReopened = move === 'reopen' || move === 'move-start'
  if (isReopened || move === 'cancel' || (move === 'expire' && before.stage === 'active')) {
    for (const [id, { attached }] of intents) if (!attached) intents.delete(id)
  }
  if (move === 'remove-tenants') intents.clear()
  return {
    ...before,
    intents,
    expired: move === 'expire' || (before.expired && move !== 'total-cost' && move !== 'move-start'),
    isMoved: before.isMoved || move === 'move-start',
    datesAsked: before.datesAsked + (move === 'set-dates' || move === 'move-start' ? 1 : 0),
  }
}

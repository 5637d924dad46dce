import { DomainError, type ErrorCode } from '../../kernel/errors.ts'
import { isExpired, type Quote, type QuoteStage, type StepLabel } from './quote.ts'

/** What of a quote decides which operations are possible. */
export type QuoteStanding = Pick<Quote, 'stage' | 'stepLabel' | 'expiresAt' | 'selectedPackageIds'> & {
  broadbandProducts: readonly unknown[]
  tenants: readonly Pick<Quote['tenants'][number], 'status'>[]
}

/** What an operation needs of the quote. Checked in this order; the first that fails names the error. */
const facts = {
  'not expired': { holds: (quote, now) => !isExpired(quote, now), code: 'quote_expired' },
  'has packages': { holds: (quote) => quote.selectedPackageIds.length > 0, code: 'packages_required' },
  'has tenants': { holds: (quote) => quote.tenants.length > 0, code: 'tenants_required' },
  'has broadband products': {
    holds: (quote) => quote.broadbandProducts.length > 0,
    code: 'broadband_products_required',
  },
  'nobody onboarded': {
    holds: (quote) => quote.tenants.every((tenant) => tenant.status !== 'OnboardingComplete'),
    code: 'already_onboarded',
  },
} as const satisfies Record<string, { holds: (quote: QuoteStanding, now: Date) => boolean; code: ErrorCode }>

type Fact = keyof typeof facts

interface OperationRule {
  /** The stages the operation is possible in. */
  stages: readonly QuoteStage[]
  needs: readonly Fact[]
  /** What the quote's label becomes; absent where the operation leaves it. */
  label?: StepLabel | 'the last one that holds'
  stage?: Exclude<QuoteStage, 'open'> | 'reopened'
}

const open: readonly QuoteStage[] = ['open']
const alive: readonly QuoteStage[] = ['open', 'active', 'completed']
const always: readonly QuoteStage[] = ['open', 'active', 'completed', 'cancelled']

/**
 * Every operation on a quote, when it is possible and how it changes the status: the spec's "States and transitions" as
 * docs/api-behaviour.md#quote-status reads it. A test walks this table.
 */
// biome-ignore format: it is read as a table
export const quoteOperations = {
  get: { stages: always, needs: [] },
  'add-packages': { stages: open, needs: ['not expired'], label: 'PackagesSelected' },
  'update-packages': { stages: open, needs: [], label: 'PackagesUpdated' },
  'add-tenants': { stages: open, needs: ['not expired'], label: 'TenantsAdded' },
  'remove-tenants': { stages: open, needs: [], label: 'the last one that holds' },
  'add-broadband-products': { stages: open, needs: ['not expired'], label: 'BroadbandAdded' },
  'get-bb-install-dates': { stages: always, needs: ['has broadband products'] },
  'total-cost': { stages: always, needs: ['has packages', 'has tenants'] },
  'set-dates': { stages: open, needs: [] },
  finalise: { stages: alive, needs: [] },
  'payment-schedules': { stages: alive, needs: ['not expired', 'has packages'] },
  'create-setup-intent': { stages: alive, needs: ['not expired', 'has packages'], stage: 'active' },
  'accept-terms': { stages: ['active', 'completed'], needs: ['has packages'] },
  complete: { stages: ['active'], needs: [], stage: 'completed' },
  cancel: { stages: ['open', 'active'], needs: ['nobody onboarded'], stage: 'cancelled' },
  reopen: { stages: ['active'], needs: ['nobody onboarded'], stage: 'reopened' },
} as const satisfies Record<string, OperationRule>

export type QuoteOperation = keyof typeof quoteOperations

/** Throws the refusal that names the remedy where the quote does not allow the operation now. */
export function requireOperation(quote: QuoteStanding, operation: QuoteOperation, now: Date): void {
  const rule: OperationRule = quoteOperations[operation]
  if (!rule.stages.includes(quote.stage)) throw wrongStage(quote, operation)
  for (const need of rule.needs) {
    if (!facts[need].holds(quote, now)) throw new DomainError(facts[need].code, remedies[need])
  }
}

/** The stage and label after the operation; `quote` has its tenants and packages as the operation leaves them. */
export function afterOperation(
  quote: Pick<QuoteStanding, 'stage' | 'stepLabel' | 'tenants' | 'selectedPackageIds'>,
  operation: QuoteOperation,
): Pick<Quote, 'stage' | 'stepLabel'> {
  const rule: OperationRule = quoteOperations[operation]
  if (rule.stage === 'reopened') return { stage: 'open', stepLabel: quote.stepLabel }
  if (rule.stage === 'active' && quote.stage !== 'open') return { stage: quote.stage, stepLabel: quote.stepLabel }
  const stepLabel = rule.label === 'the last one that holds' ? labelThatHolds(quote) : (rule.label ?? quote.stepLabel)
  return { stage: rule.stage ?? quote.stage, stepLabel }
}

/** The label stays that of the last step, except that a quote nobody is on cannot say TenantsAdded. */
function labelThatHolds(quote: Pick<QuoteStanding, 'stepLabel' | 'tenants' | 'selectedPackageIds'>): StepLabel {
  if (quote.tenants.length > 0 || quote.stepLabel !== 'TenantsAdded') return quote.stepLabel
  return quote.selectedPackageIds.length > 0 ? 'PackagesSelected' : 'draft'
}

const remedies: Record<Fact, string> = {
  'not expired': 'The quote has expired. Call GET /Quotes/{id}/total-cost to fetch new prices and extend the expiry.',
  'has packages': 'The quote has no packages. First select some with POST /Quotes/{id}/add-packages.',
  'has tenants': 'The quote has no tenants. First add them with POST /Quotes/{id}/add-tenants.',
  'has broadband products':
    'The quote has no broadband products. First add one with POST /Quotes/{id}/add-broadband-products.',
  'nobody onboarded':
    'A tenant of this quote has accepted the terms, so the quote can no longer be cancelled or reopened.',
}

function wrongStage(quote: QuoteStanding, operation: QuoteOperation): DomainError {
  if (quote.stage === 'cancelled')
    return new DomainError('quote_cancelled', 'The quote was cancelled. Create a new one with POST /Quotes.')
  if (operation === 'accept-terms') {
    return new DomainError(
      'payment_setup_incomplete',
      'The quote is open, so payment is not set up. First call POST /Customers/{id}/create-setup-intent.',
    )
  }
  if (operation === 'reopen' && quote.stage === 'open') {
    return new DomainError('validation_failed', 'The quote is already open. Only an active quote can be reopened.')
  }
  if (operation === 'cancel' || operation === 'reopen')
    return new DomainError('already_onboarded', remedies['nobody onboarded'])
  return new DomainError(
    'quote_locked',
    'A tenant has started to set up payment, so the quote is locked. POST /Quotes/{id}/reopen unlocks it, unless a tenant has completed onboarding.',
  )
}

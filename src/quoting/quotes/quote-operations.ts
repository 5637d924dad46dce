import { DomainError, type ErrorCode } from '../../platform/kernel/errors.ts'
import type { QuotePrice } from '../pricing/price.ts'
import { isExpired, type Quote, type QuoteStage, type StepLabel } from './quote.ts'

/** The parts of a quote that determine which operations are allowed. */
export type QuoteState = Pick<Quote, 'stage' | 'stepLabel' | 'expiresAt' | 'selectedPackageIds' | 'takingOver'> & {
  broadbandProducts: readonly unknown[]
  tenants: readonly Pick<Quote['tenants'][number], 'status'>[]
}

/**
 * The requirements that an operation can have. They are checked in this order, and the first one that is not met
 * determines the error code.
 */
const requirements = {
  'share to take over': { isMet: (quote) => quote.takingOver?.isPossible !== false, code: 'replacement_not_possible' },
  'not expired': { isMet: (quote, now) => !isExpired(quote, now), code: 'quote_expired' },
  'has packages': { isMet: (quote) => quote.selectedPackageIds.length > 0, code: 'packages_required' },
  'has tenants': { isMet: (quote) => quote.tenants.length > 0, code: 'tenants_required' },
  'has broadband products': {
    isMet: (quote) => quote.broadbandProducts.length > 0,
    code: 'broadband_products_required',
  },
} as const satisfies Record<string, { isMet: (quote: QuoteState, now: Date) => boolean; code: ErrorCode }>

type Requirement = keyof typeof requirements

interface OperationRule {
  /** The stages in which the operation is allowed. */
  stages: readonly QuoteStage[]
  needs: readonly Requirement[]
  /** The quote's new label; absent if the operation does not change it. */
  label?: StepLabel | 'keep, unless it is TenantsAdded and no tenants are left'
  stage?: Exclude<QuoteStage, 'open'> | 'reopened'
}

const open: readonly QuoteStage[] = ['open']
const alive: readonly QuoteStage[] = ['open', 'active', 'completed']
const always: readonly QuoteStage[] = ['open', 'active', 'completed', 'cancelled']

/**
 * When each operation on a quote is allowed, and how it changes the status: the spec's "States and transitions" as
 * interpreted in docs/api-behaviour.md#quote-status. A test covers every row of this table.
 * @internal Tests walk the table.
 */
// biome-ignore format: aligned as a table
export const quoteOperations = {
  get: { stages: always, needs: [] },
  'add-packages': { stages: open, needs: ['not expired'], label: 'PackagesSelected' },
  'update-packages': { stages: open, needs: [], label: 'PackagesUpdated' },
  'add-tenants': { stages: open, needs: ['not expired'], label: 'TenantsAdded' },
  'remove-tenants': { stages: open, needs: [], label: 'keep, unless it is TenantsAdded and no tenants are left' },
  'add-broadband-products': { stages: open, needs: ['not expired'], label: 'BroadbandAdded' },
  'select-install-date': { stages: open, needs: ['not expired', 'has broadband products'] },
  'get-bb-install-dates': { stages: always, needs: ['has broadband products'] },
  'total-cost': { stages: always, needs: ['has packages', 'has tenants'] },
  estimate: { stages: alive, needs: ['has packages'] },
  'set-household-complete': { stages: open, needs: [] },
  'set-dates': { stages: open, needs: [] },
  'set-tenancy': { stages: alive, needs: [] },
  'set-meter': { stages: ['open', 'active'], needs: [] },
  finalise: { stages: alive, needs: [] },
  preview: { stages: ['open', 'active'], needs: ['share to take over', 'not expired', 'has packages'] },
  'payment-schedules': { stages: alive, needs: ['share to take over', 'not expired', 'has packages'] },
  'create-setup-intent': { stages: alive, needs: ['share to take over', 'not expired', 'has packages'], stage: 'active' },
  'accept-terms': { stages: alive, needs: ['share to take over', 'not expired', 'has packages'], stage: 'active' },
  complete: { stages: ['active'], needs: [], stage: 'completed' },
  cancel: { stages: ['open', 'active'], needs: [], stage: 'cancelled' },
  reopen: { stages: ['active'], needs: [], stage: 'reopened' },
  'move-start': { stages: alive, needs: ['has packages'], stage: 'reopened' },
} as const satisfies Record<string, OperationRule>

export type QuoteOperation = keyof typeof quoteOperations

/** Throws if the operation is not allowed on the quote at present. The error explains what to do. */
export function requireOperation(quote: QuoteState, operation: QuoteOperation, now: Date): void {
  const rule: OperationRule = quoteOperations[operation]
  if (!rule.stages.includes(quote.stage)) throw wrongStage(quote, operation)
  for (const need of rule.needs) {
    if (!requirements[need].isMet(quote, now)) throw new DomainError(requirements[need].code, remedies[need])
  }
}

/** Whether the price is of nothing but broadband without a main line. Add-ons alone cannot be supplied. */
export function lacksProducts({ lines, notIncluded }: Pick<QuotePrice, 'lines' | 'notIncluded'>): boolean {
  return notIncluded !== undefined && lines.length === 0
}

/**
 * Throws `broadband_products_required` if the quote has nothing but broadband without a main line, so that there is
 * nothing to agree to. Beside other services such broadband is left out of the contract, which says so.
 */
export function requireProducts({ price }: Pick<Quote, 'price'>): void {
  if (price === null || !lacksProducts(price)) return
  throw new DomainError(
    'broadband_products_required',
    'The quote has only broadband, without a main line, and add-ons need one. Add a line with POST /Quotes/{id}/add-broadband-products, or add another package with add-packages.',
  )
}

/**
 * The quote's stage and step label after the operation. Pass the quote with its tenants and packages already changed.
 */
export function statusAfterOperation(
  quote: Pick<QuoteState, 'stage' | 'stepLabel' | 'tenants' | 'selectedPackageIds'>,
  operation: QuoteOperation,
): Pick<Quote, 'stage' | 'stepLabel'> {
  const rule: OperationRule = quoteOperations[operation]
  if (rule.stage === 'reopened') return { stage: 'open', stepLabel: quote.stepLabel }
  if (rule.stage === 'active' && quote.stage !== 'open') return { stage: quote.stage, stepLabel: quote.stepLabel }
  const stepLabel =
    rule.label === 'keep, unless it is TenantsAdded and no tenants are left'
      ? labelWithoutStaleTenants(quote)
      : (rule.label ?? quote.stepLabel)
  return { stage: rule.stage ?? quote.stage, stepLabel }
}

/**
 * Returns the current step label, or an earlier one if the label is TenantsAdded and the quote no longer has tenants.
 */
function labelWithoutStaleTenants(quote: Pick<QuoteState, 'stepLabel' | 'tenants' | 'selectedPackageIds'>): StepLabel {
  if (quote.tenants.length > 0 || quote.stepLabel !== 'TenantsAdded') return quote.stepLabel
  return quote.selectedPackageIds.length > 0 ? 'PackagesSelected' : 'draft'
}

const remedies: Record<Requirement, string> = {
  'share to take over':
    'The tenant who leaves has no contract any more that could be taken over. Withdraw the replacement with POST /Customers/{id}/withdraw-replacement.',
  'not expired':
    'The quote has expired. Call GET /Quotes/{id}/total-cost to fetch new prices and extend the expiry. If too little of the contract is left for that, the call says so: then create a new quote.',
  'has packages': 'The quote has no packages. First select some with POST /Quotes/{id}/add-packages.',
  'has tenants': 'The quote has no tenants. First add them with POST /Quotes/{id}/add-tenants.',
  'has broadband products':
    'The quote has no broadband products. First add one with POST /Quotes/{id}/add-broadband-products.',
}

function wrongStage(quote: QuoteState, operation: QuoteOperation): DomainError {
  if (quote.stage === 'cancelled')
    return new DomainError('quote_cancelled', 'The quote was cancelled. Create a new one with POST /Quotes.')
  if (operation === 'reopen' && quote.stage === 'open') {
    return new DomainError('validation_failed', 'The quote is already open. Only an active quote can be reopened.')
  }
  if (operation === 'cancel' || operation === 'reopen')
    return new DomainError(
      'already_onboarded',
      'Every tenant has accepted, so the quote can no longer be cancelled or reopened. Cancel or end each contract instead: POST /Customers/{id}/cancel-contract or end-contract.',
    )
  if (quote.stage === 'completed')
    return new DomainError(
      'quote_locked',
      'Every tenant has accepted, so the quote can no longer change. To replace a tenant, use POST /Customers/{id}/replacements.',
    )
  return new DomainError(
    'quote_locked',
    'A tenant has started to set up payment, so the quote is locked. Unlock it with POST /Quotes/{id}/reopen.',
  )
}

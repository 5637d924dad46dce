import { type ContractStatus, isBinding, mayBecome } from '../../src/contracts/contract.ts'
import type { CostFigures } from '../../src/quoting/pricing/price.ts'
import { maxTenants } from '../../src/quoting/quote-limits.ts'
import { quoteStatus } from '../../src/quoting/quotes/quote.ts'
import type { StoredContract, StoredCustomer, StoredEvent, StoredQuote, StoredState } from './stored-state.ts'

/*
 * Conditions that hold in the database at any moment, whatever requests were sent, in whatever order, and at whatever
 * point the service was killed. The state is read in one transaction (`stored-state.ts`), so it can be checked while
 * requests are running.
 */

const figures = [
  'weeklyCost',
  'monthlyCost',
  'yearlyCost',
  'totalCost',
  'totalNet',
  'totalVat',
  'setupCost',
  'setupNet',
  'setupVat',
] as const satisfies readonly (keyof CostFigures)[]

/** One sentence for each broken invariant; empty if there is none. */
export function brokenInvariants(state: StoredState): string[] {
  const everybodyOf = Map.groupBy(state.customers, ({ quoteId }) => quoteId)
  const eventsOf = Map.groupBy(state.events, ({ quoteId }) => quoteId)
  return [
    ...state.violations,
    ...state.quotes.flatMap((quote) => {
      const everybody = everybodyOf.get(quote.quoteId) ?? []
      const tenants = everybody.filter(({ hasLeft, takesOver }) => !hasLeft && !takesOver)
      return [
        ...brokenSums(quote, tenants),
        ...brokenHousehold(quote, tenants),
        ...brokenHistory(quote, everybody, eventsOf.get(quote.quoteId) ?? []),
      ].map((what) => `${quote.quoteId}: ${what}`)
    }),
    ...state.customers.flatMap((customer) => brokenCustomer(customer).map((what) => `${customer.customerId}: ${what}`)),
  ]
}

/** Checks that shares sum to totals and belong to the current tenants. */
function brokenSums({ price, packages }: StoredQuote, tenants: readonly StoredCustomer[]): string[] {
  if (price === null) return packages.length === 0 ? [] : ['the quote has packages but no price']
  const broken = figures.flatMap((figure) => {
    const sum = (parts: readonly CostFigures[]) => parts.reduce((total, part) => total + part[figure], 0)
    return [
      ...(sum(price.lines) === price[figure] ? [] : [`the lines do not sum to ${figure}`]),
      ...(price.shares.length === 0 || sum(price.shares) === price[figure]
        ? []
        : [`the shares do not sum to ${figure}`]),
      ...price.shares
        .filter((share) => sum(share.lines) !== share[figure])
        .map(({ tenantId }) => `the lines of ${tenantId} do not sum to ${figure}`),
    ]
  })
  const shared = price.shares.map(({ tenantId }) => tenantId).join()
  if (shared !== tenants.map(({ customerId }) => customerId).join()) broken.push('the shares belong to other tenants')
  return broken
}

function brokenHousehold({ stage, hasLock }: StoredQuote, tenants: readonly StoredCustomer[]): string[] {
  const onboarded = tenants.filter(({ status }) => status === 'OnboardingComplete').length
  const isLocked = stage === 'active' || stage === 'completed'
  // A contract that took effect may have been cancelled since.
  const allTookEffect = tenants.every(({ contracts }) => contracts.some(({ isEffective }) => isEffective))
  return [
    hasLock !== (stage === 'active') && `the quote is ${stage}, with a lock: ${hasLock}`,
    stage === 'completed' && !allTookEffect && 'the quote is completed but the contract of a share never took effect',
    stage !== 'completed' &&
      tenants.some(({ contracts }) => contracts.some(({ isEffective }) => isEffective)) &&
      `a contract took effect although the quote is ${stage}`,
    tenants.length > maxTenants && `${tenants.length} tenants`,
    !isLocked && onboarded > 0 && `a tenant has accepted the terms although the quote is ${stage}`,
    isLocked &&
      tenants.every(({ intents }) => intents === 0) &&
      `the quote is ${stage} but no tenant has begun payment setup`,
    (stage === 'completed') !== (tenants.length > 0 && onboarded === tenants.length) &&
      `the quote is ${stage}, with ${onboarded} of ${tenants.length} onboarded`,
  ].filter((what) => what !== false)
}

function brokenCustomer(customer: StoredCustomer): string[] {
  const { status, paymentStatus, hasLeft, contracts, intents, openIntents, processorCustomers, processorIntents } =
    customer
  return [
    openIntents > 1 && `${openIntents} open setup intents`,
    processorIntents > 1 && `${processorIntents} open setup intents at the processor`,
    processorCustomers > 1 && `${processorCustomers} customers at the processor`,
    (status === 'OnboardingComplete' ? 1 : 0) !==
      contracts.filter((each) => isBinding(each) || each.isEffective).length &&
      `${status}, contracts: ${contracts.map((contract) => contract.status)}`,
    contracts.some(({ hasDocuments }) => !hasDocuments) && 'a contract without documents',
    hasLeft && contracts.length === 0 && 'kept after leaving the quote, but without a contract',
    !hasLeft && paymentStatus !== 'not_started' && intents === 0 && `${paymentStatus} without a setup intent`,
    status === 'OnboardingComplete' &&
      !['ready', 'paid', 'failed'].includes(paymentStatus) &&
      `${status} and ${paymentStatus}`,
    status === 'active' && intents > 0 && 'a setup intent without personal information',
  ].filter((what) => what !== false)
}

/** Checks that the events form a chain without gaps that ends in the current state of the quote and its tenants. */
function brokenHistory(
  quote: StoredQuote,
  tenants: readonly StoredCustomer[],
  events: readonly StoredEvent[],
): string[] {
  const status = follow(events, 'quote.status.changed', null, ({ data }) => [data.previousStatus, data.status])
  const broken = status.broken.map((what) => `quote.status.changed: ${what}`)
  if (status.now !== quoteStatus(quote))
    broken.push(`the quote is ${quoteStatus(quote)} but its events say ${status.now}`)
  for (const { customerId, ...tenant } of tenants) {
    const own = events.filter(({ data }) => data.customerId === customerId)
    const onboarding = follow(own, 'customer.status.changed', 'active', ({ data }) => [
      data.previousStatus,
      data.status,
    ])
    const payment = follow(own, 'customer.payment.updated', 'not_started', ({ data }) => [
      data.previousPaymentStatus,
      data.paymentStatus,
    ])
    broken.push(...[...onboarding.broken, ...payment.broken].map((what) => `${customerId}: ${what}`))
    if (onboarding.now !== tenant.status)
      broken.push(`${customerId} is ${tenant.status} but the events say ${onboarding.now}`)
    if (payment.now !== tenant.paymentStatus)
      broken.push(`${customerId} is ${tenant.paymentStatus} but the events say ${payment.now}`)
  }
  return [...broken, ...tenants.flatMap(({ contracts }) => contracts).flatMap((each) => brokenContract(each, events))]
}

/** Checks that a contract's events form a chain of allowed moves that ends in its status. */
function brokenContract({ contractNumber, status }: StoredContract, events: readonly StoredEvent[]): string[] {
  const own = events.filter(({ data }) => data.contractNumber === contractNumber)
  const history = follow(own, 'customer.contract.changed', null, ({ data }) => [data.previousStatus, data.status])
  const moves = own.map(
    ({ data }) => [data.previousStatus ?? null, data.status] as [ContractStatus | null, ContractStatus],
  )
  const forbidden = moves.filter(([from, to]) => from !== null && !mayBecome[from].includes(to))
  return [
    ...history.broken,
    ...forbidden.map(([from, to]) => `a contract moved from ${from} to ${to}`),
    ...(history.now === status ? [] : [`${contractNumber} is ${status} but the events say ${history.now}`]),
  ]
}

type Step = [previous: string | null | undefined, next: string | null | undefined]

function follow(
  events: readonly StoredEvent[],
  type: string,
  start: string | null,
  stepOf: (event: StoredEvent) => Step,
): { now: string | null; broken: string[] } {
  let now = start
  const broken: string[] = []
  for (const event of events.filter((each) => each.type === type)) {
    const [previous = null, next = null] = stepOf(event)
    if (previous !== now)
      broken.push(`${event.eventId} gives ${previous} as the previous status, but the status was ${now}`)
    now = next
  }
  return { now, broken }
}

import { join } from 'node:path'
import { type ContractFiles, prepareFolder } from './fetch-contracts.ts'
import { inventHousehold } from './household.ts'
import { type CardNeeded, onboardTenant } from './onboard-tenant.ts'
import { pounds } from './pounds.ts'
import { type HouseholdWish, priceHousehold } from './price-household.ts'
import { QuoteReply } from './replies.ts'
import { type Listener, Walker } from './walker.ts'

export interface JourneyOptions extends Omit<HouseholdWish, 'household'> {
  /** Without /partner-api and without a slash at its end. */
  baseUrl: string
  /** 1 to 12. */
  tenants: number
  /** The folder the contracts are saved under. */
  out: string
}

export interface JourneyResult {
  /** `card_needed`: no call can enter a card at this deployment, so the journey ends where a tenant does. */
  outcome: 'completed' | 'card_needed'
  /** Null where it was completed. */
  cardNeeded: CardNeeded | null
  quoteId: string
  monthlyCost: number
  totalCost: number
  setupCost: number
  contracts: ({ customerId: string; name: string; totalCost: number } & ContractFiles)[]
}

/**
 * Goes through the specification's typical order of use against a deployment, as a partner's program would, and checks
 * on its way that all the money agrees. Throws StepFailed at the first step that is refused or
 * wrong, Refused where the contracts cannot be saved.
 */
export async function runJourney(options: JourneyOptions, listener: Listener): Promise<JourneyResult> {
  await prepareFolder(options.out)
  const walker = new Walker(options.baseUrl, listener)
  const household = inventHousehold(options.tenants)
  const { quoteId, tenants, cost } = await priceHousehold(walker, { ...options, household })
  const { monthlyCost, totalCost, setupCost } = cost
  const result: JourneyResult = {
    outcome: 'completed',
    cardNeeded: null,
    quoteId,
    monthlyCost,
    totalCost,
    setupCost,
    contracts: [],
  }
  for (const [index, person] of household.entries()) {
    const tenant = tenants[index]
    const element = cost.costBreakdown.find(({ tenantId }) => tenantId === tenant?.tenantId)
    if (tenant === undefined || element === undefined) throw new Error('every tenant has a share: it was checked')
    const { tenantId: customerId, name, isLead } = tenant
    walker.turnTo({ customerId, heading: `${name}, tenant ${index + 1} of ${tenants.length}${isLead ? ', lead' : ''}` })
    const agreedBefore = result.contracts.reduce((sum, contract) => sum + contract.totalCost, 0)
    const onboarded = await onboardTenant(walker, {
      element,
      person,
      agreed: (own) => `${pounds(agreedBefore + own)} of ${pounds(totalCost)} agreed`,
      saveAs: (format) => join(options.out, quoteId, `tenant-${index + 1}.${format}`),
    })
    if ('cardNeeded' in onboarded) return { ...result, outcome: 'card_needed', cardNeeded: onboarded.cardNeeded }
    result.contracts.push({ customerId, name, totalCost: element.totalCost, ...onboarded.files })
  }
  walker.turnTo()
  await readCompletedQuote(walker, quoteId)
  return result
}

async function readCompletedQuote(walker: Walker, quoteId: string): Promise<void> {
  await walker.step({
    name: 'Read the quote',
    method: 'GET',
    path: `/Quotes/${quoteId}`,
    reply: QuoteReply,
    check: ({ status }) =>
      status === 'completed' ? [] : [`the quote is ${status}, but every tenant has completed onboarding`],
    brief: ({ status }) => status,
  })
}

import { join } from 'node:path'
import { inventTenants } from '../../../clients/typescript/src/sandbox-household.ts'
import { type ContractFiles, prepareFolder } from './fetch-contracts.ts'
import { type CardNeeded, onboardTenant } from './onboard-tenant.ts'
import { type HouseholdOptions, priceHousehold } from './price-household.ts'
import { type Listener, pounds, StepRunner } from './step-runner.ts'

export interface JourneyOptions extends Omit<HouseholdOptions, 'household'> {
  /** The deployment's address, without /partner-api and without a trailing slash. */
  baseUrl: string
  /** The number of tenants, from 1 to 12. */
  tenants: number
  /** The folder in which to save the contracts. */
  out: string
}

export interface JourneyResult {
  /** `card_needed`: the journey ended where a card is needed, because no operation of this deployment can enter one. */
  outcome: 'completed' | 'card_needed'
  /** The setup intent that needs a card; null if the journey was completed. */
  cardNeeded: CardNeeded | null
  quoteId: string
  monthlyCost: number
  totalCost: number
  setupCost: number
  contracts: ({ customerId: string; name: string; totalCost: number } & ContractFiles)[]
}

/**
 * Makes the specification's typical sequence of calls to a deployment, as a partner's program would. Throws StepFailed
 * at the first step that fails, and CommandError if the contracts cannot be saved.
 */
export async function runJourney(options: JourneyOptions, listener: Listener): Promise<JourneyResult> {
  await prepareFolder(options.out)
  const runner = new StepRunner(options.baseUrl, listener)
  const household = inventTenants(options.tenants)
  const { quoteId, tenants, cost } = await priceHousehold(runner, { ...options, household })
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
    if (tenant === undefined || element === undefined) throw new Error('a tenant has no share')
    const { tenantId: customerId, name, isLead } = tenant
    runner.setTenant({
      customerId,
      heading: `${name}, tenant ${index + 1} of ${tenants.length}${isLead ? ', lead' : ''}`,
    })
    const agreedBefore = result.contracts.reduce((sum, contract) => sum + contract.totalCost, 0)
    const onboarded = await onboardTenant(runner, {
      element,
      person,
      agreed: (own) => `${pounds(agreedBefore + own)} of ${pounds(totalCost)} agreed`,
      saveAs: (format) => join(options.out, quoteId, `tenant-${index + 1}.${format}`),
    })
    if ('cardNeeded' in onboarded) return { ...result, outcome: 'card_needed', cardNeeded: onboarded.cardNeeded }
    result.contracts.push({ customerId, name, totalCost: element.totalCost, ...onboarded.files })
  }
  runner.setTenant()
  await runner.step('Read the quote', (api) => api.getQuote(quoteId), {
    stop: ({ status }) =>
      status === 'completed'
        ? undefined
        : {
            reason: `The quote is ${status}, but every tenant has completed onboarding.`,
            remedy: "Search the service's log for the quote.",
          },
    brief: ({ status }) => status,
  })
  return result
}

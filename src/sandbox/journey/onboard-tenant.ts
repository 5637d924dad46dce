import type { CustomerPaymentSchedule, NewTenant, QuoteCost } from '../../../clients/typescript/src/api-types.ts'
import { inventDetails } from '../../../clients/typescript/src/sandbox-household.ts'
import { type ContractFiles, fetchContracts } from './fetch-contracts.ts'
import { pounds, StepFailed, type StepRunner } from './step-runner.ts'

export interface Onboarding {
  element: QuoteCost['costBreakdown'][number]
  person: NewTenant
  /**
   * From this tenant's total, makes the text that says how much of the household's total its tenants have agreed to so
   * far.
   */
  agreed: (own: number) => string
  saveAs: (format: 'html' | 'pdf') => string
}

/** A setup intent that needs a card, which only the tenant or the processor's own test tools can enter. */
export interface CardNeeded {
  /** Why the journey cannot enter a card itself. */
  because: 'not_a_sandbox' | 'real_processor'
  customerId: string
  setupIntentId: string
}

/**
 * Runs one tenant's steps, from their share of the cost to the saved contracts. Stops at the card if the deployment
 * cannot confirm one.
 */
export async function onboardTenant(
  runner: StepRunner,
  options: Onboarding,
): Promise<{ files: ContractFiles } | { cardNeeded: CardNeeded }> {
  const { element, person } = options
  const customerId = element.tenantId
  const own = await runner.step("The tenant's share", (api) => api.getCustomerTotalCost(customerId), {
    brief: ({ monthlyCost, totalCost }) => `${pounds(monthlyCost)} a month, ${pounds(totalCost)} for the contract`,
  })
  const details = { ...inventDetails(person), psrDetails: { hasPsr: false } }
  await runner.step('Personal information', (api) => api.finalisePersonalInformation(customerId, details), {
    brief: ({ status }) => status,
  })
  await runner.step('Payment schedule', (api) => api.getPaymentSchedules(customerId), { brief: describeSchedule })
  const { setupIntentId } = await runner.step('Create a setup intent', (api) => api.createSetupIntent(customerId), {
    brief: (intent) => `${intent.setupIntentId} for ${intent.processorCustomerId}`,
  })
  const because = await confirmCard(runner, setupIntentId)
  if (because !== 'confirmed') return { cardNeeded: { because, customerId, setupIntentId } }
  await runner.step('Accept the terms', (api) => api.acceptTerms(customerId), {
    brief: ({ status, termsAcceptedAt }) => `${status} at ${termsAcceptedAt}`,
    money: () => options.agreed(own.totalCost),
  })
  return { files: await fetchContracts(runner, { customerId, saveAs: options.saveAs }) }
}

function describeSchedule({ paymentSchedule }: CustomerPaymentSchedule): string {
  const { payments } = paymentSchedule
  const [first] = payments
  const last = payments.length > 1 ? payments.at(-1) : undefined
  const take = (payment: { amount: number; date: string } | undefined) =>
    payment === undefined ? '' : `${pounds(payment.amount)} on ${payment.date}`
  const count = payments.length === 1 ? '1 payment' : `${payments.length} payments`
  return `${count}: ${take(first)}${last === undefined ? '' : `, the last ${take(last)}`}`
}

/** Confirms a test card on the tenant's behalf, or returns why the deployment cannot do that. */
async function confirmCard(runner: StepRunner, setupIntentId: string): Promise<'confirmed' | CardNeeded['because']> {
  try {
    const card = { paymentMethod: 'pm_card_visa' }
    await runner.step('Confirm a test card', (api) => api.sandboxConfirmSetupIntent(setupIntentId, card), {
      stop: ({ status }) =>
        status === 'succeeded'
          ? undefined
          : {
              reason: `The setup intent is ${status}, but the test card should succeed.`,
              remedy: "Check the payment processor and the service's log.",
            },
      brief: ({ status }) => status,
    })
    return 'confirmed'
  } catch (error) {
    if (!(error instanceof StepFailed)) throw error
    const { status } = error.step
    // An unknown intent also returns 404, so check for an operation that only a sandbox has.
    if (status === 404 && (await runner.isMissing('/partner-api/Sandbox/postcodes'))) return 'not_a_sandbox'
    // 503 can also mean that the simulated processor is down. The card page exists only with a simulated processor, so
    // check for it.
    if (status === 503 && (await runner.isMissing(`/sandbox/card-setup/${setupIntentId}`))) return 'real_processor'
    throw error
  }
}

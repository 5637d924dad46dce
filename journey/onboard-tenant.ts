import type { Static } from 'typebox'
import { type ContractFiles, fetchContracts } from './fetch-contracts.ts'
import type { InventedTenant } from './household.ts'
import { customerCostMismatches, scheduleMismatches } from './money-checks.ts'
import { pounds } from './pounds.ts'
import {
  AcceptedReply,
  ConfirmationReply,
  type CostElement,
  CustomerCostReply,
  PersonalInformationReply,
  ScheduleReply,
  SetupIntentReply,
} from './replies.ts'
import { StepFailed } from './steps.ts'
import type { Walker } from './walker.ts'

export interface Onboarding {
  element: Static<typeof CostElement>
  person: InventedTenant
  /** The money agreed so far in words, once this tenant's total is among it. */
  agreed: (own: number) => string
  saveAs: (format: 'html' | 'pdf') => string
}

/** Why nobody but the tenant, or the processor's own test tools, can enter a card. */
export interface CardNeeded {
  because: 'not_a_sandbox' | 'real_processor'
  customerId: string
  setupIntentId: string
}

/** One tenant from the own cost to the saved contracts, or as far as the card where the deployment cannot confirm one. */
export async function onboardTenant(
  walker: Walker,
  wish: Onboarding,
): Promise<{ files: ContractFiles } | { cardNeeded: CardNeeded }> {
  const { element, person } = wish
  const customer = `/Customers/${element.tenantId}`
  const own = await walker.step({
    name: "The tenant's share",
    method: 'GET',
    path: `${customer}/total-cost`,
    reply: CustomerCostReply,
    check: (cost) => customerCostMismatches(cost, element),
    brief: ({ monthlyCost, totalCost }) => `${pounds(monthlyCost)} a month, ${pounds(totalCost)} for the contract`,
  })
  await walker.step({
    name: 'Personal information',
    method: 'POST',
    path: `${customer}/finalise-personal-information`,
    body: { ...person, psrDetails: { hasPsr: false } },
    reply: PersonalInformationReply,
    brief: ({ status }) => status,
  })
  await walker.step({
    name: 'Payment schedule',
    method: 'GET',
    path: `${customer}/payment-schedules`,
    reply: ScheduleReply,
    check: (schedule) => scheduleMismatches(schedule, own),
    brief: describeSchedule,
  })
  const { setupIntentId } = await walker.step({
    name: 'Create a setup intent',
    method: 'POST',
    path: `${customer}/create-setup-intent`,
    reply: SetupIntentReply,
    brief: (intent) => `${intent.setupIntentId} for ${intent.processorCustomerId}`,
  })
  const because = await confirmCard(walker, setupIntentId)
  if (because !== 'confirmed') return { cardNeeded: { because, customerId: element.tenantId, setupIntentId } }
  await walker.step({
    name: 'Accept the terms',
    method: 'POST',
    path: `${customer}/accept-terms`,
    reply: AcceptedReply,
    brief: ({ status, termsAcceptedAt }) => `${status} at ${termsAcceptedAt}`,
    money: () => wish.agreed(own.totalCost),
  })
  return { files: await fetchContracts(walker, { customer, totalCost: own.totalCost, saveAs: wish.saveAs }) }
}

function describeSchedule({ paymentSchedule }: Static<typeof ScheduleReply>): string {
  const { payments } = paymentSchedule
  const [first] = payments
  const last = payments.length > 1 ? payments.at(-1) : undefined
  const take = (payment: { amount: number; date: string } | undefined) =>
    payment === undefined ? '' : `${pounds(payment.amount)} on ${payment.date}`
  const count = payments.length === 1 ? '1 payment' : `${payments.length} payments`
  return `${count}: ${take(first)}${last === undefined ? '' : `, the last ${take(last)}`}`
}

/** In the tenant's place, with the test card that succeeds; else why that cannot be done here. */
async function confirmCard(walker: Walker, setupIntentId: string): Promise<'confirmed' | CardNeeded['because']> {
  try {
    await walker.step({
      name: 'Confirm a test card',
      method: 'POST',
      path: `/Sandbox/setup-intents/${setupIntentId}/confirm`,
      body: { paymentMethod: 'pm_card_visa' },
      reply: ConfirmationReply,
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
    // A sandbox answers 404 for an intent it does not know, and then has its other steering calls all the same.
    if (status === 404 && (await walker.lacks('/partner-api/Sandbox/postcodes'))) return 'not_a_sandbox'
    // It answers 503 while the processor is down, and then has the card page that goes with the simulated one all the same.
    if (status === 503 && (await walker.lacks(`/sandbox/card-setup/${setupIntentId}`))) return 'real_processor'
    throw error
  }
}

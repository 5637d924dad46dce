import { services } from '../../quoting/packages/services.ts'
import { earlySupplyMustBeRequested } from '../../quoting/quotes/quote.ts'
import type { Visit } from '../visit.ts'
import { words } from '../words.ts'

/** The steps to a contract, in their order. Each is a page of this name. */
const steps = ['details', 'extra-help', 'early-supply', 'payments', 'card', 'agree'] as const
export type Step = (typeof steps)[number]

/** Whether a step matters for this tenant. */
const matters: Partial<Record<Step, (visit: Visit) => boolean>> = {
  'extra-help': hasEnergy,
  'early-supply': ({ quote, deps, caller }) => earlySupplyMustBeRequested(quote, deps.quotePolicy, caller.now),
}

function stepsOf(visit: Visit): Step[] {
  return steps.filter((step) => matters[step]?.(visit) ?? true)
}

/** Whether the home gets electricity or gas, for whose suppliers the register of priority services is. */
export function hasEnergy({ quote }: Pick<Visit, 'quote'>): boolean {
  return (quote.price?.lines ?? []).some(({ type }) => services[type].metered !== null)
}

/** "Step 2 of 5", or nothing if the tenant has signed. */
export function progressOf(visit: Visit, step: Step): string | undefined {
  if (hasSigned(visit)) return undefined
  const all = stepsOf(visit)
  return words.stepOf(all.indexOf(step) + 1, all.length)
}

/** The path of the page after a step. */
export function pathAfter(visit: Visit, step: Step): string {
  const all = stepsOf(visit)
  const later = steps.slice(steps.indexOf(step) + 1).find((each) => all.includes(each))
  return visit.path(later ?? 'done')
}

/** The path of the page before a step. */
export function pathBefore(visit: Visit, step: Step): string {
  const all = stepsOf(visit)
  return visit.path(all.filter((each) => steps.indexOf(each) < steps.indexOf(step)).at(-1) ?? 'welcome')
}

export function hasSigned({ customer }: Pick<Visit, 'customer'>): boolean {
  return customer.termsAcceptedAt !== null
}

/** Whether a card is attached: also if a payment from it has failed. */
export function hasCard({ customer: { paymentStatus } }: Pick<Visit, 'customer'>): boolean {
  return paymentStatus === 'ready' || paymentStatus === 'paid' || paymentStatus === 'failed'
}

/** The page that a tenant comes back to. */
export function pathToGoOn(visit: Visit): string {
  const { customer, contract, path } = visit
  if (hasSigned(visit)) return path(contract?.status === 'agreed' ? 'done' : 'home')
  if (customer.status === 'active') return path('welcome')
  if (mustChooseSupply(visit)) return path('early-supply')
  return path(hasCard(visit) ? 'agree' : 'payments')
}

/** Whether the tenant still has to choose when supply begins. */
export function mustChooseSupply(visit: Visit): boolean {
  return stepsOf(visit).includes('early-supply') && !visit.customer.earlySupplyRequested
}

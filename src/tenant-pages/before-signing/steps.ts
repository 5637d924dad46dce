import type { ContractStatus } from '../../contracts/contract.ts'
import { type Html, html } from '../../pages/html.ts'
import { services } from '../../quoting/packages/services.ts'
import { earlySupplyMustBeRequested, isExpired } from '../../quoting/quotes/quote.ts'
import { hasCard as isCardAttached } from '../../quoting/tenants/customer.ts'
import type { Visit } from '../tenant-visit.ts'
import { words } from '../words.ts'

/** The steps to a contract, in their order. Each is a page of this name. */
const steps = ['details', 'extra-help', 'early-supply', 'payments', 'card', 'agree'] as const
export type Step = (typeof steps)[number]

/** Whether a step matters for this tenant. */
const matters: Partial<Record<Step, (visit: Visit) => boolean>> = {
  'extra-help': hasEnergy,
  'early-supply': ({ quote, deps, caller }) => earlySupplyMustBeRequested(quote, deps.quotePolicy, caller.now),
}

/** Whether a step is one of this tenant's. */
export function isStep(visit: Visit, step: Step): boolean {
  return matters[step]?.(visit) ?? true
}

function stepsOf(visit: Visit): Step[] {
  return steps.filter((step) => isStep(visit, step))
}

/** Whether the home gets electricity or gas, for whose suppliers the register of priority services is. */
export function hasEnergy({ quote }: Pick<Visit, 'quote'>): boolean {
  return (quote.price?.lines ?? []).some(({ type }) => services[type].metered !== null)
}

/** Whether the home's energy is still paid for with a key, card or app, as far as anybody has said. */
export function isPrepaid(visit: Pick<Visit, 'quote'>): boolean {
  return visit.quote.meter?.payment === 'prepayment' && hasEnergy(visit)
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
export function hasCard({ customer }: Pick<Visit, 'customer'>): boolean {
  return isCardAttached(customer)
}

/**
 * Whether a card can be added: somebody said that everybody is here, or the household can no longer change without
 * being opened again.
 */
export function isHouseholdComplete({ quote }: Pick<Visit, 'quote'>): boolean {
  return quote.stage !== 'open' || quote.householdCompleteAt !== null
}

/** Why a contract that the tenant agreed to before came to nothing, which is why they are asked again. */
export function contractBefore({ contract }: Pick<Visit, 'contract'>): Html | null {
  const states: Partial<Record<ContractStatus, { sentence(): string }>> = {
    lapsed: words.home.states.lapsed,
    superseded: words.home.states.superseded,
    ended: { sentence: () => words.home.states.ended.moved },
  }
  const state = contract === null ? undefined : states[contract.status]
  return state === undefined ? null : html`<p>${state.sentence()}</p>`
}

/** The page that a tenant comes back to. */
export function pathToGoOn(visit: Visit): string {
  const { customer, contract, path } = visit
  if (hasSigned(visit)) return path(contract?.status === 'agreed' ? 'done' : 'home')
  if (customer.status === 'active') return path('welcome')
  return pathFirst(visit) ?? path(hasCard(visit) ? 'agree' : 'payments')
}

/** What a tenant has to do before they see what they pay, add a card and agree; undefined if nothing is left. */
export function pathFirst(visit: Visit): string | undefined {
  const { customer, quote, caller, path } = visit
  if (isExpired(quote, caller.now)) return path('welcome')
  if (customer.status === 'active') return path('details')
  return isStep(visit, 'early-supply') && !customer.earlySupplyRequested ? path('early-supply') : undefined
}

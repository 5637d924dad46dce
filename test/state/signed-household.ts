import assert from 'node:assert/strict'
import type { ApiResponse, Partner } from '../support/client.ts'
import { finalise } from '../support/household.ts'
import { advanceClock, createCompletedQuote } from '../support/quote-fixtures.ts'
import type { Reply } from '../support/response-types.ts'
import { codeOf } from '../support/responses.ts'

/**
 * What can happen to a household after every tenant has signed. `which` picks the tenant; `days`, from 1 to 60, decides
 * how many days pass and how far ahead or back a day lies.
 */
export const deeds = [
  'pass-days',
  'end-contract',
  'cancel-contract',
  'replace',
  'withdraw',
  'move-start',
  'join',
  'collect',
  'decline',
  'refund',
  'dispute',
] as const
export type Deed = (typeof deeds)[number]

export interface Step {
  deed: Deed
  which: number
  days: number
}

/**
 * The deeds of the processor. What it reverses after a settlement is the operator's affair, so the figures no longer
 * add up.
 */
const reversals: Partial<Record<Deed, string>> = { refund: 'refunded', dispute: 'disputed' }

const startAt = Date.parse('2026-12-01T09:00:00Z')
const dayMs = 86_400_000

/** One household whose tenants have all signed, on a clock of its own, and everybody who takes over a share. */
export class SignedHousehold {
  readonly partner: Partner
  readonly quoteId: string
  readonly successes = new Map<Deed, number>()
  readonly rejections = new Map<string, number>()
  /** The day of the tenant's notice, by contract number, of every contract that was cancelled. */
  readonly noticeOfCancelled = new Map<string, string>()
  /** The fingerprint of the documents of each contract, as first seen. */
  readonly documentsSeen = new Map<string, string>()
  readonly #people: string[]
  readonly #joiners: string[] = []
  readonly #settled = new Set<string>()
  #daysPassed = 0

  constructor(partner: Partner, quoteId: string, tenants: readonly string[]) {
    this.partner = partner
    this.quoteId = quoteId
    this.#people = [...tenants]
  }

  static async open(partner: Partner, { tenants, hasBroadband }: { tenants: number; hasBroadband: boolean }) {
    const broadband = { packages: ['electricity', 'gas', 'broadband'], products: ['fibre-150'] } as const
    const household = await createCompletedQuote(partner, { tenants, ...(hasBroadband ? broadband : {}) })
    return new SignedHousehold(partner, household.quoteId, household.tenants)
  }

  /** Does a step and asserts that it succeeded or was rejected for a reason: never a server error. */
  async take(step: Step): Promise<void> {
    const response = await this.#do(step)
    if (response === undefined) return
    const code = codeOf(response)
    if (code === undefined) this.successes.set(step.deed, (this.successes.get(step.deed) ?? 0) + 1)
    else {
      // A joiner who is withdrawn meanwhile is unknown.
      assert.ok(response.status === 422 || response.status === 404, `${step.deed}: ${response.text}`)
      this.rejections.set(code, (this.rejections.get(code) ?? 0) + 1)
    }
  }

  #dayAfter(days: number): string {
    return new Date(startAt + (this.#daysPassed + days) * dayMs).toISOString().slice(0, 10)
  }

  async #do({ deed, which, days }: Step): Promise<ApiResponse | undefined> {
    const { partner } = this
    const person = this.#people[which % this.#people.length] ?? ''
    const customer = `/Customers/${person}`
    switch (deed) {
      case 'pass-days': {
        // Mostly a few days, so that tenants can still cancel; sometimes months, so that contracts reach their last
        // day.
        const passed = days > 50 ? days * 4 : 1 + (days % 12)
        await advanceClock(partner, { days: passed })
        this.#daysPassed += passed
        this.successes.set(deed, (this.successes.get(deed) ?? 0) + 1)
        return undefined
      }
      case 'end-contract': {
        const ended = await partner.post(`${customer}/end-contract`, { endDate: this.#dayAfter(days * 6) })
        if (ended.status === 200) this.#settled.add(person)
        return ended
      }
      case 'cancel-contract':
        return this.#cancel(person, days % 5)
      case 'replace':
        return this.#replace(person, days * 4)
      case 'withdraw':
        return partner.post(`${customer}/withdraw-replacement`)
      case 'move-start':
        return this.#moveStart(this.#dayAfter(30 + days))
      case 'join':
        return this.#join(this.#joiners.at(-1 - (which % Math.max(1, this.#joiners.length))))
      case 'collect':
      case 'decline':
        return partner.post(`/Sandbox${customer.replace('C', 'c')}/collect`, {
          outcome: deed === 'collect' ? 'paid' : 'failed',
        })
      case 'refund':
      case 'dispute':
        if (this.#settled.has(person)) return undefined
        return partner.post(`/Sandbox${customer.replace('C', 'c')}/collect`, { outcome: reversals[deed] })
    }
  }

  async #cancel(person: string, daysAgo: number): Promise<ApiResponse> {
    const informedOn = this.#dayAfter(-daysAgo)
    const response = await this.partner.post(`/Customers/${person}/cancel-contract`, { informedOn })
    if (response.status === 200) {
      const { contract } = response.body as Reply<'POST', '/Customers/{id}/cancel-contract'>
      this.noticeOfCancelled.set(contract.contractNumber, informedOn)
      this.#settled.add(person)
    }
    return response
  }

  /** Moves the first day of the household. Everybody agrees again. */
  async #moveStart(contractStartDate: string): Promise<ApiResponse> {
    const { partner, quoteId } = this
    const response = await partner.post(`/Quotes/${quoteId}/move-start`, { contractStartDate })
    if (response.status !== 200) return response
    for (const person of this.#people) {
      // What was collected for the old day is paid back.
      this.#settled.add(person)
      const agreed = await partner.post(`/Customers/${person}/accept-terms`)
      if (agreed.status !== 200) return agreed
    }
    return response
  }

  async #replace(person: string, days: number): Promise<ApiResponse> {
    const email = `${this.#people.length}.${this.#joiners.length}.${person}@example.com`
    const body = { name: 'Jo Joiner', email, from: this.#dayAfter(days) }
    const response = await this.partner.post(`/Customers/${person}/replacements`, body)
    if (response.status === 200) {
      this.#joiners.push((response.body as Reply<'POST', '/Customers/{id}/replacements'>).customerId ?? '')
      // From here on, a joiner's acceptance may settle the person's contract.
      this.#settled.add(person)
    }
    return response
  }

  /**
   * Takes a joiner through every step. One who is withdrawn is gone, and one whose leaver has no contract any more is
   * rejected.
   */
  async #join(joiner: string | undefined): Promise<ApiResponse | undefined> {
    if (joiner === undefined || this.#people.includes(joiner)) return undefined
    const { partner } = this
    const customer = `/Customers/${joiner}`
    const confirm = ({ body }: ApiResponse) => {
      const { setupIntentId } = body as Reply<'POST', '/Customers/{id}/create-setup-intent'>
      return partner.post(`/Sandbox/setup-intents/${setupIntentId}/confirm`, { paymentMethod: 'pm_card_visa' })
    }
    const steps: ((before: ApiResponse) => Promise<ApiResponse>)[] = [
      () => finalise(partner, joiner, { supplyDuringCancellation: true }),
      () => partner.get(`${customer}/payment-schedules`),
      () => partner.post(`${customer}/create-setup-intent`),
      confirm,
      () => partner.post(`${customer}/accept-terms`),
    ]
    let response = await partner.get(customer)
    for (const step of steps) {
      if (response.status !== 200) return response
      response = await step(response)
    }
    if (response.status === 200 && !this.#people.includes(joiner)) this.#people.push(joiner)
    return response
  }
}

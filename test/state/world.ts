import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ApiResponse, Partner } from '../support/client.ts'
import { finalise, personalInformation, sampleTenants } from '../support/household.ts'
import { createQuote } from '../support/quote-fixtures.ts'
import type { Reply } from '../support/response-types.ts'
import { codeOf, succeeded } from '../support/responses.ts'

/**
 * The operations that a client calls on the household. The `which` of a call picks its tenant, its packages or how many
 * tenants to add.
 */
export const operations = [
  'add-tenants',
  'remove-tenants',
  'update-packages',
  'add-broadband-products',
  'total-cost',
  'expire',
  'finalise',
  'set-dates',
  'create-setup-intent',
  'confirm',
  'accept-terms',
  'cancel-contract',
  'cancel',
  'reopen',
] as const
type Operation = (typeof operations)[number]

export interface Call {
  operation: Operation
  which: number
  /** Whether the request is sent twice at the same moment, with the same Idempotency-Key. */
  twice: boolean
}

interface Request {
  method: 'GET' | 'POST'
  path: string
  body?: unknown
}

/** A call that succeeded, with its start and end. Of two calls that overlap, either may have taken effect first. */
export interface SuccessfulCall {
  call: Call
  request: Request
  begun: number
  ended: number
  body: unknown
}

const selections = [['electricity-standard'], ['gas-standard'], ['electricity-standard', 'gas-standard']] as const

/** One household and several clients that use it at the same time. Each client makes one call after another. */
export class World {
  readonly quoteId: string
  readonly partner: Partner
  readonly successes: SuccessfulCall[] = []
  /** Every tenant ever added: email address by id. */
  readonly everybody = new Map<string, string>()
  readonly rejections = new Map<string, number>()
  readonly #clients = new Map<number, Promise<void>>()
  readonly #intents = new Map<string, string>()
  #people = 0
  #keys = 0

  constructor(partner: Partner, quoteId: string) {
    this.partner = partner
    this.quoteId = quoteId
  }

  /**
   * Creates a quote with packages and two tenants. With `ready`, their details are given; with `paying`, the first
   * tenant's card is attached too; with `accepted`, the first tenant has also accepted the terms.
   */
  static async open(partner: Partner, start: 'new' | 'ready' | 'paying' | 'accepted'): Promise<World> {
    const { quoteId, address } = await createQuote(partner, { packages: ['electricity', 'gas'] })
    succeeded(await partner.get(`/Quotes/run-broadband-availability-check/${address.addressUid}`))
    const world = new World(partner, quoteId)
    await world.#perform({ operation: 'add-tenants', which: 1, twice: false })
    if (start === 'new') return world
    for (const [tenant, email] of world.everybody) succeeded(await finalise(partner, tenant, { email }))
    if (start === 'ready') return world
    await world.#perform({ operation: 'create-setup-intent', which: 0, twice: false })
    await world.#perform({ operation: 'confirm', which: 0, twice: false })
    if (start === 'accepted') await world.#perform({ operation: 'accept-terms', which: 0, twice: false })
    return world
  }

  /** Queues a client's next call, which is made as soon as the client is free. */
  begin(client: number, call: Call): void {
    const before = this.#clients.get(client) ?? Promise.resolve()
    const next = before.then(() => this.#perform(call))
    // This promise is awaited in settled(). Until then, a failure of one client must not end the process.
    next.catch(() => undefined)
    this.#clients.set(client, next)
  }

  pause(ms: number): Promise<void> {
    return sleep(ms)
  }

  /** Waits until all clients are done; throws their errors. */
  async settled(): Promise<void> {
    await Promise.all(this.#clients.values())
  }

  async #perform(call: Call): Promise<void> {
    const request = this.#requestFor(call)
    if (request === undefined) return
    const begun = performance.now()
    const answers = await this.#send(call, request)
    const ended = performance.now()
    for (const answer of answers) this.#judge(call, answer)
    const made = answers.filter(({ status }) => status === 200)
    assert.ok(
      new Set(made.map(({ text }) => text)).size <= 1,
      `${call.operation}: the same key got two different responses`,
    )
    const [first] = made
    if (first === undefined) return
    this.#learn(call, request, first.body)
    this.successes.push({ call, request, begun, ended, body: first.body })
  }

  #send(call: Call, { method, path, body }: Request): Promise<ApiResponse[]> {
    if (method === 'GET') return Promise.all([this.partner.get(path)])
    this.#keys += 1
    const headers = { 'Idempotency-Key': `${this.quoteId}-${this.#keys}` }
    return Promise.all((call.twice ? [1, 2] : [1]).map(() => this.partner.post(path, body, { headers })))
  }

  /**
   * Asserts that a call succeeded, or failed because another call was faster. A server error or a partial result is
   * never allowed.
   */
  #judge({ operation }: Call, answer: ApiResponse): void {
    const { status, text } = answer
    const code = codeOf(answer)
    if (code === undefined) return
    const isRace = status === 422 || (status === 409 && code === 'idempotency_in_flight')
    // A tenant that was just removed is unknown.
    assert.ok(isRace || (status === 404 && code === 'not_found'), `${operation}: ${text}`)
    this.rejections.set(code, (this.rejections.get(code) ?? 0) + 1)
  }

  #requestFor({ operation, which }: Call): Request | undefined {
    const quote = `/Quotes/${this.quoteId}`
    const ids = [...this.everybody.keys()]
    const tenant = ids[which % Math.max(1, ids.length)]
    const intent = tenant === undefined ? undefined : this.#intents.get(tenant)
    switch (operation) {
      case 'add-tenants': {
        const added = sampleTenants(1 + (which % 5), this.#people + 1)
        this.#people += added.length
        return { method: 'POST', path: `${quote}/add-tenants`, body: { tenants: added } }
      }
      case 'update-packages':
        return { method: 'POST', path: `${quote}/${operation}`, body: { packageIds: selections[which % 3] } }
      case 'add-broadband-products':
        return { method: 'POST', path: `${quote}/${operation}`, body: { broadbandProducts: ['fibre-67'] } }
      case 'total-cost':
        return { method: 'GET', path: `${quote}/total-cost` }
      case 'expire':
        return { method: 'POST', path: `/Sandbox/quotes/${this.quoteId}/expire` }
      case 'cancel':
      case 'reopen':
        return { method: 'POST', path: `${quote}/${operation}` }
    }
    if (tenant === undefined) return undefined
    const customer = `/Customers/${tenant}`
    switch (operation) {
      case 'remove-tenants':
        return { method: 'POST', path: `${quote}/${operation}`, body: { tenantIds: [tenant] } }
      case 'finalise':
      case 'set-dates': {
        const dates =
          operation === 'set-dates' ? { contractStartDate: `2027-02-${String(1 + (which % 28)).padStart(2, '0')}` } : {}
        const body = personalInformation({ email: this.everybody.get(tenant) ?? '', ...dates })
        return { method: 'POST', path: `${customer}/finalise-personal-information`, body }
      }
      case 'create-setup-intent':
      case 'accept-terms':
      case 'cancel-contract':
        return { method: 'POST', path: `${customer}/${operation}` }
      case 'confirm':
        if (intent === undefined) return undefined
        return {
          method: 'POST',
          path: `/Sandbox/setup-intents/${intent}/confirm`,
          body: { paymentMethod: 'pm_card_visa' },
        }
    }
  }

  #learn({ operation }: Call, request: Request, body: unknown): void {
    if (operation === 'create-setup-intent') {
      const { customerId, setupIntentId } = body as Reply<'POST', '/Customers/{id}/create-setup-intent'>
      this.#intents.set(customerId, setupIntentId)
    }
    if (operation !== 'add-tenants') return
    const { tenants: everybody } = body as Reply<'POST', '/Quotes/{id}/add-tenants'>
    const { tenants } = request.body as { tenants: { email: string }[] }
    const added = new Set(tenants.map(({ email }) => email))
    for (const { tenantId, email } of everybody) if (added.has(email)) this.everybody.set(tenantId, email)
  }
}

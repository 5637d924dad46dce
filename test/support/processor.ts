import { createHmac } from 'node:crypto'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Pool } from 'pg'
import { pino } from 'pino'
import type { Environment } from '../../src/platform/config/env.ts'
import { createDatabase } from '../../src/platform/db/database.ts'
import { buildPaymentSimulator } from '../../src/sandbox/simulators/payment-processor/payment-simulator.ts'
import { type ApiResponse, call } from './client.ts'
import { type ServiceUnderTest, startTestService } from './service.ts'

/** A request from the service to its payment processor. */
interface ProcessorRequest {
  /** `POST /v1/setup_intents` */
  operation: string
  idempotencyKey: string | undefined
  headers: IncomingHttpHeaders
  form: URLSearchParams
}

/**
 * How the processor behaves: it works, rejects connections, returns errors, or does the work but loses its responses.
 */
type ProcessorMode = 'up' | 'unreachable' | 'failing' | 'losing responses'

/** A setup intent, as the processor returns it. */
interface ProcessorIntent {
  id: string
  status: string
  customer: string
  usage: string
  metadata: Record<string, string>
}

/** A payment, as the processor returns it. */
interface ProcessorPayment {
  id: string
  customer: string
  /** When the payment was created, in Unix seconds. */
  created: number
}

/**
 * A service whose calls to the payment processor pass through a proxy that the test controls. The simulator sends no
 * notices, and the service does not look for lost ones by itself.
 */
export interface ServiceWithProcessor {
  service: ServiceUnderTest
  /** Every request the service has sent, in order. */
  requests: ProcessorRequest[]
  setMode(mode: ProcessorMode): void
  /**
   * Holds back the next request for this operation (without a query: for any) until `release` is called; `arrived`
   * resolves once it is held back. With
   * `response`, the request reaches the processor and only its response is held back.
   */
  holdNext(operation: string, once?: 'request' | 'response'): { arrived: Promise<void>; release(): void }
  readIntent(setupIntentId: string): Promise<ProcessorIntent>
  /**
   * Confirms the intent as the tenant's browser does. Returns the intent after the attempt, even if the card was
   * declined.
   */
  confirm(setupIntentId: string, paymentMethod?: string): Promise<ProcessorIntent>
  /** Completes a 3-D Secure step with the bank's result. */
  authenticate(setupIntentId: string, outcome: 'authenticated' | 'failed'): Promise<ProcessorIntent>
  cancel(setupIntentId: string): Promise<ProcessorIntent>
  /** Collects a payment from the intent's customer, as the operator does. */
  collect(setupIntentId: string, outcome: 'paid' | 'failed'): Promise<ProcessorPayment>
  /** Refunds a payment, as the operator does, or disputes it, as the tenant's bank does. */
  reverse(paymentId: string, outcome: 'refunded' | 'disputed'): Promise<void>
  /** Makes any call to the processor, as the operator or the bank does. */
  ask(path: string, form?: Record<string, string>): Promise<unknown>
  /** Sends the service a signed notice about a processor object. */
  notify(type: string, object: object, how?: NoticeOptions): Promise<ApiResponse>
  stop(): Promise<void>
}

interface NoticeOptions {
  /** How many seconds ago the event happened; 0 by default. */
  secondsAgo?: number
  /** When the event happened, in Unix seconds. Overrides `secondsAgo`. */
  happenedAt?: number
  /** How many seconds ago the notice was signed; 0 by default. */
  signedSecondsAgo?: number
  id?: string
  secret?: string
  /** Overrides the valid signature header. */
  signature?: string
}

const secretKey = 'sk_test_only'
const webhookSecret = 'whsec_test_only'

export async function startServiceWithProcessor(environment: Environment = {}): Promise<ServiceWithProcessor> {
  const requests: ProcessorRequest[] = []
  let mode: ProcessorMode = 'up'
  let behind = ''
  let held: { operation: string; once: 'request' | 'response'; arrive(): void; released: Promise<void> } | undefined

  async function hold(operation: string, now: 'request' | 'response'): Promise<void> {
    if (held === undefined || held.once !== now) return
    if (held.operation !== operation && held.operation !== operation.split('?', 1)[0]) return
    const { arrive, released } = held
    held = undefined
    arrive()
    await released
  }

  const proxy = createServer((request, response) => {
    pass(request, response).catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))

  async function pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = Buffer.concat(await request.toArray())
    const { method = '', url = '' } = request
    const key = request.headers['idempotency-key']
    requests.push({
      operation: `${method} ${url}`,
      idempotencyKey: typeof key === 'string' ? key : undefined,
      headers: request.headers,
      form: new URLSearchParams(body.toString()),
    })
    await hold(`${method} ${url}`, 'request')
    if (mode === 'unreachable') return void request.socket.destroy()
    if (mode === 'failing') return void response.writeHead(500, { 'content-type': 'application/json' }).end('{}')
    const headers = Object.entries(request.headers).filter(([name]) => !['host', 'connection'].includes(name))
    const reply = await fetch(`${behind}${url}`, {
      method,
      headers: headers.map(([name, value]): [string, string] => [name, String(value)]),
      ...(body.length > 0 ? { body } : {}),
    })
    const text = await reply.text()
    await hold(`${method} ${url}`, 'response')
    if (mode === 'losing responses') return void request.socket.destroy()
    const replayed = reply.headers.get('idempotent-replayed')
    response.writeHead(reply.status, {
      'content-type': 'application/json',
      ...(replayed === null ? {} : { 'idempotent-replayed': replayed }),
    })
    response.end(text)
  }

  const service = await startTestService({
    PAYMENT_PROCESSOR: 'stripe',
    STRIPE_SECRET_KEY: secretKey,
    STRIPE_WEBHOOK_SECRET: webhookSecret,
    STRIPE_API_BASE: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    ...environment,
  })
  const pool = new Pool({ connectionString: service.connectionString, max: 2, pipeline: true })
  const simulator = buildPaymentSimulator({
    db: createDatabase(pool),
    secretKey,
    webhookUrl: undefined,
    webhookSecret,
    log: pino({ level: 'silent' }),
  })
  behind = await simulator.listen({ host: '127.0.0.1', port: 0 })

  const fetchJson = async (path: string, form?: Record<string, string>): Promise<unknown> => {
    const reply = await fetch(`${behind}${path}`, {
      headers: { authorization: `Bearer ${secretKey}` },
      ...(form === undefined ? {} : { method: 'POST', body: new URLSearchParams(form) }),
    })
    return reply.json()
  }
  const fetchIntent = async (path: string, form?: Record<string, string>): Promise<ProcessorIntent> => {
    const body = (await fetchJson(path, form)) as ProcessorIntent & { error?: { setup_intent?: ProcessorIntent } }
    return body.error?.setup_intent ?? body
  }
  return {
    service,
    requests,
    setMode(next) {
      mode = next
    },
    holdNext(operation, once = 'request') {
      const arrived = Promise.withResolvers<void>()
      const released = Promise.withResolvers<void>()
      held = { operation, once, arrive: arrived.resolve, released: released.promise }
      return { arrived: arrived.promise, release: released.resolve }
    },
    readIntent: (id) => fetchIntent(`/v1/setup_intents/${id}`),
    confirm: (id, paymentMethod = 'pm_card_visa') =>
      fetchIntent(`/v1/setup_intents/${id}/confirm`, { payment_method: paymentMethod }),
    authenticate: (id, outcome) => fetchIntent(`/v1/setup_intents/${id}/verify`, { outcome }),
    cancel: (id) => fetchIntent(`/v1/setup_intents/${id}/cancel`, {}),
    async collect(id, outcome) {
      const { customer } = await fetchIntent(`/v1/setup_intents/${id}`)
      const payment = (await fetchJson('/v1/payment_intents', {
        amount: '5882',
        currency: 'gbp',
        customer,
        payment_method: outcome === 'paid' ? 'pm_card_visa' : 'pm_card_chargeDeclined',
        confirm: 'true',
        off_session: 'true',
      })) as ProcessorPayment & { error?: { payment_intent: ProcessorPayment } }
      return payment.error?.payment_intent ?? payment
    },
    async reverse(paymentId, outcome) {
      if (outcome === 'refunded') await fetchJson('/v1/refunds', { payment_intent: paymentId })
      else await fetchJson(`/v1/payment_intents/${paymentId}/dispute`, {})
    },
    ask: fetchJson,
    notify: (type, object, how) => sendNotice(service.baseUrl, type, object, how),
    async stop() {
      // Stopping the service drops its database, so close other connections to it first.
      await simulator.close()
      await pool.end()
      await service.stop()
      proxy.closeAllConnections()
      await new Promise((resolve) => proxy.close(resolve))
    },
  }
}

let notices = 0

function sendNotice(baseUrl: string, type: string, object: object, how: NoticeOptions = {}): Promise<ApiResponse> {
  const { secondsAgo = 0, signedSecondsAgo = 0, secret = webhookSecret } = how
  const now = Math.floor(Date.now() / 1000)
  notices += 1
  const id = how.id ?? `evt_${notices}`
  const rawBody = JSON.stringify({
    id,
    object: 'event',
    type,
    created: how.happenedAt ?? now - secondsAgo,
    data: { object },
  })
  const t = now - signedSecondsAgo
  const valid = `t=${t},v1=${createHmac('sha256', secret).update(`${t}.${rawBody}`).digest('hex')}`
  return call(baseUrl, 'POST', '/processor-webhooks/stripe', undefined, {
    rawBody,
    headers: { 'Content-Type': 'application/json', 'Stripe-Signature': how.signature ?? valid },
  })
}

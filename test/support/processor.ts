import { createHmac } from 'node:crypto'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Pool } from 'pg'
import { pino } from 'pino'
import { buildPaymentSimulator } from '../../simulators/payment-processor/payment-simulator.ts'
import type { Environment } from '../../src/config/env.ts'
import { createDatabase } from '../../src/db/database.ts'
import { type ApiResponse, call } from './client.ts'
import { type ServiceUnderTest, startTestService } from './service.ts'

/** One request of the service to its processor. */
export interface ProcessorRequest {
  /** `POST /v1/setup_intents` */
  operation: string
  idempotencyKey: string | undefined
  headers: IncomingHttpHeaders
  form: URLSearchParams
}

/** What becomes of the service's requests: they pass, meet nobody, meet a fault, or are done and their answer is lost. */
export type ProcessorMood = 'well' | 'unreachable' | 'at fault' | 'answers are lost'

/** An intent as the processor has it. */
export interface ProcessorIntent {
  id: string
  status: string
  customer: string
  usage: string
  metadata: Record<string, string>
}

/** A payment as the processor has it. */
export interface ProcessorPayment {
  id: string
  customer: string
  /** Unix seconds. */
  created: number
}

/** A service whose processor lies behind a way that the test holds in its hand. The processor's own notices never arrive. */
export interface ServiceWithProcessor {
  service: ServiceUnderTest
  /** Everything the service asked, in order. */
  requests: ProcessorRequest[]
  setMood(mood: ProcessorMood): void
  /**
   * Keeps the next such request from passing until `release`; `arrived` resolves when it is there. Once `answered`, its answer is kept
   * instead.
   */
  holdNext(operation: string, once?: 'asked' | 'answered'): { arrived: Promise<void>; release(): void }
  readIntent(setupIntentId: string): Promise<ProcessorIntent>
  /** As the tenant's browser does; answers how the intent stands then, a refused card included. */
  confirm(setupIntentId: string, paymentMethod?: string): Promise<ProcessorIntent>
  /** The bank's answer to a 3-D Secure step. */
  authenticate(setupIntentId: string, outcome: 'authenticated' | 'failed'): Promise<ProcessorIntent>
  cancel(setupIntentId: string): Promise<ProcessorIntent>
  /** Takes a payment from the intent's customer, as the operator does. */
  collect(setupIntentId: string, outcome: 'paid' | 'failed'): Promise<ProcessorPayment>
  /** Sends a signed notice about any object of the processor's. */
  notify(type: string, object: object, how?: NoticeOptions): Promise<ApiResponse>
  stop(): Promise<void>
}

export interface NoticeOptions {
  /** Seconds before now at which the thing happened; 0 unless told. */
  secondsAgo?: number
  /** The very second, in place of that. */
  happenedAt?: number
  /** Seconds before now at which it was signed; 0 unless told. */
  signedSecondsAgo?: number
  id?: string
  secret?: string
  /** In place of the signature header that would be right. */
  signature?: string
}

const secretKey = 'sk_test_behind_the_way'
const webhookSecret = 'whsec_behind_the_way'

export async function startServiceWithProcessor(environment: Environment = {}): Promise<ServiceWithProcessor> {
  const requests: ProcessorRequest[] = []
  let mood: ProcessorMood = 'well'
  let behind = ''
  let held: { operation: string; once: 'asked' | 'answered'; arrive(): void; released: Promise<void> } | undefined

  async function hold(operation: string, now: 'asked' | 'answered'): Promise<void> {
    if (held?.operation !== operation || held.once !== now) return
    const { arrive, released } = held
    held = undefined
    arrive()
    await released
  }

  const way = createServer((request, response) => {
    pass(request, response).catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => way.listen(0, '127.0.0.1', resolve))

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
    await hold(`${method} ${url}`, 'asked')
    if (mood === 'unreachable') return void request.socket.destroy()
    if (mood === 'at fault') return void response.writeHead(500, { 'content-type': 'application/json' }).end('{}')
    const headers = Object.entries(request.headers).filter(([name]) => !['host', 'connection'].includes(name))
    const answer = await fetch(`${behind}${url}`, {
      method,
      headers: headers.map(([name, value]): [string, string] => [name, String(value)]),
      ...(body.length > 0 ? { body } : {}),
    })
    const text = await answer.text()
    await hold(`${method} ${url}`, 'answered')
    if (mood === 'answers are lost') return void request.socket.destroy()
    const replayed = answer.headers.get('idempotent-replayed')
    response.writeHead(answer.status, {
      'content-type': 'application/json',
      ...(replayed === null ? {} : { 'idempotent-replayed': replayed }),
    })
    response.end(text)
  }

  const service = await startTestService({
    PAYMENT_PROCESSOR: 'stripe',
    STRIPE_SECRET_KEY: secretKey,
    STRIPE_WEBHOOK_SECRET: webhookSecret,
    STRIPE_API_BASE: `http://127.0.0.1:${(way.address() as AddressInfo).port}`,
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

  const askForJson = async (path: string, form?: Record<string, string>): Promise<unknown> => {
    const answer = await fetch(`${behind}${path}`, {
      headers: { authorization: `Bearer ${secretKey}` },
      ...(form === undefined ? {} : { method: 'POST', body: new URLSearchParams(form) }),
    })
    return answer.json()
  }
  const ask = async (path: string, form?: Record<string, string>): Promise<ProcessorIntent> => {
    const body = (await askForJson(path, form)) as ProcessorIntent & { error?: { setup_intent?: ProcessorIntent } }
    return body.error?.setup_intent ?? body
  }
  return {
    service,
    requests,
    setMood(next) {
      mood = next
    },
    holdNext(operation, once = 'asked') {
      const arrived = Promise.withResolvers<void>()
      const released = Promise.withResolvers<void>()
      held = { operation, once, arrive: arrived.resolve, released: released.promise }
      return { arrived: arrived.promise, release: released.resolve }
    },
    readIntent: (id) => ask(`/v1/setup_intents/${id}`),
    confirm: (id, paymentMethod = 'pm_card_visa') =>
      ask(`/v1/setup_intents/${id}/confirm`, { payment_method: paymentMethod }),
    authenticate: (id, outcome) => ask(`/v1/setup_intents/${id}/verify`, { outcome }),
    cancel: (id) => ask(`/v1/setup_intents/${id}/cancel`, {}),
    async collect(id, outcome) {
      const { customer } = await ask(`/v1/setup_intents/${id}`)
      const payment = (await askForJson('/v1/payment_intents', {
        amount: '5882',
        currency: 'gbp',
        customer,
        payment_method: outcome === 'paid' ? 'pm_card_visa' : 'pm_card_chargeDeclined',
        confirm: 'true',
        off_session: 'true',
      })) as ProcessorPayment & { error?: { payment_intent: ProcessorPayment } }
      return payment.error?.payment_intent ?? payment
    },
    notify: (type, object, how) => sendNotice(service.baseUrl, type, object, how),
    async stop() {
      // The database goes with the service, so whatever else is connected to it goes first.
      await simulator.close()
      await pool.end()
      await service.stop()
      way.closeAllConnections()
      await new Promise((resolve) => way.close(resolve))
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
  const right = `t=${t},v1=${createHmac('sha256', secret).update(`${t}.${rawBody}`).digest('hex')}`
  return call(baseUrl, 'POST', '/processor-webhooks/stripe', undefined, {
    rawBody,
    headers: { 'Content-Type': 'application/json', 'Stripe-Signature': how.signature ?? right },
  })
}

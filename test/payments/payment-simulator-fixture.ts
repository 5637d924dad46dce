import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import { Pool } from 'pg'
import { pino } from 'pino'
import type { PaymentProcessor } from '../../src/payments/payment-processor.ts'
import { createStripePaymentProcessor } from '../../src/payments/processor/stripe.ts'
import { defaultProcessorBehaviour, type ProcessorBehaviour } from '../../src/payments/sandbox-processor.ts'
import { createDatabase, type Database } from '../../src/platform/db/database.ts'
import { createUpstream } from '../../src/platform/outbound/upstream.ts'
import { createSandboxProcessor } from '../../src/sandbox/processor/sandbox-processor.ts'
import { buildPaymentSimulator } from '../../src/sandbox/simulators/payment-processor/payment-simulator.ts'
import { createTestDatabase } from '../support/postgres.ts'
import { waitFor } from '../support/wait-for.ts'

export const secretKey = 'sk_test_fixture'
export const webhookSecret = 'whsec_fixture'

/** Creates a database for this test file. */
export async function openTestDatabase(): Promise<{ db: Database; close: () => Promise<void> }> {
  const { connectionString, drop } = await createTestDatabase()
  const pool = new Pool({ connectionString, pipeline: true })
  // pool.end() does not wait for its connections to close, so dropping the database may still break one.
  let closing = false
  pool.on('error', (error) => {
    if (!closing) throw error
  })
  const close = async () => {
    closing = true
    await pool.end()
    await drop()
  }
  return { db: createDatabase(pool), close }
}

/** One delivery as received: the raw bytes and their signature. */
export interface Delivery {
  body: Buffer
  signature: string | undefined
}

/** Starts a webhook receiver on loopback. `answer` returns the status for each delivery; the default is 200. */
export async function startReceiver(t: TestContext, answer: (delivery: Delivery, count: number) => number = () => 200) {
  const deliveries: Delivery[] = []
  const server = await startServer(t, (request, response) => {
    readBody(request).then((body) => {
      const signature = request.headers['stripe-signature']
      const delivery = { body, signature: typeof signature === 'string' ? signature : undefined }
      deliveries.push(delivery)
      response.statusCode = answer(delivery, deliveries.length)
      response.end()
    })
  })
  return {
    url: `${server}processor-webhooks/stripe`,
    deliveries,
    arrived: (count: number) => waitFor(`${count} deliveries`, () => deliveries.length >= count),
  }
}

/** Starts a server on a free loopback port; after the test it closes with all its connections. */
export async function startServer(t: TestContext, handler: RequestListener): Promise<URL> {
  const server = createServer(handler)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => closeServer(server))
  return new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
}

/**
 * Starts the simulator over real HTTP and a real database, with the adapters a sandbox uses. Deletes the webhooks and
 * the behaviour that earlier tests left in the database, unless `kept` is set.
 */
export async function startSimulator(t: TestContext, db: Database, webhookUrl?: string, { kept = false } = {}) {
  if (!kept) {
    await db.pool.query('delete from simulated_processor.outgoing_webhooks')
    await db.pool.query('delete from simulated_processor.steering')
  }
  const logged: string[] = []
  const log = pino({ level: 'info' }, { write: (line: string) => void logged.push(line) })
  const app = buildPaymentSimulator({ db, secretKey, webhookUrl, webhookSecret, log })
  const apiBase = new URL(await app.listen({ host: '127.0.0.1', port: 0 }))
  t.after(() => app.close())
  const upstream = createUpstream({ name: 'payment-processor', baseUrl: apiBase.href })
  const sandboxProcessor = createSandboxProcessor(upstream, secretKey)
  return {
    app,
    apiBase,
    logged,
    processor: createStripePaymentProcessor({ upstream, secretKey, webhookSecret }),
    confirmation: sandboxProcessor,
    /**
     * Sets the simulator's behaviour for the partner of these tenants. Missing fields have the values of
     * `defaultProcessorBehaviour`.
     */
    steer: (steering: Partial<ProcessorBehaviour>) =>
      sandboxProcessor.changeBehaviour('partner_1', { ...defaultProcessorBehaviour, ...steering }),
  }
}

/** Calls the simulator without the library, for requests that the library cannot make. */
export async function callSimulator(
  apiBase: URL,
  path: string,
  call: { key?: string; form?: Record<string, string>; json?: unknown; headers?: Record<string, string> },
) {
  const response = await fetch(new URL(path, apiBase), {
    method: call.form === undefined && call.json === undefined ? 'GET' : 'POST',
    headers: {
      ...(call.key === undefined ? {} : { authorization: `Bearer ${call.key}` }),
      ...(call.json === undefined ? {} : { 'content-type': 'application/json' }),
      ...call.headers,
    },
    ...(call.form === undefined ? {} : { body: new URLSearchParams(call.form) }),
    ...(call.json === undefined ? {} : { body: JSON.stringify(call.json) }),
  })
  return { status: response.status, headers: response.headers, body: (await response.json()) as WireObject }
}

/** The fields of a wire object that the tests read. */
interface WireObject {
  [field: string]: unknown
  error?: { type: string; code?: string; decline_code?: string; message: string; setup_intent?: WireObject }
}

let tenants = 0

/** Ids and details of a tenant nobody knows yet. */
export function inventTenant() {
  tenants += 1
  const customerId = `tenant_${process.pid}x${tenants}`
  const owners = { customerId, quoteId: 'quote_1', partnerId: 'partner_1' }
  return { owners, person: { name: 'Ada Lovelace', email: `ada${tenants}@example.com` }, key: `customer-${customerId}` }
}

/** Creates a customer and an open setup intent. */
export async function openIntent(processor: PaymentProcessor) {
  const { owners, person, key } = inventTenant()
  const { processorCustomerId } = await processor.createCustomer({ ...owners, ...person, idempotencyKey: key })
  return processor.createSetupIntent({ ...owners, processorCustomerId, idempotencyKey: `intent-${owners.customerId}` })
}

function readBody(request: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => resolve(Buffer.concat(chunks)))
    request.on('error', reject)
  })
}

function closeServer(server: Server): Promise<void> {
  server.closeAllConnections()
  return new Promise((resolve) => server.close(() => resolve()))
}

import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, afterEach, before, test } from 'node:test'
import { Pool } from 'pg'
import { pino } from 'pino'
import { createDatabase } from '../../../src/platform/db/database.ts'
import { buildPaymentSimulator } from '../../../src/sandbox/simulators/payment-processor/payment-simulator.ts'
import { connectPartner, type Partner } from '../../support/client.ts'
import { finalise, paymentStatus, startHousehold } from '../../support/household.ts'
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts'
import { succeeded } from '../../support/responses.ts'
import { findFreePort } from '../../support/service.ts'
import { type ServiceProcess, startServiceProcess } from './service-process.ts'

/*
 * The service runs in a separate process. A proxy between it and the processor kills the service (kill -9) once the
 * processor has done the work, either before or just after passing on the response. Then the service restarts and the
 * partner retries the call.
 */

const secretKey = 'sk_test_behind_the_killer'
const webhookSecret = 'whsec_behind_the_killer'
const credentials = { clientId: 'sb_killed', clientSecret: 'killed-in-a-test' }

let database: TestDatabase
let pool: Pool
let dataDir: string
let port: number
let service: ServiceProcess
let partner: Partner
let simulator: ReturnType<typeof buildPaymentSimulator>
let behind: string
let deadly: { operation: string; answerPasses: boolean } | undefined

const proxy = createServer((request, response) => {
  pass(request, response).catch(() => response.destroy())
})

async function pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method = '', url = '' } = request
  const body = Buffer.concat(await request.toArray())
  const headers = Object.entries(request.headers).filter(([name]) => !['host', 'connection'].includes(name))
  const answer = await fetch(`${behind}${url}`, {
    method,
    headers: headers.map(([name, value]): [string, string] => [name, String(value)]),
    ...(body.length > 0 ? { body } : {}),
  })
  const text = await answer.text()
  const kills = deadly?.operation === `${method} ${url}` ? deadly : undefined
  if (kills !== undefined) deadly = undefined
  if (kills?.answerPasses === false) return service.signal('SIGKILL')
  const replayed = answer.headers.get('idempotent-replayed')
  response.writeHead(answer.status, {
    'content-type': 'application/json',
    ...(replayed === null ? {} : { 'idempotent-replayed': replayed }),
  })
  await new Promise<void>((resolve) => response.end(text, resolve))
  if (kills !== undefined) service.signal('SIGKILL')
}

async function start(): Promise<void> {
  service = await startServiceProcess({
    DATABASE_URL: database.connectionString,
    DATA_DIR: dataDir,
    PORT: String(port),
    PUBLIC_URL: `http://127.0.0.1:${port}`,
    SANDBOX_CLIENT_ID: credentials.clientId,
    SANDBOX_CLIENT_SECRET: credentials.clientSecret,
    PAYMENT_PROCESSOR: 'stripe',
    STRIPE_SECRET_KEY: secretKey,
    STRIPE_WEBHOOK_SECRET: webhookSecret,
    STRIPE_API_BASE: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
  })
}

before(async () => {
  database = await createTestDatabase()
  pool = new Pool({ connectionString: database.connectionString, max: 3, pipeline: true })
  const log = pino({ level: 'silent' })
  simulator = buildPaymentSimulator({ db: createDatabase(pool), secretKey, webhookUrl: undefined, webhookSecret, log })
  behind = await simulator.listen({ host: '127.0.0.1', port: 0 })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  dataDir = await mkdtemp(join(tmpdir(), 'housebill-kill-'))
  port = await findFreePort()
  await start()
  partner = await connectPartner(service.baseUrl, credentials)
})
afterEach(() => {
  deadly = undefined
})
after(async () => {
  service.signal('SIGKILL')
  await service.ended
  proxy.closeAllConnections()
  await new Promise((resolve) => proxy.close(resolve))
  await simulator.close()
  await pool.end()
  await database.drop()
  await rm(dataDir, { recursive: true, force: true })
})

const atProcessor = async (table: 'customers' | 'setup_intents', customerId: string) => {
  const { rows } = await pool.query<{ id: string }>(
    `select id from simulated_processor.${table} where object #>> '{metadata,housebill_customer_id}' = $1`,
    [customerId],
  )
  return rows.map(({ id }) => id)
}

/** Kills the service during a customer's first create-setup-intent and restarts it. */
async function killDuring(operation: string, answerPasses: boolean): Promise<string> {
  const { lead } = await startHousehold(partner, { tenants: 1, packages: ['gas'] })
  succeeded(await finalise(partner, lead))
  deadly = { operation, answerPasses }
  const call = partner.post(`/Customers/${lead}/create-setup-intent`).then(
    () => 'answered',
    () => 'cut off',
  )
  assert.equal(await service.ended, 'SIGKILL')
  const outcome = await call
  // If the response was passed on before the kill, the service may have used it. If it was held back, the call must
  // have failed.
  if (!answerPasses) assert.equal(outcome, 'cut off')
  await start()
  return lead
}

/**
 * Retries the call with two simultaneous requests, and asserts that one customer and one intent exist, both here and at
 * the processor.
 */
async function retriedToOne(customerId: string): Promise<void> {
  const retry = async () => succeeded(await partner.post(`/Customers/${customerId}/create-setup-intent`))
  const [first, second] = await Promise.all([retry(), retry()])
  const { setupIntentId, processorCustomerId } = first
  assert.equal(second.setupIntentId, setupIntentId)
  assert.deepEqual(await atProcessor('customers', customerId), [processorCustomerId])
  assert.deepEqual(await atProcessor('setup_intents', customerId), [setupIntentId])
  assert.equal(await paymentStatus(partner, customerId), 'setup_started')
}

for (const operation of ['POST /v1/customers', 'POST /v1/setup_intents']) {
  for (const answerPasses of [false, true]) {
    const when = answerPasses ? 'just after the response' : 'before the response'
    test(`kill -9 ${when} of ${operation} leaves one customer and one intent after a restart and a retry`, async () => {
      const customerId = await killDuring(operation, answerPasses)
      await retriedToOne(customerId)
    })
  }

  test(`kill -9 before the response of ${operation} leaves one customer and one intent even if the processor has deleted its idempotency keys`, async () => {
    const customerId = await killDuring(operation, false)
    // Two days pass.
    await pool.query('delete from simulated_processor.idempotent_responses')
    await pool.query(
      "update customers set processor_asked_at = processor_asked_at - interval '2 days' where customer_id = $1",
      [customerId],
    )
    await retriedToOne(customerId)
  })
}

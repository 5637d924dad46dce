import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { createLogger } from '../../../src/app/logger.ts'
import { serve } from '../../../src/app/serve.ts'
import { buildConfig } from '../../../src/platform/config/config.ts'
import type { Environment } from '../../../src/platform/config/env.ts'
import { ConfigurationError } from '../../../src/platform/config/problems.ts'
import { loadSecrets } from '../../../src/platform/config/secrets.ts'
import { createSeparateLogins } from '../../support/databases.ts'
import { readLiveOperator } from '../../support/live-operator.ts'
import { createTestDatabase } from '../../support/postgres.ts'
import { findFreePort, startTestService } from '../../support/service.ts'

const folder = await mkdtemp(join(tmpdir(), 'housebill-live-'))
const operatorFile = join(folder, 'operator.json')
await writeFile(operatorFile, JSON.stringify(await readLiveOperator()))
const database = await createTestDatabase()
after(async () => {
  await database.drop()
  await rm(folder, { recursive: true })
})

const live: Environment = {
  HOUSEBILL_ENV: 'live',
  PORT: String(await findFreePort()),
  PUBLIC_URL: 'https://bills.example',
  ...(await createSeparateLogins(database.connectionString)),
  DATA_DIR: folder,
  ENCRYPTION_KEYS: `live-1:${randomBytes(32).toString('base64')}`,
  ERASURE_LEDGER: join(folder, 'erasures.jsonl'),
  OPERATOR_FILE: operatorFile,
  HOME_TELECOM_URL: 'http://127.0.0.1:9',
  BROADBAND_DATABASE_URL: 'http://127.0.0.1:9',
  PAYMENT_PROCESSOR: 'stripe',
  STRIPE_SECRET_KEY: ['sk', 'live', 'nobody'].join('_'),
  STRIPE_WEBHOOK_SECRET: 'whsec_nobody',
  STRIPE_API_BASE: 'https://127.0.0.1:9',
  LOG_LEVEL: 'silent',
}

test('a live service listens only on its own port, a sandbox also on those of its simulators', async (t) => {
  const servers: Server[] = []
  const { listen } = Server.prototype
  t.mock.method(Server.prototype, 'listen', function (this: Server, ...given: unknown[]) {
    servers.push(this)
    return Reflect.apply(listen, this, given)
  })
  /** How many of the servers started so far are listening. */
  const listening = () => servers.filter((server) => server.listening).length
  const config = buildConfig(live)
  const secrets = await loadSecrets(live, config.realm, config.dataDir)
  const service = await serve({ config, secrets, log: createLogger('silent') })
  try {
    assert.equal(listening(), 1)
    const card = await fetch(`http://127.0.0.1:${service.port}/sandbox/card-setup/seti_1`)
    assert.equal(card.status, 404)
  } finally {
    await service.stop()
  }
  assert.equal(listening(), 0)
  const sandbox = await startTestService()
  try {
    // The service, the payment processor and the two broadband upstreams.
    assert.equal(listening(), 4)
  } finally {
    await sandbox.stop()
  }
})

for (const [name, value] of [
  ['PAYMENT_PROCESSOR', 'sandbox'],
  ['PAYMENT_PROCESSOR', undefined],
  ['HOME_TELECOM_URL', undefined],
  ['BROADBAND_DATABASE_URL', undefined],
] as const) {
  test(`the live environment does not start with ${name} ${value ?? 'not set'}, because that needs a simulator`, async () => {
    const environment: Environment = { ...live, [name]: value }
    await assert.rejects(
      async () => {
        const config = buildConfig(environment)
        await loadSecrets(environment, config.realm, config.dataDir)
      },
      (error) => error instanceof ConfigurationError && error.message.includes(name),
    )
  })
}

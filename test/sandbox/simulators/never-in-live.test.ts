import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { composeCipher } from '../../../src/app/compose.ts'
import { createLogger } from '../../../src/app/logger.ts'
import { serve } from '../../../src/app/serve.ts'
import { createPartner } from '../../../src/partners/managing/create-partner.ts'
import { buildConfig } from '../../../src/platform/config/config.ts'
import type { Environment } from '../../../src/platform/config/env.ts'
import { loadSecrets } from '../../../src/platform/config/secrets.ts'
import { systemClock } from '../../../src/platform/kernel/clock.ts'
import { seedSamples } from '../../../src/sandbox/samples/sample-properties.ts'
import { connectPartner } from '../../support/client.ts'
import { createSeparateLogins } from '../../support/databases.ts'
import { readLiveOperator } from '../../support/live-operator.ts'
import { withDatabase } from '../../support/partners.ts'
import { createTestDatabase } from '../../support/postgres.ts'
import { succeeded } from '../../support/responses.ts'
import { ordinaryProperty } from '../../support/sample-properties.ts'
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
    // Without a provider of broadband, no property has any.
    const credentials = await withDatabase(database, async (db) => {
      await seedSamples(db)
      return createPartner(
        { db, clock: systemClock, cipher: await composeCipher(db, secrets), realm: 'live' },
        { name: 'Sells no broadband' },
      )
    })
    const partner = await connectPartner(`http://127.0.0.1:${service.port}`, credentials)
    const { addressUid } = ordinaryProperty()
    const checked = succeeded(await partner.get(`/Quotes/run-broadband-availability-check/${addressUid}`))
    assert.deepEqual([checked.available, checked.products, checked.homeTelecomError], [false, [], false])
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

test('the live environment does not start with the simulated processor', () => {
  const environment: Environment = { ...live, PAYMENT_PROCESSOR: 'sandbox' }
  assert.throws(() => buildConfig(environment), /cannot use the simulated payment processor/)
})

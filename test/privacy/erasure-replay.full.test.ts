import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readFile, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { promisify } from 'node:util'
import Type from 'typebox'
import { createLogger } from '../../src/app/logger.ts'
import { serve } from '../../src/app/serve.ts'
import { buildConfig } from '../../src/platform/config/config.ts'
import { readEnvironment } from '../../src/platform/config/env.ts'
import { loadSecrets } from '../../src/platform/config/secrets.ts'
import { systemClock } from '../../src/platform/kernel/clock.ts'
import { loadDeploymentSecret } from '../../src/platform/keys/deployment-secret.ts'
import { startEmbeddedPostgres } from '../../src/platform/private-postgres/start-embedded.ts'
import { assertSucceeded, housebill } from '../cli/cli-fixture.ts'
import { AuditEntries } from '../cli/command-output.ts'
import { connectPartner, type Partner } from '../support/client.ts'
import { temporaryFolder } from '../support/embedded-postgres-fixture.ts'
import { finalise, findProperty, onboard, psrDetails, startHousehold } from '../support/household.ts'
import { succeeded } from '../support/responses.ts'
import { findFreePort, type ServiceUnderTest } from '../support/service.ts'
import { findOccurrences, readDecryptedContents, withDatabaseKeys } from './decrypted-contents.ts'

const Replayed = Type.Object({
  applied: Type.Integer(),
  alreadyErased: Type.Integer(),
  unknown: Type.Integer(),
  wentOn: Type.Integer(),
})

/** A sandbox with its private PostgreSQL, which a test can stop, copy and start again. */
async function prepareSandbox(t: TestContext) {
  const folder = await temporaryFolder(t)
  const port = await findFreePort()
  const credentials = { clientId: 'sb_restored', clientSecret: randomBytes(16).toString('hex') }
  const dataDir = join(folder, 'data')
  const environment = readEnvironment({
    PORT: String(port),
    PUBLIC_URL: `http://127.0.0.1:${port}`,
    DATA_DIR: dataDir,
    SANDBOX_CLIENT_ID: credentials.clientId,
    SANDBOX_CLIENT_SECRET: credentials.clientSecret,
    RATE_LIMIT_PER_SECOND: '0',
    LOG_LEVEL: 'silent',
  })
  const config = buildConfig(environment)
  return {
    folder,
    dataDir,
    run: (...args: string[]) => housebill(args, environment),
    /** Serves while `work` runs, then stops the service and its PostgreSQL. */
    async serving<Result>(work: (partner: Partner) => Promise<Result>): Promise<Result> {
      const secrets = await loadSecrets(environment, config.realm, dataDir)
      const service = await serve({ config, secrets, log: createLogger('silent') }, { clock: systemClock })
      try {
        return await work(await connectPartner(config.server.publicUrl, credentials))
      } finally {
        await service.stop()
      }
    },
    /** Opens the stored data without serving. */
    async opened<Result>(work: (service: ServiceUnderTest) => Promise<Result>): Promise<Result> {
      const { connectionString, stop } = await startEmbeddedPostgres({ dataDir, log: () => undefined })
      try {
        return await work({ baseUrl: config.server.publicUrl, config, connectionString, credentials, environment })
      } finally {
        await stop()
      }
    },
  }
}

/** As docs/configuration.md says. */
const copy = (from: string, to: string) => promisify(execFile)('cp', ['-a', from, to])

const person = {
  given: 'Quirinius',
  family: 'Zabriskovich',
  email: 'q.zabriskovich@personal.example',
  phone: '+447700900789',
  birth: '1987-03-29',
  notes: 'dialysis-at-home',
  password: 'heliotrope-at-the-door',
  reference: 'flat of the Zabriskys',
}
const words = Object.values(person)

/** A person without a contract, whose every response is stored and who is the subject of events. */
async function addPerson(partner: Partner) {
  const post = async <Path extends string>(path: Path, body: unknown) =>
    succeeded(
      await partner.post(path, body, {
        headers: { 'Idempotency-Key': `restored ${path}`.slice(0, 60).replaceAll(' ', '-') },
      }),
    )
  const addressUid = await findProperty(partner, 'NR4 7TJ')
  const { quoteId } = await post('/Quotes', { addressUid, packages: ['electricity'], reference: person.reference })
  const named = { name: `${person.given} ${person.family}`, email: person.email }
  const { tenants } = await post(`/Quotes/${quoteId}/add-tenants`, { tenants: [named] })
  const [{ tenantId: customerId } = assert.fail('no tenant')] = tenants
  await post(`/Customers/${customerId}/finalise-personal-information`, {
    firstName: person.given,
    lastName: person.family,
    email: person.email,
    phone: person.phone,
    dateOfBirth: person.birth,
    psrDetails: psrDetails({ notes: person.notes, password: person.password }),
  })
  return customerId
}

/** Where the database contains anything of this person. */
async function findPerson(service: ServiceUnderTest): Promise<string[]> {
  const processorKey = await withDatabaseKeys(service, ({ databases, cipher }) =>
    loadDeploymentSecret({ db: databases.system, cipher }, 'simulated-processor-key'),
  )
  return findOccurrences(await readDecryptedContents(service, `sk_test_${processorKey.toString('hex')}`), words)
}

test('people erased after a backup are back when it is restored, and a replay of the ledger erases them everywhere', async (t) => {
  const sandbox = await prepareSandbox(t)
  const { folder, dataDir, run } = sandbox
  const known = await sandbox.serving(async (partner) => {
    const early = await startHousehold(partner, { tenants: 1 })
    succeeded(await partner.post(`/Customers/${early.lead}/erase`))
    const bound = await startHousehold(partner, { tenants: 1 })
    await onboard(partner, bound.lead)
    return { person: await addPerson(partner), bound: bound.lead }
  })
  const backup = join(folder, 'backup')
  await copy(dataDir, backup)

  const erasedAt = await sandbox.serving(async (partner) => {
    const later = await startHousehold(partner, { tenants: 1 })
    succeeded(await finalise(partner, later.lead))
    succeeded(await partner.post(`/Customers/${later.lead}/erase`))
    return succeeded(await partner.post(`/Customers/${known.person}/erase`)).erasedAt
  })
  assertSucceeded(await run('customers', 'erase', known.bound, '--force'))
  const find = () => sandbox.opened(findPerson)
  assert.deepEqual(await find(), [])

  const aside = join(folder, 'data-before')
  await rename(dataDir, aside)
  await copy(backup, dataDir)
  const restored = await find()
  for (const place of ['customers.personal', 'customers.psr', 'idempotency_keys.response', 'quotes.reference'])
    assert.ok(
      restored.some((found) => found.startsWith(place)),
      `the backup brought back ${place}`,
    )

  const ledger = join(aside, 'erasures.jsonl')
  const first = await run('customers', 'erase', '--replay', ledger, '--json')
  assertSucceeded(first)
  assert.deepEqual(first.json(Replayed), { applied: 2, alreadyErased: 1, unknown: 1, wentOn: 0, torn: [] })
  assert.deepEqual(await find(), [])
  const again = await run('customers', 'erase', '--replay', ledger)
  assertSucceeded(again)
  assert.equal(again.stdout, 'Erased: 0. Already erased: 3. Unknown here: 1.\n')
  // The restored folder's own ledger was as old as the backup.
  assertSucceeded(await run('customers', 'erase', '--replay'))
  assert.equal((await readFile(join(dataDir, 'erasures.jsonl'), 'utf8')).trim().split('\n').length, 3)

  const { entries } = (await run('audit', 'list', '--customer', known.person, '--json')).json(AuditEntries)
  const replayed = entries.find(
    ({ operation, fields }) => operation === 'customers erase --replay' && fields.includes('erased_at'),
  )
  assert.equal(replayed?.actor, 'operator')
  await sandbox.serving(async (partner) => {
    const answer = succeeded(await partner.post(`/Customers/${known.person}/erase`))
    assert.equal(answer.erasedAt, erasedAt, 'the time of the first erasure stays')
    assert.equal(succeeded(await partner.get(`/Customers/${known.bound}`)).personalDetails.firstName, 'Erased')
  })
  assert.deepEqual(await find(), [])
})

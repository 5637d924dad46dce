import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, test } from 'node:test'
import Type from 'typebox'
import { encryptedFields } from '../../src/domain/deployment/encrypted-fields.store.ts'
import { assertSucceeded, bin, checkout, housebill } from '../cli/cli-fixture.ts'
import { KeyStatus, Partners } from '../cli/command-output.ts'
import { connectPartner } from '../support/client.ts'
import { rawRows } from '../support/customer-fixtures.ts'
import { addTenants, finalise, onboard, psrDetails, sampleTenants, startHousehold } from '../support/household.ts'
import { succeeded } from '../support/responses.ts'
import { startTestService } from '../support/service.ts'

const service = await startTestService({ WEBHOOK_ALLOW_LOOPBACK: 'true' })
after(() => service.stop())
const partner = await connectPartner(service.baseUrl, service.credentials)
const keyFile = join(service.config.dataDir, 'encryption-keys')
const keys = (...args: string[]) => housebill(['keys', ...args, '--json'], service.environment)

/** Creates a quote with every kind of encrypted value, and enough customers for several batches. */
async function fill(): Promise<string> {
  const { partners } = (await housebill(['partner', 'list', '--json'], service.environment)).json(Partners)
  const contact = ['change', partners[0]?.partnerId ?? '', '--contact-email', 'bills@partner.example']
  assertSucceeded(await housebill(['partner', ...contact], service.environment))
  const headers = { 'Idempotency-Key': 'kept' }
  const webhook = { url: 'https://127.0.0.1:9/hook', events: ['quote.status.changed'] }
  const { webhookId } = succeeded(await partner.post('/Webhooks', webhook, { headers }))
  succeeded(await partner.post(`/Webhooks/${webhookId}/rotate-secret`))
  const { lead } = await startHousehold(partner, { tenants: 1 })
  succeeded(await finalise(partner, lead, { psrDetails: psrDetails() }))
  await onboard(partner, lead, { psrDetails: psrDetails() })
  for (let count = 0; count < 10; count += 1) {
    const { quoteId } = await startHousehold(partner, { tenants: 0 })
    await addTenants(partner, quoteId, sampleTenants(12))
  }
  return lead
}

test('a rotation covers all columns of the schema that contain encrypted values', async () => {
  const columns = await rawRows(
    service,
    `select table_name || '.' || column_name as name from information_schema.columns
      where table_schema = 'public' and column_name like '%\\_encrypted' order by 1`,
  )
  const listed = encryptedFields
    .map(({ table, column }) => `${table.text}.${column.text}`)
    .filter((name) => name !== 'deployment_settings.value')
  assert.deepEqual(
    columns.map(({ name }) => name),
    listed.sort(),
  )
})

test('a rotation that is killed and restarted on a busy server loses nothing and retires the old key', async () => {
  const lead = await fill()
  const held = succeeded(await partner.get(`/Customers/${lead}/export`))
  const child = spawn(process.execPath, [bin, 'keys', 'rotate', '--json'], {
    cwd: checkout,
    env: { PATH: process.env.PATH, ...service.environment },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  await once(child.stderr, 'data')
  child.kill('SIGKILL')
  await once(child, 'close')
  const half = (await keys('status')).json(KeyStatus)
  assert.deepEqual(
    half.keys.map(({ keyId, state }) => [keyId, state]),
    [
      ['sandbox-2', 'current'],
      ['sandbox-1', 'in use'],
    ],
    'the rotation had started but not finished',
  )

  let writing = true
  const written: [customerId: string, firstName: string][] = []
  const writer = (async () => {
    const { tenants } = await startHousehold(partner, { tenants: 4 })
    for (let round = 0; writing; round += 1) {
      const customerId = tenants[round % 4] ?? ''
      succeeded(await finalise(partner, customerId, { firstName: `Round${round}` }))
      written.push([customerId, `Round${round}`])
    }
  })()
  const again = await keys('rotate')
  writing = false
  await writer
  assert.equal(again.code, 0, again.stderr)
  assert.match(again.stderr, /"progress":\{"done":\d+,"total":\d+,"column":"customers.personal"\}/)
  assert.equal(again.json(Type.Object({ resumed: Type.Boolean() })).resumed, true)
  const { keys: states } = (await keys('status')).json(KeyStatus)
  assert.deepEqual(
    states.map(({ keyId, state }) => [keyId, state]),
    [
      ['sandbox-2', 'current'],
      ['sandbox-1', 'retired'],
    ],
  )
  assert.deepEqual([states[1]?.values, (states[0]?.values ?? 0) > 130], [0, true])
  for (const [customerId, firstName] of new Map(written)) {
    const { personalDetails } = succeeded(await partner.get(`/Customers/${customerId}`))
    assert.equal(personalDetails.firstName, firstName)
  }

  const [current = ''] = (await readFile(keyFile, 'utf8')).trim().split(',')
  await writeFile(keyFile, `${current}\n`)
  const alone = (await keys('status')).json(KeyStatus)
  assert.deepEqual(
    alone.keys.map(({ keyId }) => keyId),
    ['sandbox-2'],
  )
  const { auditLog: _, exportedAt: __, ...rest } = succeeded(await partner.get(`/Customers/${lead}/export`))
  const { auditLog: _before, exportedAt: __before, ...before } = held
  assert.deepEqual(rest, before)
  const replay = await partner.post(
    '/Webhooks',
    { url: 'https://127.0.0.1:9/hook', events: ['quote.status.changed'] },
    { headers: { 'Idempotency-Key': 'kept' } },
  )
  assert.equal(replay.headers.get('idempotent-replayed'), 'true')
})

test('with ENCRYPTION_KEYS set, a rotation first prints a new key and the steps, and then moves everything to the first key', async () => {
  const [current = ''] = (await readFile(keyFile, 'utf8')).trim().split(',')
  const inEnvironment = (text: string) => ({ ...service.environment, ENCRYPTION_KEYS: text })
  const offered = await housebill(['keys', 'rotate', '--json'], inEnvironment(current))
  assertSucceeded(offered)
  const { newKey, steps } = offered.json(Type.Object({ newKey: Type.String(), steps: Type.Array(Type.Unknown()) }))
  assert.match(newKey, /^key-\d{4}-\d\d-\d\d-[0-9a-f]{4}:[A-Za-z0-9+/]{43}=$/)
  assert.equal(steps.length, 4)
  await writeFile(keyFile, `${newKey},${current}\n`)
  const moved = await housebill(['keys', 'rotate', '--json'], inEnvironment(`${newKey},${current}`))
  assert.equal(moved.code, 0, moved.stderr)
  assert.deepEqual(
    moved.json(KeyStatus).keys.map(({ state }) => state),
    ['current', 'retired'],
  )
  succeeded(await partner.get('/Quotes?limit=1'))
})

test('keys status reports a key as missing if values are encrypted with it and it is not configured', async () => {
  await rawRows(
    service,
    `update webhook_secrets set secret_encrypted = 'lost.' || secret_encrypted where signs_until is null`,
  )
  const { keys: states } = (await keys('status')).json(KeyStatus)
  assert.deepEqual(states.at(-1), { keyId: 'lost', values: 1, state: 'missing' })
})

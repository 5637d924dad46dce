import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { decodeProtectedHeader } from 'jose'
import Type from 'typebox'
import { encryptedFields } from '../../src/privacy/keys/encrypted-fields.store.ts'
import {
  assertFailedAsJson,
  assertSucceeded,
  bin,
  checkout,
  housebill,
  prepareEnvironment,
} from '../cli/cli-fixture.ts'
import { KeyStatus } from '../cli/command-output.ts'
import { call, connectPartner, getToken } from '../support/client.ts'
import { rawRows } from '../support/customer-fixtures.ts'
import { addTenants, finalise, onboard, psrDetails, sampleTenants, startHousehold } from '../support/household.ts'
import { connectOperator } from '../support/operator.ts'
import { rejected, succeeded } from '../support/responses.ts'
import { startSecondService, startTestService } from '../support/service.ts'
import { storeEndRequest } from './decrypted-contents.ts'

const prepared = await prepareEnvironment()
const credentials = { clientId: 'sb_keys', clientSecret: 'a-secret-for-the-test-of-keys' }
const environment = {
  ...prepared.environment,
  SANDBOX_CLIENT_ID: credentials.clientId,
  SANDBOX_CLIENT_SECRET: credentials.clientSecret,
  // Tokens name the address of the service, and each start has a port of its own.
  PUBLIC_URL: 'http://localhost:8080',
  LOG_LEVEL: 'error',
}
after(() => prepared.drop())

const replace = (...args: string[]) => housebill(['keys', 'replace', ...args, '--json'], environment)
/** Replaces a key, and asserts that the security log says so. */
async function replaced(...args: string[]) {
  const result = await replace(...args)
  assert.equal(result.code, 0, result.stderr)
  const reason = args.length > 1 ? `${args[0]}, compromised` : args[0]
  assert.ok(result.stderr.includes(`"log":"security","event":"key.replaced","reason":"${reason}"`), result.stderr)
  return result
}
const signerOf = (token: string) => decodeProtectedHeader(token).kid

test('after a restart, new keys make and earlier ones are accepted; those that leaked are not', async () => {
  let server = await startSecondService({ environment })
  const restart = async (change: () => Promise<unknown>) => {
    await server.stop()
    await change()
    server = await startSecondService({ environment })
  }
  const newToken = () => getToken(server.baseUrl, credentials)
  const statusOf = async (token: string) =>
    (
      await call(server.baseUrl, 'GET', '/partner-api/Quotes', undefined, {
        headers: { Authorization: `Bearer ${token}` },
      })
    ).status
  const openLink = async (link: URL) => (await fetch(new URL(link.pathname + link.search, server.baseUrl))).status
  try {
    const partner = await connectPartner(server.baseUrl, credentials)
    const { quoteId, tenants, addressUid } = await startHousehold(partner, { tenants: 2, reference: 'order 1' })
    const [lead = '', second = ''] = tenants
    const once = { headers: { 'Idempotency-Key': 'before-the-replacement' } }
    const { quoteId: created } = succeeded(await partner.post('/Quotes', { addressUid }, once))
    const { lead: signed } = await startHousehold(partner, { tenants: 1 })
    await onboard(partner, signed)
    const linkOf = async (by = partner) =>
      new URL(succeeded(await by.get(`/Customers/${signed}/pci-contract-url-html`)).contractUrl)
    const [token, link] = [await newToken(), await linkOf()]
    const { email } = succeeded(await partner.get(`/Customers/${lead}`)).personalDetails
    assertFailedAsJson(await replace('hashes'), 'server_running')

    await restart(async () => {
      for (const kind of ['signing', 'links', 'hashes']) await replaced(kind)
    })
    const renewed = await newToken()
    assert.notEqual(signerOf(renewed), signerOf(token))
    assert.deepEqual([await statusOf(token), await statusOf(renewed), await openLink(link)], [200, 200, 200])
    const after = await connectPartner(server.baseUrl, credentials)
    const { data } = succeeded(await after.get('/Quotes?reference=order%201'))
    assert.deepEqual(
      data.map((quote) => quote.quoteId),
      [quoteId],
    )
    rejected(await after.patch(`/Customers/${second}`, { email }), 422, 'duplicate_tenant')
    assert.equal(succeeded(await after.post('/Quotes', { addressUid }, once)).quoteId, created)
    const between = await linkOf(after)

    await restart(async () => {
      for (const kind of ['signing', 'links']) await replaced(kind, '--compromised')
    })
    for (const old of [token, renewed]) assert.equal(await statusOf(old), 401)
    for (const old of [link, between]) assert.equal(await openLink(old), 403)
    const last = await connectPartner(server.baseUrl, credentials)
    assert.deepEqual([await statusOf(last.token), await openLink(await linkOf(last))], [200, 200])
    rejected(await last.patch(`/Customers/${second}`, { email }), 422, 'duplicate_tenant')
  } finally {
    await server.stop()
  }
})

test('re-encryption after a leak says what it does not undo', async () => {
  const file = join(prepared.folder, 'encryption-keys')
  const old = (await readFile(file, 'utf8')).trim()
  await writeFile(file, `new:${randomBytes(32).toString('base64')},${old}\n`)
  const result = await replaced('encryption', '--compromised')
  const { notes } = result.json(Type.Object({ notes: Type.Array(Type.String()) }))
  assert.match(notes.join(' '), /needs sandbox-1 any more.*Remove it now.*Backups.*replace signing --compromised/)
  const { keys } = (await housebill(['keys', 'status', '--json'], environment)).json(
    Type.Object({ keys: Type.Array(Type.Object({ state: Type.String() })) }),
  )
  assert.deepEqual(
    keys.map(({ state }) => state),
    ['current', 'retired'],
  )
})

const service = await startTestService({ WEBHOOK_ALLOW_LOOPBACK: 'true' })
after(() => service.stop())
const partner = await connectPartner(service.baseUrl, service.credentials)
const keyFile = join(service.config.dataDir, 'encryption-keys')
/** Puts a new key before the others, as the operator does. */
const putFirst = async (id: string) =>
  writeFile(keyFile, `${id}:${randomBytes(32).toString('base64')},${await readFile(keyFile, 'utf8')}`)
const keys = (...args: string[]) => housebill(['keys', ...args, '--json'], service.environment)

/** Creates a quote with every kind of encrypted value, and enough customers for several batches. */
async function fill(): Promise<string> {
  const operator = await connectOperator(service, ['partners:read', 'partners:write'])
  const { data } = succeeded(await operator.get<{ data: { partnerId: string }[] }>('/Partners'))
  succeeded(await operator.patch(`/Partners/${data[0]?.partnerId}`, { contactEmail: 'bills@partner.example' }))
  const headers = { 'Idempotency-Key': 'kept' }
  const webhook = { url: 'https://127.0.0.1:9/hook', events: ['quote.status.changed'] }
  const { webhookId } = succeeded(await partner.post('/Webhooks', webhook, { headers }))
  succeeded(await partner.post(`/Webhooks/${webhookId}/rotate-secret`))
  const { lead } = await startHousehold(partner, { tenants: 1 })
  succeeded(await finalise(partner, lead, { psrDetails: psrDetails() }))
  await onboard(partner, lead, { psrDetails: psrDetails() })
  succeeded(await partner.post(`/Customers/${lead}/report-death`, { relationship: 'A friend' }))
  await storeEndRequest(service, lead, 'Ring me at work')
  for (let count = 0; count < 10; count += 1) {
    const { quoteId } = await startHousehold(partner, { tenants: 0 })
    await addTenants(partner, quoteId, sampleTenants(12))
  }
  return lead
}

test('re-encryption covers all columns of the schema that contain encrypted values', async () => {
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

test('a re-encryption that is killed and restarted on a busy server loses nothing and retires the old key', async () => {
  const lead = await fill()
  const held = succeeded(await partner.get(`/Customers/${lead}/export`))
  await putFirst('sandbox-2')
  const child = spawn(process.execPath, [bin, 'keys', 'replace', 'encryption', '--json'], {
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
    'it had started but not finished',
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
  const again = await keys('replace', 'encryption')
  writing = false
  await writer
  assert.equal(again.code, 0, again.stderr)
  assert.match(again.stderr, /"progress":\{"done":\d+,"total":\d+,"column":"customers.personal"\}/)
  assert.match(again.json(Type.Object({ notes: Type.Array(Type.String()) })).notes.join(), /needs sandbox-1 any more/)
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

test('with one key there is nothing to replace, and the command says how to begin', async () => {
  const run = await housebill(['keys', 'replace', 'encryption'], { ...service.environment, LOG_LEVEL: 'error' })
  assertSucceeded(run)
  assert.match(run.stdout, /^0 values were re-encrypted\.[\s\S]*Only sandbox-2 is in use.*put a new key before it/)
  assert.doesNotMatch(run.stderr, /key\.replaced/)
})

test('while a server goes on encrypting with an earlier key, the command fails and says so', async () => {
  // A server that was not restarted: whatever is encrypted anew comes back as it was.
  await rawRows(
    service,
    `create function keep_reference() returns trigger language plpgsql as
       $$ begin new.secret_encrypted := old.secret_encrypted; return new; end $$;
     create trigger keep_reference before update on webhook_secrets for each row execute function keep_reference()`,
  )
  await putFirst('sandbox-3')
  const run = await keys('replace', 'encryption')
  assertFailedAsJson(run, 'key_still_in_use')
  await rawRows(service, 'drop function keep_reference cascade')
  const again = await keys('replace', 'encryption')
  assert.equal(again.code, 0, again.stderr)
  assert.deepEqual(
    again.json(KeyStatus).keys.map(({ keyId, state }) => [keyId, state]),
    [
      ['sandbox-3', 'current'],
      ['sandbox-2', 'retired'],
    ],
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

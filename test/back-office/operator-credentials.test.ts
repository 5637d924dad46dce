import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { pino } from 'pino'
import { createLogger } from '../../src/app/logger.ts'
import {
  createOperatorCredential,
  disableOperatorCredential,
  type NewOperatorCredential,
} from '../../src/partners/operators/manage-operator-credentials.ts'
import { findEndOfFullAccess } from '../../src/partners/operators/operator-credentials.store.ts'
import { operatorScopes } from '../../src/partners/operators/operator-scopes.ts'
import { warnOfExpiry, warnOfExpiryJob } from '../../src/partners/warn-of-expiry.job.ts'
import { assertSucceeded, housebill } from '../cli/cli-fixture.ts'
import { AuditEntries } from '../cli/command-output.ts'
import { call } from '../support/client.ts'
import { rawRows } from '../support/customer-fixtures.ts'
import { cipherOf, withDatabase } from '../support/partners.ts'
import { rejected, succeeded } from '../support/responses.ts'
import { movableClock, startTestService } from '../support/service.ts'

const lines: Record<string, unknown>[] = []
const log = createLogger('warn', { write: (line) => void lines.push(JSON.parse(line)) })
const clock = movableClock('2027-03-01T09:00:00Z')
const service = await startTestService({ TRUSTED_PROXIES: '127.0.0.1' }, { clock, log })
after(() => service.stop())

const day = 86_400
const [inside, outside] = [{ 'X-Forwarded-For': '192.0.2.9' }, { 'X-Forwarded-For': '198.51.100.9' }]

function create(wanted: Partial<NewOperatorCredential> = {}) {
  return withDatabase(service, async (db) =>
    createOperatorCredential(
      { db, clock, cipher: await cipherOf(service) },
      { name: 'office', scopes: ['contracts:read'], ...wanted },
    ),
  )
}

async function askForToken(credentials: { clientId: string; clientSecret: string }, headers = inside) {
  const { clientId, clientSecret } = credentials
  const body = { clientId, clientSecret }
  const { status, text } = await call(service.baseUrl, 'POST', '/operator-api/Auth/token', body, { headers })
  return { ...(JSON.parse(text) as Record<string, unknown>), status } as Record<string, unknown>
}

function readContracts(token: unknown, headers = inside) {
  const options = { headers: { Authorization: `Bearer ${token}`, ...headers } }
  return call(service.baseUrl, 'GET', '/operator-api/Contracts', undefined, options)
}

/** The entries of the operator's own account about this credential or key, oldest first. */
async function entriesOf(subjectId: string): Promise<string[]> {
  const rows = await rawRows(
    service,
    `select action, subject_type, fields::text, partner_id from audit_log where subject_id = $1 order by entry_number`,
    [subjectId],
  )
  for (const { partner_id: partnerId } of rows) assert.equal(partnerId, `partner_${'0'.repeat(26)}`)
  return rows.map(({ action, subject_type: kind, fields }) => `${action} ${kind} ${fields}`)
}

test('credentials that are limited to addresses work from these only, and a rejection is logged as for a partner', async () => {
  const credentials = await create({ allowedFrom: ['192.0.2.0/24'] })
  const { clientId } = credentials
  const { access_token: token, status } = await askForToken(credentials)
  assert.equal(status, 200)
  succeeded(await readContracts(token))
  const { detail } = rejected(await readContracts(token, outside), 403, 'address_not_allowed')
  assert.doesNotMatch(detail, /\d/, 'the error does not list addresses')
  const rejections = lines.filter(({ event }) => event === 'address.refused')
  assert.deepEqual(
    rejections.map(({ clientId: named, partnerId }) => [named, partnerId]),
    [[clientId, undefined]],
  )
  const elsewhere = await askForToken(credentials, outside)
  assert.deepEqual([elsewhere.status, elsewhere.error], [401, 'invalid_client'])
  assert.match(String(elsewhere.error_description), /^These credentials cannot be used from this address/)
  const wrong = await askForToken({ clientId, clientSecret: 'sk_wrong' }, outside)
  assert.match(String(wrong.error_description), /^The client id or the client secret is wrong/)
})

test('credentials and their tokens stop when the credentials expire', async () => {
  const credentials = await create({ lifetimeSeconds: 600 })
  const { access_token: token, expires_in: expiresIn } = await askForToken(credentials)
  assert.ok(Number(expiresIn) <= 601, 'a token does not outlive its credentials')
  succeeded(await readContracts(token))
  clock.moveTo('2027-03-01T09:20:00Z')
  assert.equal((await askForToken(credentials)).status, 401)
  rejected(await readContracts(token), 401, 'unauthenticated')
})

test('who can write to the database makes no credentials, scopes or sessions that open anything', async () => {
  const { clientId, clientSecret } = await create()
  const { access_token: token } = await askForToken({ clientId, clientSecret })
  succeeded(await readContracts(token))
  await rawRows(
    service,
    `insert into operator_credentials (client_id, name, secret_hash, scopes, created_at, seal)
     select 'op_mine', 'mine', secret_hash, '{psr:read,support:read}', created_at, seal from operator_credentials
      where client_id = $1`,
    [clientId],
  )
  assert.equal((await askForToken({ clientId: 'op_mine', clientSecret })).status, 401)
  await rawRows(service, `update operator_credentials set scopes = scopes || '{psr:read}' where client_id = $1`, [
    clientId,
  ])
  assert.equal((await askForToken({ clientId, clientSecret })).status, 401)
  rejected(await readContracts(token), 401, 'unauthenticated')

  const { credentials } = service
  const ask = () => call(service.baseUrl, 'POST', '/partner-api/Auth/token', credentials)
  const stored = 'select scopes, partner_id, previous_secret_hash as previous from credentials where client_id = $1'
  const [before = assert.fail()] = await rawRows(service, stored, [credentials.clientId])
  for (const change of [
    "scopes = '{psr:read}'",
    "partner_id = 'partner_00000000000000000000000000'",
    "previous_secret_hash = secret_hash, previous_secret_until = '2100-01-01'",
  ]) {
    assert.equal((await ask()).status, 200)
    await rawRows(
      service,
      "insert into partners (partner_id, name) values ('partner_00000000000000000000000000', 'o') on conflict do nothing",
    )
    await rawRows(service, `update credentials set ${change} where client_id = $1`, [credentials.clientId])
    assert.equal((await ask()).status, 401, change)
    await rawRows(
      service,
      `update credentials set scopes = $2, partner_id = $3, previous_secret_hash = $4, previous_secret_until = null
        where client_id = $1`,
      [credentials.clientId, before.scopes, before.partner_id, before.previous],
    )
  }
})

test('every change of an operator credential and of a key that tokens, links or hashes are made with is in the audit log, whoever makes it', async () => {
  const { clientId, clientSecret } = await create()
  const [{ hash } = assert.fail()] = await rawRows(
    service,
    'select secret_hash as hash from operator_credentials where client_id = $1',
    [clientId],
  )
  await withDatabase(service, (db) => disableOperatorCredential({ db, clock }, clientId))
  await rawRows(service, `update operator_credentials set last_token_on = now() where client_id = $1`, [clientId])
  await rawRows(service, `delete from operator_credentials where client_id = $1`, [clientId])
  assert.deepEqual(await entriesOf(clientId), [
    'created operator credential {client_id,created_at,name,scopes,secret_hash}',
    'changed operator credential {disabled_at}',
    'removed operator credential {client_id,created_at,disabled_at,name,scopes,secret_hash}',
  ])
  await rawRows(
    service,
    `insert into key_ring (kind, key_id, secret_encrypted, made_at) values ('links', 'forged', 'secret', 'yesterday')`,
  )
  await rawRows(service, `update key_ring set secret_encrypted = '' where key_id = 'forged'`)
  await rawRows(service, `delete from key_ring where key_id = 'forged'`)
  assert.deepEqual(await entriesOf('forged'), [
    'created key {key_id,kind,made_at,secret}',
    'changed key {secret}',
    'removed key {key_id,kind,made_at,secret}',
  ])
  const [{ found } = assert.fail()] = await rawRows(
    service,
    `select count(*)::int as found from audit_log, unnest($1::text[]) secret
     where position(secret in audit_log::text) > 0`,
    [[clientSecret, hash]],
  )
  assert.equal(found, 0, 'no entry has a secret or its hash')
})

test('the commands limit credentials, and "audit list" names who changed them', async () => {
  const run = async (...args: string[]) => {
    const result = await housebill([...args, '--json'], service.environment)
    assertSucceeded(result)
    return result
  }
  const limits = ['--expires-in', '90d', '--allow-from', '192.0.2.0/24']
  const created = (await run('operator', 'create', '--name', 'office', '--scopes', 'contracts:read', ...limits)).json()
  const { clientId, expiresAt, allowedFrom } = created as { clientId: string; expiresAt: string; allowedFrom: string[] }
  assert.deepEqual([allowedFrom, Number.isNaN(Date.parse(expiresAt))], [['192.0.2.0/24'], false])
  const listed = (await run('operator', 'list')).json() as Record<string, unknown>[]
  const shown = listed.find((each) => each.clientId === clientId)
  assert.deepEqual([shown?.expiresAt, shown?.allowedFrom], [expiresAt, ['192.0.2.0/24']])
  assert.doesNotMatch(JSON.stringify(listed), /[Hh]ash/)

  const { entries } = (await run('audit', 'list', '--partner', `partner_${'0'.repeat(26)}`)).json(AuditEntries)
  assert.deepEqual(
    entries.slice(-1).map(({ actor, operation, action, fields }) => [actor, operation, action, fields.length]),
    [['operator', 'operator create', 'created', 7]],
  )
})

test('from 14 days before the last credentials with every scope expire, the log warns and a metric counts down', async () => {
  clock.moveTo('2027-03-01T10:00:00Z')
  const warnings: Record<string, unknown>[] = []
  const warned = async () => {
    warnings.length = 0
    const writing = pino({}, { write: (line: string) => void warnings.push(JSON.parse(line)) })
    await withDatabase(service, (db) => warnOfExpiry({ db, clock, log: writing }))
    await withDatabase(service, (db) => warnOfExpiryJob({ db, clock, log: writing }).run(new AbortController().signal))
    return warnings.map(({ level, expiresAt }) => [level, expiresAt])
  }
  assert.deepEqual(await warned(), [], 'nothing has every scope')
  await create({ scopes: operatorScopes, lifetimeSeconds: 10 * day })
  const { expiresAt } = await create({ scopes: operatorScopes, lifetimeSeconds: 20 * day })
  await create({ lifetimeSeconds: day })
  assert.deepEqual(await withDatabase(service, findEndOfFullAccess), expiresAt)
  assert.deepEqual(await warned(), [], 'the last of them has 20 days')
  clock.moveTo('2027-03-07T10:00:10Z')
  const said = [40, expiresAt?.toISOString()]
  assert.deepEqual(await warned(), [said, said])
  const metrics = await (await fetch(`${service.baseUrl}/metrics`)).text()
  const [, left = ''] = /^housebill_operator_credentials_expire_seconds (\S+)$/m.exec(metrics) ?? []
  assert.equal(Math.round(Number(left) / day), 14)
  clock.moveTo('2027-04-01T10:00:00Z')
  assert.deepEqual(await warned(), [said, said], 'also once they have expired')
  await create({ scopes: operatorScopes })
  assert.deepEqual(await warned(), [], 'new ones never expire')
})

import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import Type, { type TSchema } from 'typebox'
import { call, connectPartner } from '../support/client.ts'
import { onboard, psrDetails, startHousehold } from '../support/household.ts'
import { untilFeedsShowAll } from '../support/operator.ts'
import { succeeded } from '../support/responses.ts'
import { startTestService } from '../support/service.ts'
import { assertFailedAsJson, assertSucceeded, housebill } from './cli-fixture.ts'
import { IssuedCredentials, PublishResult } from './command-output.ts'

const folder = await mkdtemp(join(tmpdir(), 'housebill-cli-'))
const service = await startTestService()
const partner = await connectPartner(service.baseUrl, service.credentials)
after(async () => {
  await service.stop()
  await rm(folder, { recursive: true, force: true })
})
const run = (...args: string[]) => housebill([...args, '--json'], { ...service.environment, LOG_LEVEL: 'warn' })

async function exported(name: string, ...options: string[]) {
  await untilFeedsShowAll(service)
  const out = join(folder, name)
  const done = await run('contracts', 'export', '--out', out, ...options)
  assertSucceeded(done)
  const { lines, cursor } = done.json(Type.Object({ lines: Type.Integer(), cursor: Type.String() }))
  return { lines, cursor, text: await readFile(out, 'utf8'), mode: (await stat(out)).mode & 0o777 }
}

test('an export has every contract once, with its figures as GET shows them, and the next one only what changed since', async () => {
  const { quoteId, tenants } = await startHousehold(partner)
  for (const tenant of tenants) await onboard(partner, tenant)
  const { lines, cursor, text, mode } = await exported('contracts.ndjson', '--format', 'ndjson')
  assert.deepEqual([lines, mode], [2, 0o600])
  const records = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
  for (const { customerId, status, totalCost, email } of records) {
    const { total } = { total: succeeded(await partner.get(`/Customers/${customerId}/total-cost`)) }
    assert.deepEqual([status, totalCost, email], ['in_force', total.totalCost, `${customerId}@example.com`])
  }
  assert.deepEqual(
    records.map(({ quoteId: each }) => each),
    [quoteId, quoteId],
  )
  assert.equal((await exported('nothing.csv', '--since', cursor)).lines, 0)
  succeeded(await partner.patch(`/Customers/${tenants[1]}`, { firstName: '=SUM(A1)' }))
  const changed = await exported('changed.csv', '--since', cursor)
  const [head = '', row = ''] = changed.text.split('\r\n')
  assert.match(head, /^contractNumber,version,status,/)
  assert.equal(changed.lines, 1)
  assert.ok(row.includes(",'=SUM(A1) "), 'a spreadsheet would run it as a formula')
})

test('a supply export has one line for each meter point of a household', async () => {
  const { quoteId, tenants } = await startHousehold(partner, { tenants: 3 })
  for (const tenant of tenants) await onboard(partner, tenant)
  const { text } = await exported('supply.ndjson', '--kind', 'supply', '--format', 'ndjson')
  const own = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter((line) => line.quoteId === quoteId)
  assert.deepEqual(
    own.map(({ service: kind, status, email }) => [kind, status, email]),
    [
      ['electricity', 'pending', `${tenants[0]}@example.com`],
      ['gas', 'pending', `${tenants[0]}@example.com`],
    ],
  )
  for (const { meterPoint, kwhPerYear } of own) {
    assert.match(String(meterPoint), /^\d{6,13}$/)
    assert.ok(Number(kwhPerYear) > 0)
  }
})

test('the register and payments are exported, payments without a cursor', async () => {
  const { quoteId, tenants } = await startHousehold(partner, { tenants: 1 })
  for (const tenant of tenants) await onboard(partner, tenant, { psrDetails: psrDetails() })
  const register = await exported('register.json', '--kind', 'register', '--format', 'json')
  const lines = JSON.parse(register.text) as { quoteId: string; needs: string }[]
  assert.ok(lines.find((line) => line.quoteId === quoteId)?.needs)
  const out = join(folder, 'payments.ndjson')
  const paid = await run('contracts', 'export', '--out', out, '--kind', 'payments', '--format', 'ndjson')
  assertSucceeded(paid)
  const written = (await readFile(out, 'utf8')).trimEnd().split('\n')
  assert.deepEqual(paid.json(Type.Object({}, { additionalProperties: true })), { file: out, lines: written.length })
  const none = join(folder, 'none.csv')
  const early = ['contracts', 'export', '--kind', 'payments', '--due-before', '2020-01-01', '--out', none]
  assertSucceeded(await run(...early))
  assert.match(await readFile(none, 'utf8'), /^entryId,dueDate,[^\r]*\r\n$/)
  const wrong = await run(
    'contracts',
    'export',
    '--kind',
    'payments',
    '--due-before',
    'soon',
    '--out',
    join(folder, 'y'),
  )
  assert.match(wrong.stdout + wrong.stderr, /Must be a date/)
  const since = ['--since', register.cursor, '--out', join(folder, 'z')]
  assertFailedAsJson(await run('contracts', 'export', '--kind', 'payments', ...since), 'wrong_cursor')
})

test('an export to - goes to standard output, and everything else to standard error', async () => {
  const { text, cursor } = await exported('same.csv')
  const done = await housebill(['contracts', 'export', '--out', '-'], service.environment)
  assert.deepEqual([done.code, done.stdout], [0, text])
  assert.ok(done.stderr.includes(`lines. For what changes from now on, export with --since ${cursor}`))
  const both = await run('contracts', 'export', '--out', '-')
  assert.equal(both.code, 2)
  assert.match(both.stderr, /--json needs a file/)
})

test('an export for a spreadsheet begins with a byte order mark, which only CSV has, and leaves phone numbers plain', async () => {
  const { text } = await exported('plain.csv')
  const marked = await exported('marked.csv', '--bom')
  assert.equal((await readFile(join(folder, 'marked.csv'))).subarray(0, 3).toString('hex'), 'efbbbf')
  assert.equal(marked.text, `\uFEFF${text}`)
  assert.match(text, /,\+447700900\d{3},/)
  const json = await run('contracts', 'export', '--out', join(folder, 'marked.json'), '--bom', '--format', 'json')
  assert.equal(json.code, 2)
  assert.match(json.stderr, /--bom is for --format csv/)
})

test('an export never overwrites a file, and rejects a wrong cursor', async () => {
  await exported('once.csv')
  assertFailedAsJson(await run('contracts', 'export', '--out', join(folder, 'once.csv')), 'file_not_created')
  assertFailedAsJson(await run('contracts', 'export', '--out', join(folder, 'x.csv'), '--since', 'abc'), 'wrong_cursor')
})

test('operator credentials are created, listed and disabled', async () => {
  const created = await run('operator', 'create', '--name', 'back office', '--scopes', 'contracts:read')
  assert.equal(created.code, 0)
  const Credentials = Type.Object({ clientId: Type.String(), clientSecret: Type.String() })
  const { clientId, clientSecret } = created.json(Credentials)
  const status = async (secret: string) =>
    (await call(service.baseUrl, 'POST', '/operator-api/Auth/token', { clientId, clientSecret: secret })).status
  assert.equal(await status(clientSecret), 200)
  const listed = await run('operator', 'list')
  assertSucceeded(listed)
  assert.ok(listed.stdout.includes(clientId))
  assert.doesNotMatch(listed.stdout, /sha256|sk_/)
  const disabled = await run('operator', 'disable', clientId)
  assert.equal(disabled.code, 0)
  assert.equal(await status(clientSecret), 401)
  assertFailedAsJson(await run('operator', 'disable', 'op_unknown'), 'unknown_client_id')
  for (const [{ stderr }, event] of [
    [created, 'created'],
    [disabled, 'disabled'],
  ] as const) {
    const lines = stderr.split('\n').filter((line) => line.includes('"log":"security"'))
    assert.deepEqual(
      lines.map((line) => JSON.parse(line)).map((line) => [line.event, line.clientId]),
      [[`operator.${event}`, clientId]],
    )
  }
  const wrong = await run('operator', 'create', '--name', 'x', '--scopes', 'contracts:steal')
  assert.match(wrong.stdout + wrong.stderr, /There is no scope contracts:steal/)
})

test('people are invited, listed and removed by somebody on the server, whose login is named', async () => {
  const Person = Type.Object({ personId: Type.String(), invitedBy: Type.String(), state: Type.String() })
  const given = ['--name', 'Sam Okafor', '--email', 'sam@bills.example', '--roles', 'admin,support']
  const invited = (await run('people', 'invite', ...given, '--scopes', 'psr:read', '--json')).json(Person)
  assert.deepEqual([invited.state, invited.invitedBy], ['invited', userInfo().username])
  assertFailedAsJson(await run('people', 'invite', ...given), 'validation_failed')
  const List = Type.Object({ data: Type.Array(Type.Object({ email: Type.Union([Type.String(), Type.Null()]) })) })
  const emails = async () => (await run('people', 'list')).json(List).data.map(({ email }) => email)
  assert.deepEqual(await emails(), ['sam@bills.example'])
  assert.equal((await run('people', 'remove', invited.personId, '--json')).json(Person).state, 'removed')
  assert.deepEqual(await emails(), [null])
  assertFailedAsJson(await run('people', 'remove', 'person_unknown'), 'not_found')
  assertFailedAsJson(await run('people', 'list', '--partner', 'partner_unknown'), 'not_found')
  const wrong = await run('people', 'invite', '--name', 'x', '--email', 'x', '--roles', 'thief')
  assert.match(wrong.stdout + wrong.stderr, /Must be an e-mail address/)
})

/** Runs a command with --json in the environment of the running server. */
async function beside<Shape extends TSchema>(shape: Shape, ...args: string[]) {
  const run = await housebill([...args, '--json'], service.environment)
  assertSucceeded(run)
  return run.json(shape)
}

test('a new partner gets a token at once', async () => {
  const issued = await beside(
    IssuedCredentials,
    'partner',
    'create',
    '--name',
    'Acme Lettings',
    '--scopes',
    'quotes:read',
  )
  const connected = await connectPartner(service.baseUrl, issued)
  assert.equal((await connected.get('/Quotes')).status, 200)
  assert.equal((await connected.post('/Quotes', {})).status, 403)
})

test('a newly published rate card is immediately offered as the default', async () => {
  const shipped = await readFile('reference-data/rate-cards/2-price-cap-2026-q4-gb-average.json', 'utf8')
  const file = join(folder, 'card.json')
  await writeFile(file, JSON.stringify({ ...JSON.parse(shipped), id: 'spring-card', name: 'Spring card' }))
  assert.equal((await beside(PublishResult, 'rates', 'publish', file)).isDefault, true)
  const partner = await connectPartner(service.baseUrl, service.credentials)
  const { versions } = succeeded(await partner.get('/Quotes/quoting-tool-versions'))
  assert.deepEqual(versions[0], { id: 'spring-card', name: 'Spring card', isDefault: true })
})

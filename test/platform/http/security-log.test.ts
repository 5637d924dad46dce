import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { decodeJwt } from 'jose'
import Type from 'typebox'
import { createLogger } from '../../../src/app/logger.ts'
import { assertSucceeded, housebill } from '../../cli/cli-fixture.ts'
import { readSource } from '../../structure/tree.ts'
import { call, connectPartner } from '../../support/client.ts'
import { rawRows } from '../../support/customer-fixtures.ts'
import { startHousehold } from '../../support/household.ts'
import { connectWithScopes } from '../../support/partners.ts'
import { rejected, succeeded } from '../../support/responses.ts'
import { startTestService } from '../../support/service.ts'
import { waitFor } from '../../support/wait-for.ts'

type Line = Record<string, unknown>
const lines: Line[] = []
// Security events are logged even if the log shows only warnings.
const log = createLogger('warn', { write: (line) => void lines.push(JSON.parse(line)) })
const requests: Line[] = []
const requestLog = createLogger('info', { write: (line) => void requests.push(JSON.parse(line)) })
const service = await startTestService({}, { log })
const other = await startTestService({}, { log: requestLog })
after(() => Promise.all([service.stop(), other.stop()]))
const { clientId, clientSecret } = service.credentials
const post = (path: string, body: object) => call(service.baseUrl, 'POST', path, body)
const events = (event: string) => lines.filter((line) => line.log === 'security' && line.event === event)

/** Runs `work` and returns the line of this kind that it caused. */
async function lineOf(event: string, work: () => Promise<unknown>): Promise<Line> {
  const before = events(event).length
  await work()
  const line = await waitFor(`${event} is logged`, () => events(event)[before])
  assert.ok(line)
  return line
}

test('every kind of security event is logged with its client, a hash of the address and the trace', async () => {
  const issued = await lineOf('token.issued', () => connectPartner(service.baseUrl, service.credentials))
  const rejected = await lineOf('token.refused', () =>
    post('/partner-api/Auth/token', { clientId, clientSecret: 'wrong' }),
  )
  assert.equal(rejected.reason, 'invalid_client')
  const access = await lineOf('access.refused', () =>
    call(service.baseUrl, 'GET', '/partner-api/Quotes', undefined, { headers: { Authorization: 'Bearer forged' } }),
  )
  assert.equal(typeof access.reason, 'string')
  const reader = await connectWithScopes(service, ['quotes:read'])
  const scope = await lineOf('scope.refused', () => reader.get('/Webhooks'))
  assert.equal(scope.reason, 'webhooks:manage')
  assert.match(String(scope.partnerId), /^partner_/)
  const second = await connectPartner(service.baseUrl, service.credentials)
  const revoked = await lineOf('token.revoked', () =>
    post('/partner-api/Auth/revoke', { clientId, clientSecret, token: second.token }),
  )
  for (const proven of [issued, revoked]) {
    assert.equal(proven.clientId, clientId)
    assert.match(String(proven.partnerId), /^partner_/)
  }
  const hashes = new Set([issued, rejected, access, scope, revoked].map(({ addressHash }) => addressHash))
  assert.equal(hashes.size, 1, 'one address has one hash')
  for (const line of lines.filter(({ log }) => log === 'security')) {
    assert.match(String(line.addressHash), /^[\w-]{16}$/)
    assert.match(String(line.traceId), /^[0-9a-f]{32}$/)
    assert.equal(line.level, 'info')
    const text = JSON.stringify(line)
    for (const secret of [clientSecret, 'wrong', 'forged', '127.0.0.1', second.token]) assert.ok(!text.includes(secret))
  }
})

test('a call of a suspended partner, or from an address that is not allowed, is logged with its client', async () => {
  const partner = await connectWithScopes(service, ['quotes:read'])
  const { client_id: named } = decodeJwt<{ client_id: string }>(partner.token)
  const causes = {
    'address.refused': [`update credentials set allowed_from = '{192.0.2.0/24}' where client_id = $1`, 403],
    'partner.refused': [
      `with free as (update credentials set allowed_from = null where client_id = $1 returning partner_id)
       update partners set suspended_at = now() from free where partners.partner_id = free.partner_id`,
      403,
    ],
  } as const
  for (const [event, [statement, status]] of Object.entries(causes)) {
    const before = events(event).length
    await rawRows(service, statement, [named])
    const lineOfClient = () =>
      events(event)
        .slice(before)
        .find((line) => line.clientId === named)
    await waitFor(`${event} is logged`, async () => (await partner.get('/Quotes')).status === status && lineOfClient())
    assert.match(String(lineOfClient()?.partnerId), /^partner_/)
  }
})

test('a client id that is none of ours is not logged, because somebody may have typed anything', async () => {
  const line = await lineOf('token.refused', () =>
    post('/partner-api/Auth/token', { clientId: 'robin@example.com', clientSecret: 'wrong' }),
  )
  assert.equal('clientId' in line, false)
})

test('token calls that are malformed or over the limit are logged as well, because they are how somebody guesses secrets', async () => {
  const limited: Line[] = []
  const writing = createLogger('warn', { write: (line) => void limited.push(JSON.parse(line)) })
  const third = await startTestService({ TOKEN_RATE_LIMIT_PER_MINUTE: '1' }, { log: writing })
  after(() => third.stop())
  const clientId = 'sb_0123456789abcdef01234567'
  const guess = (body: object) => call(third.baseUrl, 'POST', '/partner-api/Auth/token', body)
  const statuses = [
    { clientId, clientSecret: 1 },
    { clientId, clientSecret: 'a' },
    { clientId, clientSecret: 'b' },
  ].map(async (body) => (await guess(body)).status)
  assert.deepEqual((await Promise.all(statuses)).sort(), [400, 401, 429])
  assert.deepEqual(
    limited
      .filter(({ log }) => log === 'security')
      .map(({ event, reason, clientId: named }) => `${event} ${reason} ${named}`)
      .sort(),
    [
      `token.refused invalid_client ${clientId}`,
      'token.refused invalid_request undefined',
      `token.refused slow_down ${clientId}`,
    ],
  )
})

test('docs/operations.md describes every security event and every field', async () => {
  const text = readSource('docs/operations.md').text
  const section = text.slice(text.indexOf('## The security log'), text.indexOf('## The day of a leak'))
  const source = readSource('src/platform/http/plugins/access-log.ts').text
  const kinds = [...source.matchAll(/^ {2}\| '([a-z]+\.[a-z]+)'/gm)].map(([, kind = '']) => kind)
  assert.deepEqual(
    [...section.matchAll(/^\| `([a-z]+\.[a-z]+)` \|/gm)].map(([, kind]) => kind),
    [...kinds, 'key.replaced'],
  )
  const known = new Set([
    'level',
    'time',
    'log',
    'msg',
    'reqId',
    'event',
    'clientId',
    'partnerId',
    'reason',
    'addressHash',
    'traceId',
  ])
  for (const line of lines.filter(({ log }) => log === 'security'))
    for (const field of Object.keys(line)) assert.ok(known.has(field), field)
})

test("the request log names the client, the partner, the id in the path, the address's hash and the caller's trace", async () => {
  const caller = await connectPartner(other.baseUrl, other.credentials)
  const { quoteId } = await startHousehold(caller, { tenants: 1 })
  const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
  succeeded(await caller.get(`/Quotes/${quoteId}`, { headers: { traceparent: `00-${traceId}-00f067aa0ba902b7-01` } }))
  const line = await waitFor('the request is logged', () =>
    requests.find((each) => each.subjectId === quoteId && each.method === 'GET' && each.traceId === traceId),
  )
  assert.equal(line?.clientId, other.credentials.clientId)
  assert.match(String(line?.partnerId), /^partner_/)
  const found = await housebill(['audit', 'address-hash', '127.0.0.1', '--json'], other.environment)
  assertSucceeded(found)
  assert.deepEqual(found.json(Type.Object({ addressHash: Type.String() })), { addressHash: line?.addressHash })
  rejected(await caller.get('/Quotes/robin@example.com'), 404, 'not_found')
  await waitFor('it is logged', () => requests.find(({ status }) => status === 404))
  assert.ok(!JSON.stringify(requests).includes('robin@'))
})

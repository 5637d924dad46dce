import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createLogger } from '../../../src/app/logger.ts'
import type { Environment } from '../../../src/platform/config/env.ts'
import { call, connectPartner } from '../../support/client.ts'
import { rawRows } from '../../support/customer-fixtures.ts'
import { finalise, onboard, startHousehold, startPaymentSetup } from '../../support/household.ts'
import { type ContractRecord, connectOperator } from '../../support/operator.ts'
import { connectNewPartner } from '../../support/partners.ts'
import { advanceClock } from '../../support/quote-fixtures.ts'
import { rejected, succeeded, withoutRequestId } from '../../support/responses.ts'
import { startSecondService, startTestService } from '../../support/service.ts'
import { readExposition } from './exposition.ts'

const service = await startTestService()
after(() => service.stop())
const partner = await connectPartner(service.baseUrl, service.credentials)

/** The metric as a process shows it that has just started: it counts at most every 30 seconds. */
async function unacknowledged(): Promise<number | undefined> {
  const fresh = await startSecondService(service)
  try {
    const samples = readExposition(await (await fetch(`${fresh.baseUrl}/metrics`)).text())
    return samples.value('housebill_contracts_unacknowledged')
  } finally {
    await fresh.stop()
  }
}

test('contracts in force count as unacknowledged after a day, until their latest version is acknowledged', async () => {
  const { lead } = await startHousehold(partner, { tenants: 1 })
  await onboard(partner, lead)
  const agreedOnly = await startHousehold(partner)
  await onboard(partner, agreedOnly.lead)
  assert.equal(await unacknowledged(), 0)
  await rawRows(service, `update contract_versions set recorded_at = recorded_at - interval '25 hours'`)
  assert.equal(await unacknowledged(), 1)
  const operator = await connectOperator(service)
  const [{ contractNumber } = { contractNumber: '' }] = succeeded(
    await partner.get(`/Customers/${lead}/contracts`),
  ).contracts
  const { record } = succeeded(await operator.get<{ record: ContractRecord }>(`/Contracts/${contractNumber}`))
  const acknowledge = (version: number) =>
    operator.post(`/Contracts/${contractNumber}/acknowledge`, { version, reference: 'SUP-1' })
  succeeded(await acknowledge(1))
  assert.equal(await unacknowledged(), record.version > 1 ? 1 : 0)
  succeeded(await acknowledge(record.version))
  assert.equal(await unacknowledged(), 0)
})

test('a lock that ended before everybody accepted is counted once, when that is stored', async () => {
  const ended = async () =>
    readExposition(await (await fetch(`${service.baseUrl}/metrics`)).text()).value('housebill_locks_ended_total')
  const own = await connectNewPartner(service)
  const { quoteId, lead } = await startHousehold(own, { tenants: 1 })
  await startPaymentSetup(own, lead)
  await advanceClock(own, { days: 15 })
  succeeded(await own.get(`/Quotes/${quoteId}`))
  succeeded(await finalise(own, lead))
  assert.equal(await ended(), 1)
})

const lines: string[] = []
const log = createLogger('info', { write: (line) => void lines.push(line) })
const start = async (environment: Environment) => {
  const service = await startTestService(environment, { log })
  after(() => service.stop())
  return service.baseUrl
}
const nearby = await start({})
const fromElsewhere = await start({ METRICS_ALLOW: '192.0.2.0/24, 2001:db8::/48' })
const fromHere = await start({ METRICS_ALLOW: '192.0.2.0/24,127.0.0.1', TRUSTED_PROXIES: '127.0.0.0/8' })

const get = (baseUrl: string, headers = {}) => call(baseUrl, 'GET', '/metrics', undefined, { headers })

/** Asserts the same response as for an unknown path, and a log line with the reason. */
async function assertHidden(baseUrl: string, headers: Record<string, string>, reason: string): Promise<void> {
  lines.length = 0
  const response = await get(baseUrl, headers)
  rejected(response, 404, 'not_found')
  assert.equal(
    withoutRequestId(response),
    withoutRequestId(await call(baseUrl, 'GET', '/nothing', undefined, { headers })),
  )
  const said = lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'metrics request rejected')
  assert.deepEqual(
    said.map((entry) => entry.reason),
    [reason],
  )
}

test('metrics read from the same machine need no token and allow only GET and HEAD', async () => {
  assert.equal((await get(nearby)).status, 200)
  assert.equal((await call(nearby, 'HEAD', '/metrics')).status, 200)
  const post = await call(nearby, 'POST', '/metrics')
  rejected(post, 405, 'method_not_allowed')
  assert.equal(post.headers.get('allow'), 'GET, HEAD')
})

for (const [name, value] of [
  ['Forwarded', 'for=192.0.2.60;proto=https'],
  ['X-Forwarded-For', '192.0.2.60'],
  ['x-forwarded-proto', 'https'],
  ['X-Forwarded-Host', 'bills.example'],
  ['X-Forwarded-Client-Cert', 'x'],
  ['Via', '1.1 proxy'],
  ['X-Real-IP', '127.0.0.1'],
  ['X-Forwarded-For', ''],
] as const) {
  test(`a metrics request with ${name}: ${value || '(empty)'} returns 404, because it came through a proxy`, async () => {
    await assertHidden(nearby, { [name]: value }, 'the request came through a proxy')
    await assertHidden(fromHere, { [name]: value }, 'the request came through a proxy')
  })
}

test('METRICS_ALLOW replaces the default list of clients that may read metrics', async () => {
  await assertHidden(fromElsewhere, {}, 'the client is not in METRICS_ALLOW')
  assert.equal((await get(fromHere)).status, 200)
})

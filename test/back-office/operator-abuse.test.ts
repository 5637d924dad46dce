import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createLogger } from '../../src/app/logger.ts'
import { call } from '../support/client.ts'
import { connectOperator } from '../support/operator.ts'
import { rejected } from '../support/responses.ts'
import { startTestService } from '../support/service.ts'
import { waitFor } from '../support/wait-for.ts'

const lines: Record<string, unknown>[] = []
const log = createLogger('info', { write: (line) => void lines.push(JSON.parse(line)) })
const limits = { TOKEN_RATE_LIMIT_PER_MINUTE: '3', RATE_LIMIT_PER_SECOND: '5' }
const service = await startTestService(limits, { log })
after(() => service.stop())
const { baseUrl } = service
const operator = await connectOperator(service, ['contracts:read'])
const { clientId } = operator
const tokenCall = (clientSecret: string) =>
  call(baseUrl, 'POST', '/operator-api/Auth/token', { clientId, clientSecret })

const isLimited = ({ status }: { status: number }) => status === 429

test("guessing an operator's secret and calling without end are limited", async () => {
  const guesses: number[] = []
  for (let count = 0; count < 5; count += 1) guesses.push((await tokenCall('sk_wrong')).status)
  assert.deepEqual(guesses, [401, 401, 429, 429, 429], 'the first call got the token')
  const stopped = await waitFor(
    'a call is limited',
    async () => (await Promise.all(Array.from({ length: 12 }, () => operator.get('/Contracts')))).find(isLimited),
    (found) => found !== undefined,
  )
  rejected(stopped ?? assert.fail(), 429, 'rate_limited')
})

test('tokens and rejected access of the operator API are in the security log, with the client', async () => {
  const forged = { headers: { Authorization: 'Bearer x' } }
  rejected(await call(baseUrl, 'GET', '/operator-api/Contracts', undefined, forged), 401, 'unauthenticated')
  await waitFor(
    'the limit allows a call again',
    () => operator.get('/Payments'),
    ({ status }) => status === 403,
  )
  const events = lines
    .filter((line) => line.log === 'security')
    .map(({ event, clientId, reason }) => [event, clientId, reason].filter((each) => each !== undefined).join(' '))
  for (const expected of [
    `token.issued ${clientId}`,
    `token.refused ${clientId} invalid_client`,
    'access.refused ',
    `scope.refused ${clientId} payments:read`,
  ])
    assert.ok(
      events.some((event) => event.startsWith(expected)),
      `${expected} is missing of ${events.join('; ')}`,
    )
})

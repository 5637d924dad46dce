import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { decodeJwt } from 'jose'
import { call, getToken, partnerWithToken } from '../support/client.ts'
import type { Token } from '../support/response-types.ts'
import { startSecondService } from '../support/second-service.ts'
import { movableClock, startTestService } from '../support/service.ts'

const clock = movableClock('2026-12-01T09:00:00Z')
const service = await startTestService({}, { clock })
const shorter = await startSecondService(
  { ...service, environment: { ...service.environment, ACCESS_TOKEN_SECONDS: '300' } },
  { clock },
)
after(async () => {
  await shorter.stop()
  await service.stop()
})

const later = (seconds: number) => clock.moveTo(new Date(clock.now().getTime() + seconds * 1_000).toISOString())
const statusOf = async (token: string) => (await partnerWithToken(shorter.baseUrl, token).get('/Quotes')).status

test('with ACCESS_TOKEN_SECONDS, new tokens expire after that time, and earlier ones work until they expire', async () => {
  const earlier = await getToken(service.baseUrl, service.credentials)
  const response = await call(shorter.baseUrl, 'POST', '/partner-api/Auth/token', service.credentials)
  const { access_token: token, expires_in: expiresIn } = response.body as Token
  const { exp = 0, iat = 0 } = decodeJwt(token)
  assert.deepEqual([expiresIn, exp - iat], [300, 300])
  assert.deepEqual([await statusOf(token), await statusOf(earlier)], [200, 200])
  later(301)
  assert.deepEqual([await statusOf(token), await statusOf(earlier)], [401, 200])
  later(86_000)
  assert.equal(await statusOf(earlier), 200)
  later(200)
  assert.equal(await statusOf(earlier), 401)
})

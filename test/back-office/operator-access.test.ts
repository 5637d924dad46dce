import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operatorRoutes } from '../../src/app/http/operator-routes.ts'
import { disableOperatorCredential } from '../../src/partners/operators/manage-operator-credentials.ts'
import { operatorScopes } from '../../src/partners/operators/operator-scopes.ts'
import { systemClock } from '../../src/platform/kernel/clock.ts'
import { call, connectPartner } from '../support/client.ts'
import { connectOperator, createOperator } from '../support/operator.ts'
import { withDatabase } from '../support/partners.ts'
import { rejected, succeeded } from '../support/responses.ts'
import { shareTestService } from '../support/shared-service.ts'

const service = await shareTestService()
const { baseUrl } = service
const partner = await connectPartner(baseUrl, service.credentials)
const bearer = (token: string) => ({ headers: { Authorization: `Bearer ${token}` } })
const system = <Result>(work: Parameters<typeof withDatabase<Result>>[1]) => withDatabase(service, work)
const pathOf = (path: string) => `/operator-api${path.replace(/\{\w+\}/g, 'unknown')}`

test('a partner token opens no operation of the operator API, and no token is 401', async () => {
  for (const { method, path } of operatorRoutes) {
    rejected(await call(baseUrl, method, pathOf(path), undefined, bearer(partner.token)), 401, 'unauthenticated')
    const response = await call(baseUrl, method, pathOf(path))
    rejected(response, 401, 'unauthenticated')
    assert.equal(response.headers.get('www-authenticate'), 'Bearer realm="housebill-operator"')
  }
})

test('an operator token opens nothing of the partner API', async () => {
  const { token } = await connectOperator(service)
  for (const path of ['/Quotes', '/Events', '/Customers/tenant_00000000000000000000000000'])
    rejected(await call(baseUrl, 'GET', `/partner-api${path}`, undefined, bearer(token)), 401, 'unauthenticated')
})

test('every operation needs its own scope', async () => {
  for (const { method, path, scope } of operatorRoutes) {
    const others = await connectOperator(
      service,
      operatorScopes.filter((each) => each !== scope),
    )
    const response = await call(baseUrl, method, pathOf(path), undefined, bearer(others.token))
    rejected(response, 403, 'insufficient_scope')
    assert.match(response.headers.get('www-authenticate') ?? '', new RegExp(`scope="${scope}"$`))
  }
})

test('the token call issues tokens of an hour with the wanted scopes, and rejects wrong secrets and foreign scopes', async () => {
  const credentials = await createOperator(service, ['contracts:read', 'payments:read'])
  const ask = async (body: object) => {
    const { status, text } = await call(baseUrl, 'POST', '/operator-api/Auth/token', body)
    return { ...(JSON.parse(text) as Record<string, unknown>), status } as Record<string, unknown>
  }
  const { access_token: token, ...issued } = await ask({ ...credentials, scope: 'contracts:read' })
  assert.deepEqual(issued, { token_type: 'Bearer', expires_in: 3600, scope: 'contracts:read', status: 200 })
  succeeded(await call(baseUrl, 'GET', '/operator-api/Contracts', undefined, bearer(String(token))))
  assert.deepEqual(
    [
      await ask({ ...credentials, clientSecret: 'sk_wrong' }),
      await ask({ clientId: 'op_unknown', clientSecret: 'sk_wrong' }),
      await ask({ ...credentials, scope: 'psr:read' }),
      await ask(service.credentials),
      await ask({ clientId: credentials.clientId }),
    ].map(({ status, error }) => [status, error]),
    [
      [401, 'invalid_client'],
      [401, 'invalid_client'],
      [400, 'invalid_request'],
      [401, 'invalid_client'],
      [400, 'invalid_request'],
    ],
  )
  const partnerCall = await call(baseUrl, 'POST', '/partner-api/Auth/token', credentials)
  assert.equal(partnerCall.status, 401)
})

test('disabled credentials and their tokens stop at once', async () => {
  const { clientId, clientSecret, get } = await connectOperator(service)
  await system((db) => disableOperatorCredential({ clock: systemClock, db }, clientId))
  rejected(await get('/Contracts'), 401, 'unauthenticated')
  const body = { clientId, clientSecret }
  assert.equal((await call(baseUrl, 'POST', '/operator-api/Auth/token', body)).status, 401)
})

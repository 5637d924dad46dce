import assert from 'node:assert/strict'
import { test } from 'node:test'
import Type from 'typebox'
import { triggers } from '../../src/cli/developer/trigger-action.ts'
import { eventTypes } from '../../src/events/event.ts'
import { connectPartner } from '../support/client.ts'
import { succeeded } from '../support/responses.ts'
import { shareTestService } from '../support/shared-service.ts'
import { startAlteringProxy } from './altering-proxy.ts'
import { assertFailed, assertFailedAsJson, assertSucceeded, housebill } from './cli-fixture.ts'

const service = await shareTestService()
const { clientId, clientSecret } = service.credentials
const trigger = (...args: string[]) =>
  housebill(['trigger', ...args], {
    ...service.environment,
    SANDBOX_CLIENT_ID: clientId,
    SANDBOX_CLIENT_SECRET: clientSecret,
  })

const Triggered = Type.Object({ event: Type.Object({ id: Type.String(), type: Type.String() }) })

const Prices = Type.Object({ previousMonthlyCost: Type.Number(), monthlyCost: Type.Number() })

test('every event type has a trigger', () => {
  assert.deepEqual(Object.keys(triggers), eventTypes)
})

for (const type of eventTypes) {
  test(`trigger ${type} makes this event happen, and prints it as the API lists it`, async () => {
    const run = await trigger(type, '--json')
    assertSucceeded(run)
    const { event } = run.json(Triggered)
    assert.equal(event.type, type)
    const partner = await connectPartner(service.baseUrl, service.credentials)
    assert.deepEqual(succeeded(await partner.get(`/Events/${event.id}`)), event)
    const { says } = triggers[type]
    assert.deepEqual(event, { ...event, data: { ...Reflect.get(event, 'data'), ...says } })
  })
}

test('trigger quote.prices.updated reports another price', async () => {
  const run = await trigger('quote.prices.updated', '--json')
  assertSucceeded(run)
  const { data } = run.json(Type.Object({ event: Type.Object({ data: Prices }) })).event
  assert.notEqual(data.monthlyCost, data.previousMonthlyCost)
})

test('without --json, trigger says what it did', async () => {
  const run = await trigger('quote.status.changed')
  assertSucceeded(run)
  assert.match(
    run.stdout,
    /^Done: create a quote, add a tenant\.\n\{\n {2}"id": "event_\w+",\n {2}"type": "quote\.status/,
  )
})

test('outside a sandbox, nothing is triggered', async (t) => {
  const { baseUrl, calls } = await startAlteringProxy(t, service.baseUrl, (call, answer) => {
    if (!call.includes('/Sandbox/')) return
    answer.status = 404
    answer.contentType = 'application/problem+json'
    const problem = { title: 'There is no such path', status: 404, code: 'not_found', requestId: 'request_1' }
    answer.body = Buffer.from(JSON.stringify(problem))
  })
  assertFailed(await trigger('quote.status.changed', '--base-url', baseUrl), /^This deployment is not a sandbox/)
  assert.ok(!calls.some((call) => call.startsWith('POST') && !call.endsWith('/token')), calls.join())
})

test('a postcode without properties, wrong credentials and a service that does not run are reported with what to do', async () => {
  assertFailedAsJson(await trigger('quote.status.changed', '--postcode', 'ZZ1 1ZZ', '--json'), 'no_property')
  const wrong = await housebill(
    ['trigger', 'quote.status.changed', '--client-id', clientId, '--client-secret', 'wrong'],
    service.environment,
  )
  assertFailed(wrong, /Check the client id and the secret\./)
  const nobody = await trigger('quote.status.changed', '--base-url', 'http://127.0.0.1:9')
  assertFailed(nobody, /^http:\/\/127\.0\.0\.1:9 cannot be reached .*Start the service/)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { verifyWebhook } from '../../clients/typescript/src/entry.ts'
import { connectPartner } from '../support/client.ts'
import { startHousehold } from '../support/household.ts'
import { succeeded } from '../support/responses.ts'
import { shareTestService } from '../support/shared-service.ts'
import { waitFor } from '../support/wait-for.ts'
import { startReceiver } from '../webhooks/receiver-fixture.ts'
import { startAlteringProxy } from './altering-proxy.ts'
import { assertFailed, housebill } from './cli-fixture.ts'
import { startListening, startLocalProgram } from './listening-program.ts'

const service = await shareTestService({ WEBHOOK_ALLOW_LOOPBACK: 'true' })
const { clientId, clientSecret } = service.credentials
const environment = { ...service.environment, SANDBOX_CLIENT_ID: clientId, SANDBOX_CLIENT_SECRET: clientSecret }
const partner = await connectPartner(service.baseUrl, service.credentials)

/** A quote with a reference that has to be escaped in JSON. */
const causeEvents = () => startHousehold(partner, { tenants: 1, reference: 'flat "7" – é\\' })

test('a local program gets the same bodies and headers as a registered receiver, signed with the printed secret', async (t) => {
  const receiver = await startReceiver(t)
  const webhook = { url: `https://localhost:${receiver.port}/hook`, events: ['quote.status.changed'] }
  succeeded(await partner.post('/Webhooks', webhook))
  await causeEvents()
  const program = await startLocalProgram(t, (response) => response.writeHead(204).end())
  const listening = startListening(t, environment, ['--forward-to', program.url])
  const secret = (await listening.printed(/^ {2}whsec_/)).trim()
  const { quoteId } = await causeEvents()
  const about = (body: string) => body.includes(quoteId)
  await waitFor('both got every event', () => receiver.received.filter(({ body }) => about(body)).length === 3)
  await waitFor('the program too', () => program.received.length === 3)
  const live = receiver.received.filter(({ body }) => about(body))
  assert.deepEqual(
    program.received.map(({ body }) => body),
    live.map(({ body }) => body),
    'only what happened since the command began, in the same order',
  )
  const same = (headers: NodeJS.Dict<string | string[]>) =>
    Object.keys(headers).filter((name) => !['traceparent', 'host', 'connection'].includes(name))
  for (const [index, { headers, body }] of program.received.entries()) {
    await verifyWebhook(body, headers, secret)
    assert.deepEqual(same(headers).sort(), same(live[index]?.headers ?? {}).sort())
    assert.equal(headers['user-agent'], live[index]?.headers['user-agent'])
  }
  const line = await listening.printed(/quote\.status\.changed/)
  assert.match(line, /^event_\w{26} {2}quote\.status\.changed {6}204 {2}\d+ ms$/)
  await listening.interrupt()
  assert.equal(listening.lines.at(-1), 'Ended. 3 delivered, 0 not delivered.')
})

test('a message that is not accepted is sent twice more with the same id, before the next one', async (t) => {
  const secret = `whsec_${Buffer.alloc(32, 1).toString('base64')}`
  const program = await startLocalProgram(t, (response, count) =>
    response.writeHead(count === 1 || count >= 3 ? 500 : 204).end(),
  )
  const args = ['--forward-to', program.url, '--json']
  const listening = startListening(t, { ...environment, WEBHOOK_SECRET: secret }, args)
  assert.equal(JSON.parse(await listening.printed(/"secret"/)).secret, secret)
  await causeEvents()
  // The first line is about the command itself.
  await waitFor('two messages were tried', () => listening.lines.length > 5)
  const ids = program.received.slice(0, 5).map(({ headers }) => headers['webhook-id'])
  assert.equal(ids[0], ids[1])
  assert.deepEqual(new Set(ids.slice(2)).size, 1)
  assert.notEqual(ids[1], ids[2])
  for (const { headers, body } of program.received) await verifyWebhook(body, headers, secret)
  const outcomes = listening.lines.slice(1, 6).map((line) => JSON.parse(line))
  assert.deepEqual(
    outcomes.map(({ outcome, responseStatus }) => [outcome, responseStatus]),
    [
      ['failed', 500],
      ['accepted', 204],
      ['failed', 500],
      ['failed', 500],
      ['failed', 500],
    ],
  )
  await listening.interrupt()
})

test('only the chosen event types are forwarded, from the chosen time on, and a program that does not run is named', async (t) => {
  const since = new Date().toISOString()
  await causeEvents()
  const program = await startLocalProgram(t, (response) => response.writeHead(410).end())
  const only = ['--events', 'customer.status.changed,quote.status.changed', '--since', since]
  const listening = startListening(t, environment, ['--forward-to', program.url, ...only])
  const line = await listening.printed(/410/)
  assert.match(line, /no longer wants deliveries\. It is not sent again\.$/)
  await listening.interrupt()

  const nobody = ['--forward-to', 'http://127.0.0.1:9/', '--since', since, '--events', 'quote.status.changed']
  const waiting = startListening(t, environment, [...nobody])
  assert.match(
    await waiting.printed(/ECONNREFUSED/),
    / {2}- {2}\d+ ms {2}The connection failed \(ECONNREFUSED\)\. It is sent/,
  )
  await waiting.interrupt()

  const others = ['--events', 'customer.service.changed', '--since', since]
  const quiet = startListening(t, environment, ['--forward-to', program.url, ...others])
  await quiet.printed(/whsec_/)
  await quiet.interrupt()
  assert.equal(quiet.lines.at(-1), 'Ended. 0 delivered, 0 not delivered.')
})

test('if the events cannot be read for a while, the command says so and then goes on where it was', async (t) => {
  let isDown = false
  const { baseUrl } = await startAlteringProxy(t, service.baseUrl, (call, answer) => {
    if (!isDown || !call.endsWith('/Events')) return
    answer.status = 502
    answer.contentType = 'text/html'
    answer.body = Buffer.from('<h1>Bad Gateway</h1>')
  })
  const program = await startLocalProgram(t, (response) => response.writeHead(204).end())
  const args = ['--forward-to', program.url, '--base-url', baseUrl]
  const listening = startListening(t, environment, args)
  await listening.printed(/whsec_/)
  isDown = true
  await listening.complained(/The events cannot be read/)
  const { quoteId } = await causeEvents()
  isDown = false
  await waitFor('the events of the outage', () => program.received.length === 3)
  assert.ok(program.received.every(({ body }) => body.includes(quoteId)))
  await listening.interrupt(/^(The events cannot be read \(listEvents: .* status 502 .*\)\. Trying again\.\n)+$/)
})

test('credentials that cannot read events, and a service that does not run, end the command', async () => {
  const forward = ['listen', '--forward-to', 'http://localhost:1']
  const wrong = [...forward, '--client-id', clientId, '--client-secret', 'wrong']
  assertFailed(await housebill(wrong, service.environment), /Check the client id and the secret\./)
  const nobody = [...forward, '--base-url', 'http://127.0.0.1:9']
  assertFailed(await housebill(nobody, environment), /cannot be reached/)
})

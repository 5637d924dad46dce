import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventTypes } from '../../src/events/event.ts'
import { deliveredTypes } from '../../src/webhooks/delivery/delivery.ts'
import { echoesChallenge } from '../../src/webhooks/delivery/response-outcome.ts'
import { testMessage, verificationMessage } from '../../src/webhooks/messages/message.ts'
import { readSource } from '../structure/tree.ts'
import { checkMessage, openApiDocument } from '../support/openapi-responses.ts'

// In every test, the test receiver validates each message it gets against the API document. The tests below check the
// rest.

const documented = Object.entries(openApiDocument.webhooks).map(([type, { post }]) => {
  const content = post.requestBody.content['application/json']
  return { type, post, example: content?.example as { id: string; type: string; data: { challenge?: string } } }
})

test('the API document describes every message that is delivered, and no other', () => {
  assert.deepEqual(documented.map(({ type }) => type).sort(), [...deliveredTypes].sort())
})

for (const { type, post, example } of documented) {
  test(`${type}: the documented example is a valid message`, () => {
    assert.equal(example.type, type)
    checkMessage(example)
  })

  test(`${type}: the document names the signature headers and the effect of each response`, () => {
    assert.deepEqual(
      post.parameters.map(({ name, in: place }) => `${place} ${name}`),
      ['header webhook-id', 'header webhook-timestamp', 'header webhook-signature'],
    )
    assert.deepEqual(Object.keys(post.responses).sort(), ['2XX', '3XX', '410', '4XX', '5XX'])
  })
}

test('a message with a missing, mistyped or additional member is invalid', () => {
  const [{ example } = { example: undefined }] = documented
  assert.ok(example !== undefined)
  const spoilt: object[] = [
    { ...example, timestamp: 'yesterday' },
    { ...example, type: 'quote.deleted' },
    { ...example, data: {} },
    { ...example, data: { ...example.data, status: 'Draft' } },
    { ...example, data: { ...example.data, email: 'a@example.com' } },
    { ...example, sent: true },
    { ...example, test: false },
  ]
  for (const message of spoilt) assert.throws(() => checkMessage(message as typeof example), JSON.stringify(message))
})

test('test events and the verification challenge are as documented, and the documented responses to the challenge are accepted', () => {
  const now = new Date('2026-11-20T09:00:00Z')
  const messages = [...eventTypes.map((type) => testMessage(type, now)), verificationMessage('webhook_1', now)]
  for (const { body } of messages) checkMessage(JSON.parse(body))
  const verification = documented.find(({ type }) => type === 'webhook.verification')
  const answers = Object.values(verification?.post.responses['2XX']?.content ?? {}) as { example?: unknown }[]
  assert.equal(answers.length, 2)
  for (const { example } of answers) {
    const answer = typeof example === 'string' ? example : JSON.stringify(example)
    assert.ok(echoesChallenge(JSON.stringify(verification?.example), answer), answer)
  }
})

test('the webhook guide names every event type', () => {
  const { text } = readSource('docs/webhooks.md')
  assert.deepEqual(
    eventTypes.filter((type) => !text.includes(`\`${type}\``)),
    [],
  )
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventTypes } from '../../src/domain/events/event.ts'
import { deliveredTypes } from '../../src/domain/webhooks/delivery/delivery.ts'
import { echoesChallenge, verificationMessage } from '../../src/domain/webhooks/messages/message.ts'
import { testMessage } from '../../src/domain/webhooks/messages/test-message.ts'
import { readSource } from '../structure/tree.ts'
import { checkMessage, openApiDocument } from '../support/openapi-responses.ts'

// Every message that a receiver gets in any test is held against the document by the receiver itself.

const documented = Object.entries(openApiDocument.webhooks).map(([type, { post }]) => {
  const content = post.requestBody.content['application/json']
  return { type, post, example: content?.example as { id: string; type: string; data: { challenge?: string } } }
})

test('the document has every message that is ever delivered, and no other', () => {
  assert.deepEqual(documented.map(({ type }) => type).sort(), [...deliveredTypes].sort())
})

for (const { type, post, example } of documented) {
  test(`${type}: the example in the document is a message as the document has it`, () => {
    assert.equal(example.type, type)
    checkMessage(example)
  })

  test(`${type}: the document names the headers of the signature, and what each answer comes to`, () => {
    assert.deepEqual(
      post.parameters.map(({ name, in: place }) => `${place} ${name}`),
      ['header webhook-id', 'header webhook-timestamp', 'header webhook-signature'],
    )
    assert.deepEqual(Object.keys(post.responses).sort(), ['2XX', '3XX', '410', '4XX', '5XX'])
  })
}

test('a message, when a member is missing, of another kind or too many, is not as the document has it', () => {
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

test('test events and the verification are as the document has them; its example is echoed as it says', () => {
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

test('the guide to webhooks, for every type of event, names it', () => {
  const { text } = readSource('docs/webhooks.md')
  assert.deepEqual(
    eventTypes.filter((type) => !text.includes(`\`${type}\``)),
    [],
  )
})

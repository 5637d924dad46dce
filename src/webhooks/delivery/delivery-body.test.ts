import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import { noLabels, type QuoteLabels } from '../../events/event.ts'
import { createFieldCipher, DecryptionError } from '../../platform/kernel/field-encryption.ts'
import { sealReference } from '../../quoting/quotes/reference.ts'
import { completeBody } from './delivery-body.store.ts'

const key = randomBytes(32)
const cipher = createFieldCipher([{ id: 'test', key }], key)
const quoteId = 'quote_1'
const sealed = (reference: string | null) =>
  sealReference(cipher, { partnerId: 'partner_1', quoteId, reference }).encrypted
const bodyWith = (labels: QuoteLabels) =>
  JSON.stringify({ id: 'event_1', data: { customerId: 'tenant_1', quoteId, ...labels, status: null, reason: null } })

test('the body that is sent is exactly the JSON of the event with the labels of its quote, whatever they are', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const labels = { branch: text, soldBy: null, reference: sealed(text) }
      const stored = { quoteId, body: bodyWith(noLabels), labels } as const
      assert.equal(completeBody(cipher, stored), bodyWith({ reference: text, branch: text, soldBy: null }))
    }),
    { examples: [['"'], ['\\"'], ['$&'], ['"reference":null'], ['\u0000'], ['\u2028'], ['ä😀'], ['']] },
  )
})

test('the body of a quote without labels, or of a message about no quote, is sent as it is stored', () => {
  const body = bodyWith(noLabels)
  assert.equal(completeBody(cipher, { quoteId, body, labels: noLabels }), body)
  assert.equal(completeBody(cipher, { quoteId: null, body, labels: null }), body)
})

test('the reference of another quote is not sent', () => {
  const stored = {
    quoteId: 'quote_2',
    body: bodyWith(noLabels),
    labels: { ...noLabels, reference: sealed('mine') },
  } as const
  assert.throws(() => completeBody(cipher, stored), DecryptionError)
})

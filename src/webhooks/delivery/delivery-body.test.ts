import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import { createFieldCipher, DecryptionError } from '../../platform/kernel/field-encryption.ts'
import { sealReference } from '../../quoting/quotes/reference.ts'
import { completeBody } from './delivery-body.store.ts'

const key = randomBytes(32)
const cipher = createFieldCipher([{ id: 'test', key }], key)
const quoteId = 'quote_1'
const sealed = (reference: string | null) =>
  sealReference(cipher, { partnerId: 'partner_1', quoteId, reference }).encrypted
const bodyWith = (reference: string | null) =>
  JSON.stringify({ id: 'event_1', data: { customerId: 'tenant_1', quoteId, reference, status: null, reason: null } })

test('the body that is sent is exactly the JSON of the event with its reference, whatever the reference is', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const stored = { quoteId, body: bodyWith(null), referenceEncrypted: sealed(text) } as const
      assert.equal(completeBody(cipher, stored), bodyWith(text))
    }),
    { examples: [['"'], ['\\"'], ['$&'], ['"reference":null'], ['\u0000'], ['\u2028'], ['ä😀'], ['']] },
  )
})

test('the body of a quote without a reference, or of a message about no quote, is sent as it is stored', () => {
  const body = bodyWith(null)
  assert.equal(completeBody(cipher, { quoteId, body, referenceEncrypted: null }), body)
  assert.equal(completeBody(cipher, { quoteId: null, body, referenceEncrypted: null }), body)
})

test('the reference of another quote is not sent', () => {
  const stored = { quoteId: 'quote_2', body: bodyWith(null), referenceEncrypted: sealed('mine') } as const
  assert.throws(() => completeBody(cipher, stored), DecryptionError)
})

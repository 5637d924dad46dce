import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Route } from '../../../src/http/route.ts'
import { routes } from '../../../src/http/routes/table.ts'
import { connectPartner } from '../../support/client.ts'
import { invalidFields, rejected, succeeded } from '../../support/responses.ts'
import { shareTestService } from '../../support/shared-service.ts'

const service = await shareTestService()
const partner = await connectPartner(service.baseUrl, service.credentials)

const types = [
  undefined,
  'application/json',
  'application/x-www-form-urlencoded',
  'text/plain',
  'application/xml',
  'no/such; type=é',
  ';;;',
  '',
]
const withoutBody = routes.filter(
  (route) => route.method !== 'GET' && (route.body === undefined || route.bodyIsOptional),
)

function send({ method, path }: Route, rawBody: string | undefined, contentType: string | undefined) {
  return partner.send(method, path.replace(/\{\w+\}/, 'of_nobody'), undefined, {
    ...(rawBody === undefined ? {} : { rawBody }),
    headers: contentType === undefined ? {} : { 'Content-Type': Buffer.from(contentType).toString('latin1') },
  })
}

test('the operations without a body are those that the specification lists', () => {
  assert.deepEqual(withoutBody.map(({ operationId }) => operationId).sort(), [
    'acceptTerms',
    'cancelContract',
    'cancelQuote',
    'createSetupIntent',
    'deleteWebhook',
    'eraseCustomer',
    'redeliver',
    'reopenQuote',
    'replayWebhook',
    'revokeLinks',
    'rotateWebhookSecret',
    'sandboxCollectPayment',
    'sandboxExpireQuote',
    'sendTestEvent',
    'sendVerification',
    'withdrawReplacement',
  ])
})

// An id is unknown, so a request whose body is accepted returns 404. A request whose body is rejected fails earlier.
for (const route of withoutBody) {
  test(`${route.operationId} accepts no body, an empty body, {} or null with any content type`, async () => {
    for (const type of types) {
      for (const body of [undefined, '', '{}', ' { } \n', 'null', '\tnull '])
        if (!(body !== undefined && type === undefined)) {
          const response = await send(route, body, type)
          if (route.path.includes('{')) rejected(response, 404, 'not_found')
          else succeeded(response)
        }
    }
  })
}

for (const route of withoutBody.filter(({ bodyIsOptional }) => !bodyIsOptional)) {
  test(`${route.operationId} rejects a body that has fields or is not an object, and says why`, async () => {
    for (const type of types.slice(1)) {
      const named = rejected(await send(route, '{"reason":"none","a/b":{}}', type), 400, 'invalid_request')
      assert.deepEqual(invalidFields(named), [
        ['/a~1b', 'unknown_field'],
        ['/reason', 'unknown_field'],
      ])
      for (const body of ['[]', '[null]', '"x"', '0'])
        assert.deepEqual(invalidFields(rejected(await send(route, body, type), 400, 'invalid_request')), [
          ['', 'wrong_type'],
        ])
      for (const body of ['a=b', '{', '<a/>']) rejected(await send(route, body, type), 400, 'malformed_json')
    }
  })
}

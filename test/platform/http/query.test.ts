import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connectPartner } from '../../support/client.ts'
import { invalidFields, rejected } from '../../support/responses.ts'
import { shareTestService } from '../../support/shared-service.ts'

const service = await shareTestService()
const partner = await connectPartner(service.baseUrl, service.credentials)

test('a required parameter that is missing or repeated returns 400; an empty one is accepted as a value', async () => {
  const missing = rejected(await partner.get('/Addresses/lookup'), 400, 'invalid_request')
  assert.deepEqual(invalidFields(missing), [['/query/postcode', 'required']])
  const repeated = rejected(
    await partner.get('/Addresses/lookup?postcode=LS2+9JT&postcode=LS2+9JT'),
    400,
    'invalid_request',
  )
  assert.deepEqual(invalidFields(repeated), [['/query/postcode', 'wrong_type']])
  assert.deepEqual((await partner.get('/Addresses/lookup?postcode=')).body, [])
  const otherCase = rejected(await partner.get('/Addresses/lookup?Postcode=LS29JT'), 400, 'invalid_request')
  assert.deepEqual(invalidFields(otherCase), [
    ['/query/Postcode', 'unknown_field'],
    ['/query/postcode', 'required'],
  ])
})

test('a list parameter of the wrong type returns 400; one with an invalid value returns 422', async () => {
  for (const [query, status, code] of [
    ['limit=ten', 400, 'wrong_type'],
    ['limit=1e400', 422, 'out_of_range'],
    ['limit=', 400, 'wrong_type'],
    ['limit=1.5', 400, 'wrong_type'],
    ['limit=1&limit=2', 400, 'wrong_type'],
    ['limit=0', 422, 'out_of_range'],
    ['limit=101', 422, 'out_of_range'],
    ['status=Draft', 422, 'not_allowed'],
    ['createdFrom=yesterday', 422, 'wrong_format'],
    ['createdFrom=2026-11-20T09:00:00', 422, 'wrong_format'],
    ['createdBefore=2026-11-20', 422, 'wrong_format'],
    ['reference=', 422, 'too_short'],
  ] as const) {
    const problem = rejected(
      await partner.get(`/Quotes?${query}`),
      status,
      status === 400 ? 'invalid_request' : 'validation_failed',
    )
    assert.deepEqual(invalidFields(problem), [[`/query/${query.split('=')[0]}`, code]], query)
  }
  for (const cursor of ['nonsense', '', '%00', 'quote_1']) {
    const { status } = await partner.get(`/Quotes?cursor=${cursor}`)
    assert.ok(status === 422 || status === 400, `${cursor}: ${status}`)
  }
})

test('unusual characters in parameters are rejected or find nothing, but never cause a 500', async () => {
  for (const value of ['%00', '%zz', '%ff', '%F0%9F%8F%A0', "'%3b--", '%25', 'a'.repeat(8_000)]) {
    const lookup = await partner.get(`/Addresses/lookup?postcode=${value}`)
    assert.ok([200, 400, 422].includes(lookup.status), `${value}: ${lookup.text}`)
    const list = await partner.get(`/Quotes?reference=${value}`)
    assert.ok([200, 400, 422].includes(list.status), `${value}: ${list.text}`)
  }
})

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { connectPartner } from '../../support/client.ts'
import { personalInformation, psrDetails, sampleTenants } from '../../support/household.ts'
import { invalidFields, rejected, succeeded } from '../../support/responses.ts'
import { ordinaryProperty } from '../../support/sample-properties.ts'
import { shareTestService } from '../../support/shared-service.ts'

const service = await shareTestService()
const partner = await connectPartner(service.baseUrl, service.credentials)
const { addressUid } = ordinaryProperty()

/** Sends these bytes to POST /Quotes. */
const send = (rawBody: string | Buffer, contentType = 'application/json') =>
  partner.post('/Quotes', undefined, { rawBody, headers: { 'Content-Type': contentType } })
const created = JSON.stringify({ addressUid })

test('a body that is not JSON in UTF-8 returns 400 malformed_json', async () => {
  const bodies: (string | Buffer)[] = [
    '',
    ' \n',
    '{',
    '{"addressUid":',
    "{'addressUid': 'x'}",
    '{"addressUid": "x",}',
    '{addressUid: 1}',
    '{"a": 1} {"b": 2}',
    'NaN',
    'undefined',
    '{"reference": "line\nbreak"}',
    '{"reference": "\\x41"}',
    Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]),
    Buffer.from('{"reference": "\ud83c"}', 'utf16le'),
    Buffer.concat([Buffer.from('{"reference":"'), Buffer.from([0xc3, 0x28]), Buffer.from('"}')]),
    Buffer.concat([Buffer.from('{"reference":"'), Buffer.from([0xed, 0xa0, 0x80]), Buffer.from('"}')]),
  ]
  for (const body of bodies) {
    const problem = rejected(await send(body), 400, 'malformed_json')
    assert.equal(problem.errors, undefined)
  }
})

test('the error of a body that is not JSON says in which line and column, and never what is there', async () => {
  for (const [body, where] of [
    ['{"addressUid": "x",}', 'in line 1, column 20'],
    ['{\n  "reference": tru}', 'in line 2, column 19'],
    ['{"addressUid": "x"} secret', 'in line 1, column 21'],
    ['{addressUid: 1}', 'in line 1, column 2'],
    ['{"addressUid": "x', 'that it ends too early'],
  ] as const) {
    const { detail } = rejected(await send(body), 400, 'malformed_json')
    assert.equal(detail, `The body is not valid JSON: the fault is ${where}. Serialise the body with a JSON library.`)
  }
  const { detail } = rejected(await send(Buffer.from('{"reference": "\xe9"}', 'latin1')), 400, 'malformed_json')
  assert.match(String(detail), /^The body is not encoded in UTF-8\./)
})

test('a day that does not exist is told from a date in another format', async () => {
  for (const [contractStartDate, detail] of [
    ['2026-02-30', /^There is no such day\./],
    ['30/01/2026', /^Must be a date /],
  ] as const) {
    const { errors } = rejected(
      await partner.post('/Quotes', { addressUid, contractStartDate }),
      422,
      'validation_failed',
    )
    assert.match(String(errors?.[0]?.detail), detail)
  }
})

test('each missing, unknown, wrongly typed or malformed field is listed once', async () => {
  const response = await partner.post('/Quotes', {
    bedrooms: 'three',
    contractStartDate: '2026-02-30',
    reference: '',
    packages: ['gas', 'unknown_service', 7],
    adressUid: 'misspelt',
    'a/b~c': 1,
  })
  const problem = rejected(response, 400, 'invalid_request')
  assert.deepEqual(invalidFields(problem), [
    ['/addressUid', 'required'],
    ['/adressUid', 'unknown_field'],
    ['/a~1b~0c', 'unknown_field'],
    ['/bedrooms', 'wrong_type'],
    ['/contractStartDate', 'wrong_format'],
    ['/packages/1', 'not_allowed'],
    ['/packages/2', 'wrong_type'],
    ['/reference', 'too_short'],
  ])
  for (const { detail } of problem.errors ?? []) assert.match(detail, /^[A-Z].*\.$/)
})

test('null in an optional field counts as absent, at any depth, except in a PATCH', async () => {
  const none = { bedrooms: null, reference: null, packages: null, contractStartDate: null, contractEndDate: null }
  const { quoteId, reference } = succeeded(await partner.post('/Quotes', { addressUid, ...none }))
  assert.equal(reference, null)
  const { tenants } = succeeded(await partner.post(`/Quotes/${quoteId}/add-tenants`, { tenants: sampleTenants(1) }))
  const unsetCategory = { code: '08', expiryDate: null, youngestChildDateOfBirth: null }
  const given = personalInformation({
    psrDetails: psrDetails({ categories: [unsetCategory], password: null, communicationFormat: null, notes: null }),
    contractStartDate: null,
    supplyDuringCancellation: null,
  })
  const customerId = tenants[0]?.tenantId
  succeeded(await partner.post(`/Customers/${customerId}/finalise-personal-information`, given))
  const { text } = await partner.get(`/Customers/${customerId}/export`)
  assert.match(text, /"categories":\[\{"code":"08"\}\]/)
  assert.doesNotMatch(text, /"(notes|communicationFormat)":/)
  const patched = await partner.send('PATCH', '/Webhooks/webhook_unknown', { url: null })
  assert.deepEqual(invalidFields(rejected(patched, 400, 'invalid_request')), [['/url', 'wrong_type']])
})

test('null in a required, unknown or listed place is an error that names it', async () => {
  const required = await partner.post('/Quotes', { addressUid: null, colour: null, packages: [null] })
  assert.deepEqual(invalidFields(rejected(required, 400, 'invalid_request')), [
    ['/addressUid', 'wrong_type'],
    ['/colour', 'unknown_field'],
    ['/packages/0', 'wrong_type'],
  ])
})

test('a member that occurs twice in its object returns 400 and is named, in every operation and at any depth', async () => {
  for (const [body, pointer] of [
    [`{"addressUid":"${addressUid}","reference":"a","reference":"a"}`, '/reference'],
    [`{"addressUid":"x","address\\u0055id":"${addressUid}"}`, '/addressUid'],
    [`{"addressUid":"${addressUid}","__proto__":1,"__proto__":{"x":1}}`, '/__proto__'],
    [`{"addressUid":"${addressUid}","packages":[{"a":1,"a":null}]}`, '/packages/0/a'],
  ] as const) {
    const problem = rejected(await send(body), 400, 'invalid_request')
    assert.deepEqual(invalidFields(problem), [[pointer, 'repeated']])
  }
  const noBody = await partner.post('/Quotes/quote_unknown/cancel', undefined, { rawBody: '{"a":1,"a":1}' })
  assert.deepEqual(invalidFields(rejected(noBody, 400, 'invalid_request')), [['/a', 'repeated']])
})

test('a name needs a visible letter or digit of any script', async () => {
  const { quoteId } = succeeded(await partner.post('/Quotes', { addressUid }))
  const named = (name: string) =>
    partner.post(`/Quotes/${quoteId}/add-tenants`, { tenants: [{ name, email: `${randomUUID()}@example.com` }] })
  for (const name of ['-', '\u3164', 'Ann\u202eA'])
    assert.deepEqual(invalidFields(rejected(await named(name), 422, 'validation_failed')), [
      ['/tenants/0/name', 'wrong_format'],
    ])
  for (const name of ['O', '\u200f‏אבי']) succeeded(await named(name))
  const given = personalInformation({ firstName: '-', lastName: '…' })
  const customer = await partner.post('/Customers/tenant_unknown/finalise-personal-information', given)
  assert.deepEqual(invalidFields(rejected(customer, 422, 'validation_failed')), [
    ['/firstName', 'wrong_format'],
    ['/lastName', 'wrong_format'],
  ])
})

test('text that the database cannot store is rejected in every field, and the field is named', async () => {
  const { quoteId } = succeeded(await partner.post('/Quotes', { addressUid }))
  for (const text of ['nul\\u0000', '\\ud83d alone', 'turned \\udc00\\ud800']) {
    const reference = await send(`{"addressUid":"${addressUid}","reference":"${text}"}`)
    assert.deepEqual(invalidFields(rejected(reference, 422, 'validation_failed')), [['/reference', 'wrong_format']])
    const address = await send(`{"addressUid":"${text}"}`)
    assert.deepEqual(invalidFields(rejected(address, 422, 'validation_failed')), [['/addressUid', 'wrong_format']])
    const nested = await partner.post(`/Quotes/${quoteId}/add-tenants`, undefined, {
      rawBody: `{"tenants":[{"name":"${text}","email":"a@example.com"}]}`,
      headers: { 'Content-Type': 'application/json' },
    })
    assert.deepEqual(invalidFields(rejected(nested, 422, 'validation_failed')), [['/tenants/0/name', 'wrong_format']])
  }
})

test('text in any script and with emoji is returned unchanged', async () => {
  const reference = 'Šárka 文字 👩🏽‍🚀 \u200fאבי'
  assert.equal(succeeded(await partner.post('/Quotes', { addressUid, reference })).reference, reference)
})

test('nesting of any depth is reported as an invalid field and never causes a 500', async () => {
  for (const depth of [25, 1_000, 30_000]) {
    const deep = `${'['.repeat(depth)}${']'.repeat(depth)}`
    const unknown = await send(`{"addressUid":"${addressUid}","extra":${deep}}`)
    assert.ok(invalidFields(rejected(unknown, 400, 'invalid_request')).some(([pointer]) => pointer === '/extra'))
    rejected(await send(deep), 400, 'invalid_request')
    const known = rejected(await send(`{"addressUid":"${addressUid}","packages":${deep}}`), 400, 'invalid_request')
    assert.ok(known.errors?.some(({ detail }) => detail === 'Must not be nested more than 20 levels deep.'))
    const objects = `${'{"a":'.repeat(Math.min(depth, 10_000))}1${'}'.repeat(Math.min(depth, 10_000))}`
    rejected(await send(objects), 400, 'invalid_request')
  }
})

test('a body of 65,536 bytes is accepted and one of 65,537 returns 413, chunked or not', async () => {
  const largest = created.padEnd(65_536)
  succeeded(await send(largest))
  rejected(await send(`${largest} `), 413, 'payload_too_large')
  const chunked = await fetch(`${service.baseUrl}/partner-api/Quotes`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${partner.token}`, 'Content-Type': 'application/json' },
    body: new Blob([`${largest} `]).stream(),
    duplex: 'half',
  } as RequestInit)
  assert.equal(chunked.status, 413)
  assert.equal(((await chunked.json()) as { code: string }).code, 'payload_too_large')
})

test('a content type that is missing or not JSON returns 415; variants of JSON are accepted', async () => {
  for (const type of [
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/xml',
    'multipart/form-data',
    'json',
    ';;;',
    'application/jsonp',
  ]) {
    rejected(await send(created, type), 415, 'unsupported_media_type')
  }
  const bytes = new Blob([created])
  const without = await fetch(`${service.baseUrl}/partner-api/Quotes`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${partner.token}` },
    body: bytes,
  })
  assert.equal(without.status, 415)
  for (const type of ['application/json; charset=utf-8', 'Application/JSON', 'application/vnd.partner+json'])
    succeeded(await send(created, type))
})

test('a compressed body returns 415', async () => {
  const post = (coding: string) =>
    partner.post('/Quotes', undefined, {
      rawBody: created,
      headers: { 'Content-Type': 'application/json', 'Content-Encoding': coding },
    })
  for (const coding of ['gzip', 'br', 'deflate, gzip']) rejected(await post(coding), 415, 'unsupported_media_type')
  succeeded(await post('identity'))
})

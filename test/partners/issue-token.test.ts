import assert from 'node:assert/strict'
import { test } from 'node:test'
import { call } from '../support/client.ts'
import { shareTestService } from '../support/shared-service.ts'
import {
  assertToken,
  assertTokenError,
  basicAuthorization,
  sendForm,
  sendJson,
  tokenPaths,
  tokenRequestBody,
} from './token-calls.ts'

const service = await shareTestService()
const { clientId, clientSecret } = service.credentials
const ownAudience = service.config.auth.audience
const entries = (fields: Record<string, string>) => Object.entries(fields)

for (const path of tokenPaths) {
  test(`${path} issues a token for camelCase or snake_case parameters, sent as JSON or as a form`, async () => {
    assertToken(await sendJson(service, path, { clientId, clientSecret }))
    assertToken(await sendForm(service, path, entries({ clientId, clientSecret })))
    assertToken(await sendJson(service, path, tokenRequestBody(service)))
    assertToken(await sendForm(service, path, entries(tokenRequestBody(service))))
    assertToken(await sendJson(service, path.toUpperCase(), { clientId, clientSecret }))
  })

  test(`${path} issues a token even if the content type has parameters or capital letters`, async () => {
    const headers = { 'Content-Type': 'Application/JSON; charset=UTF-8' }
    assertToken(await sendJson(service, path, { clientId, clientSecret }, headers))
    const form = { 'Content-Type': 'application/x-www-form-urlencoded;charset=utf-8' }
    assertToken(await sendForm(service, path, entries(tokenRequestBody(service)), form))
  })

  test(`${path} ignores unknown parameters`, async () => {
    assertToken(await sendJson(service, path, { clientId, clientSecret, extra: { deep: [1] }, organisation: null }))
    const odd = [...entries(tokenRequestBody(service)), ['extra', 'a'], ['extra', 'b'], ['__proto__', 'x']] as const
    assertToken(await sendForm(service, path, odd))
  })

  test(`${path} does not read parameters in the URL`, async () => {
    const query = new URLSearchParams(tokenRequestBody(service)).toString()
    const response = await call(service.baseUrl, 'POST', `${path}?${query}`)
    assertTokenError(response, 400, 'invalid_request')
  })

  test(`${path} returns invalid_request and names the parameter if one is missing`, async () => {
    for (const missing of ['client_id', 'client_secret', 'grant_type']) {
      const fields = tokenRequestBody(service, { [missing]: undefined })
      for (const response of [
        await sendJson(service, path, fields),
        await sendForm(service, path, entries(fields)),
        await sendForm(service, path, entries({ ...fields, [missing]: '' })),
      ]) {
        const description = assertTokenError(response, 400, 'invalid_request')
        assert.match(description, new RegExp(`^${missing} is missing`))
      }
    }
    assert.match(assertTokenError(await sendJson(service, path, { clientId }), 400, 'invalid_request'), /clientSecret/)
    assert.match(assertTokenError(await sendJson(service, path, { clientSecret }), 400, 'invalid_request'), /clientId/)
    assert.match(
      assertTokenError(await sendJson(service, path, {}), 400, 'invalid_request'),
      /clientId and clientSecret/,
    )
  })

  test(`${path} requires the audience and names it in JSON with client_id, but not in a form`, async () => {
    const fields = tokenRequestBody(service, { audience: undefined })
    assertToken(await sendForm(service, path, entries(fields)))
    assertToken(await sendForm(service, path, entries({ ...fields, audience: '', resource: '' })))
    for (const body of [fields, { ...fields, audience: '' }, { ...fields, resource: ownAudience }]) {
      const description = assertTokenError(await sendJson(service, path, body), 400, 'invalid_request')
      assert.equal(
        description,
        `audience is missing: send ${ownAudience}. Or send only clientId and clientSecret, without client_id and client_secret`,
      )
    }
    for (const body of [
      { ...fields, grant_type: undefined },
      { ...fields, client_secret: undefined, audience: '' },
    ]) {
      const description = assertTokenError(await sendJson(service, path, body), 400, 'invalid_request')
      assert.match(description, /Or send only clientId and clientSecret, without client_id and client_secret$/)
    }
  })

  test(`${path} issues a token if resource names the audience, alone or beside it`, async () => {
    assertToken(await sendJson(service, path, { clientId, clientSecret, resource: ownAudience }))
    for (const audience of [ownAudience, undefined]) {
      const fields = tokenRequestBody(service, { audience, resource: ownAudience })
      assertToken(await sendForm(service, path, entries(fields)))
    }
    assertToken(await sendJson(service, path, tokenRequestBody(service, { resource: ownAudience })))
  })

  test(`${path} returns invalid_target and names the audience if resource is anything else`, async () => {
    for (const resource of ['https://elsewhere.example/api', '/partner-api', `${ownAudience}#x`, `${ownAudience}/`]) {
      for (const response of [
        await sendJson(service, path, { clientId, clientSecret, resource }),
        await sendJson(service, path, tokenRequestBody(service, { resource })),
        await sendForm(service, path, entries(tokenRequestBody(service, { audience: undefined, resource }))),
      ]) {
        const description = assertTokenError(response, 400, 'invalid_target')
        assert.equal(description, `resource must be ${ownAudience}; you can also leave it out`)
      }
    }
  })

  test(`${path} returns invalid_request if the body cannot be parsed`, async () => {
    const json = { 'Content-Type': 'application/json' }
    const bodies: [string | Buffer, Record<string, string>][] = [
      ['', {}],
      ['', json],
      ['{"clientId":', json],
      ['[]', json],
      ['null', json],
      ['"clientId"', json],
      [Buffer.from([0xff, 0xfe, 0x00]), json],
      [`${'['.repeat(30_000)}${']'.repeat(30_000)}`, json],
      ['<clientId/>', { 'Content-Type': 'application/xml' }],
      [JSON.stringify({ clientId, clientSecret }), { 'Content-Type': 'text/plain' }],
      ['%zz=%', { 'Content-Type': 'application/x-www-form-urlencoded' }],
    ]
    for (const [rawBody, headers] of bodies) {
      const response = await call(service.baseUrl, 'POST', path, undefined, { rawBody, headers })
      assertTokenError(response, 400, 'invalid_request')
    }
  })

  test(`${path} returns invalid_request and names the parameter if one is not a string`, async () => {
    for (const value of [1, true, ['x'], { a: 1 }]) {
      const response = await sendJson(service, path, { clientId: value, clientSecret })
      assert.match(assertTokenError(response, 400, 'invalid_request'), /^clientId must be a string/)
    }
  })

  test(`${path} treats a null parameter as left out`, async () => {
    const response = await sendJson(service, path, { ...tokenRequestBody(service, {}), scope: null, resource: null })
    assert.equal(response.status, 200, response.text)
    const missing = await sendJson(service, path, { clientId: null, clientSecret })
    assert.match(assertTokenError(missing, 400, 'invalid_request'), /^clientId is missing/)
  })

  test(`${path} rejects a member that is repeated anywhere in the body`, async () => {
    for (const [extra, name] of [
      ['"\\u0063lientId":"x"', 'clientId'],
      ['"note":1,"note":1', 'note'],
      ['"note":[{"a":1,"a":1}]', 'note/0/a'],
    ]) {
      const rawBody = `{"clientId":"${clientId}","clientSecret":"${clientSecret}",${extra}}`
      const response = await call(service.baseUrl, 'POST', path, undefined, {
        rawBody,
        headers: { 'Content-Type': 'application/json' },
      })
      assert.equal(assertTokenError(response, 400, 'invalid_request'), `${name} is repeated`)
    }
  })

  test(`${path} returns invalid_request if the grant type or audience is wrong`, async () => {
    for (const grant_type of ['password', 'authorization_code', 'Client_Credentials', 'client_credentials ']) {
      const response = await sendJson(service, path, tokenRequestBody(service, { grant_type }))
      assert.match(assertTokenError(response, 400, 'invalid_request'), /grant_type must be client_credentials/)
    }
    for (const audience of ['https://elsewhere.example/api', `${ownAudience}/`]) {
      const fields = tokenRequestBody(service, { audience })
      const inJson = assertTokenError(await sendJson(service, path, fields), 400, 'invalid_request')
      assert.equal(inJson, `audience must be ${ownAudience}`)
      const inForm = assertTokenError(await sendForm(service, path, entries(fields)), 400, 'invalid_request')
      assert.equal(inForm, `audience must be ${ownAudience}; you can also leave it out`)
      const both = await sendForm(service, path, entries({ ...fields, resource: ownAudience }))
      assertTokenError(both, 400, 'invalid_request')
    }
  })

  test(`${path} returns invalid_request if a parameter is repeated in a form`, async () => {
    const twice = [...entries(tokenRequestBody(service)), ['client_id', clientId]] as const
    assert.match(
      assertTokenError(await sendForm(service, path, twice), 400, 'invalid_request'),
      /client_id is repeated/,
    )
    for (const name of ['audience', 'resource']) {
      const targets = [...entries(tokenRequestBody(service, { resource: ownAudience })), [name, ownAudience]] as const
      const description = assertTokenError(await sendForm(service, path, targets), 400, 'invalid_request')
      assert.equal(description, `${name} is repeated; a token is for one audience, so send it once`)
    }
    const emptyFirst = [['grant_type', ''], ...entries(tokenRequestBody(service))] as const
    assertTokenError(await sendForm(service, path, emptyFirst), 400, 'invalid_request')
  })

  test(`${path} returns invalid_request if camelCase and snake_case are mixed`, async () => {
    for (const fields of [
      { clientId, client_secret: clientSecret, grant_type: 'client_credentials' },
      { client_id: clientId, clientSecret },
      { ...tokenRequestBody(service), clientId },
    ]) {
      assertTokenError(await sendJson(service, path, fields), 400, 'invalid_request')
    }
  })

  test(`${path} returns the same invalid_client error for an unknown client and a wrong secret`, async () => {
    const unknown = await sendJson(service, path, { clientId: 'sb_nobody', clientSecret })
    const wrong = await sendJson(service, path, { clientId, clientSecret: `${clientSecret}x` })
    assert.equal(assertTokenError(unknown, 401, 'invalid_client'), assertTokenError(wrong, 401, 'invalid_client'))
    assert.equal(unknown.headers.get('www-authenticate'), null)
    for (const odd of ['sb_\u0000', '\ud800', 'ü', ' ', 'x'.repeat(5_000)])
      assertTokenError(await sendJson(service, path, { clientId, clientSecret: odd }), 401, 'invalid_client')
    const odd = ['sb_\u0000', '\ud800', clientId.toUpperCase()]
    const responses = await Promise.all(odd.map((text) => sendJson(service, path, { clientId: text, clientSecret })))
    for (const response of responses) assertTokenError(response, 401, 'invalid_client')
  })

  test(`${path} returns a token error for a wrong method (405 with Allow) and for a body that is too large (413)`, async () => {
    for (const method of ['GET', 'PUT', 'PATCH', 'DELETE']) {
      const response = await call(service.baseUrl, method, path)
      assertTokenError(response, 405, 'invalid_request')
      assert.equal(response.headers.get('allow'), 'POST')
    }
    const headers = { 'Content-Type': 'application/json' }
    const large = await call(service.baseUrl, 'POST', path, undefined, { rawBody: 'x'.repeat(65_537), headers })
    assertTokenError(large, 413, 'invalid_request')
  })
}

test('/partner-api/Auth/token rejects HTTP Basic with an error that explains the alternative', async () => {
  const headers = { Authorization: basicAuthorization(clientId, clientSecret) }
  for (const body of [{ grant_type: 'client_credentials' }, { clientId, clientSecret }, tokenRequestBody(service)]) {
    const response = await sendJson(service, '/partner-api/Auth/token', body, headers)
    assert.match(assertTokenError(response, 400, 'invalid_request'), /oauth\/token/)
  }
})

test('a token request repeated with the same Idempotency-Key gets a new token every time', async () => {
  const headers = { 'Idempotency-Key': 'once' }
  const [first, second] = await Promise.all(
    [1, 2].map(() => sendJson(service, '/partner-api/Auth/token', { clientId, clientSecret }, headers)),
  )
  assert.ok(first !== undefined && second !== undefined)
  assert.notEqual(assertToken(first).access_token, assertToken(second).access_token)
  assert.equal(second.headers.get('idempotent-replayed'), null)
})

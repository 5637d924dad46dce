import assert from 'node:assert/strict'
import { test } from 'node:test'
import { buildConfig } from '../../platform/config/config.ts'
import { describeStart } from './serve-action.ts'

const outside = buildConfig({
  IDP_ISSUER: 'https://id.example/',
  IDP_TOKEN_URL: 'https://id.example/oauth/token',
  IDP_JWKS_URL: 'https://id.example/jwks',
})
const started = { port: 8080, stop: async () => undefined }

test('with an external identity provider, startup shows no secret and says what to register', () => {
  const unnamed = describeStart(
    outside,
    { ...started, sandbox: { clientId: undefined, newClientSecret: undefined } },
    false,
  )
  assert.match(unnamed, /Tokens {9}https:\/\/id\.example\/ \(external identity provider\)/)
  assert.match(
    unnamed,
    /Register a client of the identity provider: npx housebill partner create --name <name> --client-id/,
  )
  const named = describeStart(outside, { ...started, sandbox: { clientId: 'acme', newClientSecret: undefined } }, false)
  assert.match(named, /client id acme, with its secret at the identity provider/)
  for (const text of [unnamed, named]) assert.doesNotMatch(text, /a new secret|client secret/)
})

test('with the embedded identity provider, startup shows a new secret once', () => {
  const sandbox = { clientId: 'sb_a', newClientSecret: 'sk_a' }
  assert.match(describeStart(buildConfig({}), { ...started, sandbox }, false), /client secret {2}sk_a/)
  assert.match(
    describeStart(buildConfig({}), { ...started, sandbox }, false),
    /export SANDBOX_CLIENT_ID=sb_a SANDBOX_CLIENT_SECRET=sk_a\n {2}npx housebill journey --base-url \S+$/m,
  )
  const again = describeStart(
    buildConfig({}),
    { ...started, sandbox: { ...sandbox, newClientSecret: undefined } },
    false,
  )
  assert.match(again, /start with SANDBOX_CLIENT_ID=sb_a and SANDBOX_CLIENT_SECRET=/)
})

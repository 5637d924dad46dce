import assert from 'node:assert/strict'
import { test } from 'node:test'
import { buildConfig } from '../../../src/platform/config/config.ts'

test('a different PORT appears in every address shown; PUBLIC_URL overrides it', () => {
  const moved = buildConfig({ PORT: '9000' })
  assert.equal(moved.server.publicUrl, 'http://localhost:9000')
  assert.equal(moved.auth.audience, 'http://localhost:9000/partner-api')
  const published = buildConfig({ PORT: '9000', PUBLIC_URL: 'https://sandbox.example/' })
  assert.equal(published.server.publicUrl, 'https://sandbox.example')
  assert.equal(published.auth.issuer, 'https://sandbox.example')
  assert.equal(published.auth.audience, 'https://sandbox.example/partner-api')
  assert.equal(buildConfig({ AUTH_AUDIENCE: 'urn:bills' }).auth.audience, 'urn:bills')
})

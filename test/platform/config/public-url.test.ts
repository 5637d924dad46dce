import assert from 'node:assert/strict'
import { test } from 'node:test'
import { buildConfig } from '../../../src/platform/config/config.ts'

test('PUBLIC_URL is used in its usual spelling, so that the URLs and the issuer built from it are those that clients see', () => {
  for (const PUBLIC_URL of [
    'HTTPS://Bills.Example',
    'https://bills.example:443/',
    'https://bills.example/.',
    'https://bills.example/%2e/',
  ])
    assert.equal(buildConfig({ PUBLIC_URL }).server.publicUrl, 'https://bills.example', PUBLIC_URL)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { buildConfig } from '../../../src/platform/config/config.ts'
import { call } from '../../support/client.ts'
import { rejected } from '../../support/responses.ts'
import { movableClock, startTestService } from '../../support/service.ts'
import { shareTestService } from '../../support/shared-service.ts'

const path = '/.well-known/security.txt'

test('security.txt names every contact in order, where it belongs, and that it expires in 30 days', async () => {
  const service = await startTestService(
    {
      SECURITY_CONTACT: 'mailto:security@example.com, https://example.com/report',
      PUBLIC_URL: 'https://bills.example',
      RATE_LIMIT_PER_SECOND: '100',
    },
    { clock: movableClock('2027-01-31T10:00:00.000Z') },
  )
  try {
    const response = await fetch(`http://127.0.0.1:${service.config.server.port}${path}`)
    assert.equal(response.status, 200)
    assert.equal(response.headers.get('content-type'), 'text/plain; charset=utf-8')
    assert.equal(response.headers.get('cache-control'), 'public, max-age=3600')
    assert.match(response.headers.get('ratelimit-policy') ?? '', /"security"/)
    assert.match(
      await response.text(),
      /^Contact: mailto:security@example\.com\nContact: https:\/\/example\.com\/report\nExpires: 2027-03-02T10:0\d:\d\dZ\nCanonical: https:\/\/bills\.example\/\.well-known\/security\.txt\n$/,
    )
  } finally {
    await service.stop()
  }
})

test('without SECURITY_CONTACT there is no security.txt, because it would name nobody', async () => {
  const { baseUrl } = await shareTestService()
  rejected(await call(baseUrl, 'GET', path), 404, 'not_found')
  rejected(await call(baseUrl, 'POST', path), 405, 'method_not_allowed')
})

test('a contact that is not an address to report to, or that would add a line, stops the start', () => {
  for (const value of [
    'security@example.com',
    'http://example.com',
    'mailto:',
    'https://a.example\nExpires: never',
    'x',
  ])
    assert.throws(() => buildConfig({ SECURITY_CONTACT: value }), /SECURITY_CONTACT must be mailto: or https:/, value)
})

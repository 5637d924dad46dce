import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FastifyRequest } from 'fastify'
import fastify from 'fastify'
import { clientAddressOf } from '../../src/platform/http/client-address.ts'
import { shareTestService } from '../support/shared-service.ts'

/**
 * Which address the service takes for the client's if it trusts the proxies `trusted` and a request with `headers`
 * arrives from `from`.
 */
async function addressOf(
  headers: Record<string, string>,
  { trusted = [] as string[], from = '10.0.0.1' } = {},
): Promise<string> {
  const app = fastify({ trustProxy: trusted.length > 0 ? trusted : false })
  app.get('/', (request: FastifyRequest) => clientAddressOf(request))
  const { body } = await app.inject({ url: '/', headers, remoteAddress: from })
  await app.close()
  return body
}

const spoofed = {
  'x-forwarded-for': '203.0.113.7',
  'x-forwarded-host': 'evil.example',
  'x-forwarded-proto': 'https',
  forwarded: 'for=203.0.113.7;host=evil.example;proto=https',
  'x-real-ip': '203.0.113.7',
  'true-client-ip': '203.0.113.7',
}

test('without a trusted proxy, forwarding headers are ignored and the address of the connection is used', async () => {
  assert.equal(await addressOf(spoofed), '10.0.0.1')
  assert.equal(await addressOf(spoofed, { trusted: ['10.0.0.2', '192.168.0.0/16'] }), '10.0.0.1')
})

test('only the X-Forwarded-For entry added by a trusted proxy counts, not entries that the proxy received from its caller', async () => {
  const trusted = ['10.0.0.0/8']
  assert.equal(await addressOf(spoofed, { trusted }), '203.0.113.7')
  const chain = (value: string) => addressOf({ 'x-forwarded-for': value }, { trusted })
  assert.equal(await chain('198.51.100.1, 203.0.113.7'), '203.0.113.7')
  assert.equal(await chain('127.0.0.1, 203.0.113.7, 10.9.9.9'), '203.0.113.7')
  assert.equal(await addressOf({ forwarded: 'for=203.0.113.7' }, { trusted }), '10.0.0.1')
})

test('invalid addresses are ignored, and every address is reduced to its canonical form', async () => {
  const trusted = ['10.0.0.1']
  for (const odd of ['unknown', "127.0.0.1'; drop table quotes", '203.0.113.7:4711', '', '999.1.1.1', '_hidden'])
    assert.equal(await addressOf({ 'x-forwarded-for': odd }, { trusted }), '10.0.0.1', odd)
  assert.equal(await addressOf({ 'x-forwarded-for': '::FFFF:203.0.113.7' }, { trusted }), '203.0.113.7')
  assert.equal(await addressOf({ 'x-forwarded-for': '2001:DB8::1' }, { trusted }), '2001:db8::1')
  assert.equal(await addressOf({}, { from: '::ffff:10.0.0.1' }), '10.0.0.1')
})

test('forwarding headers from untrusted callers change no URL in a response', async () => {
  const service = await shareTestService({ TRUSTED_PROXIES: '127.0.0.1' })
  for (const path of ['/openapi.json', '/nothing', '/.well-known/oauth-authorization-server']) {
    const text = await (await fetch(`${service.baseUrl}${path}`, { headers: spoofed })).text()
    assert.equal(text.includes('evil.example'), false)
    assert.ok(text.includes(service.baseUrl))
  }
})

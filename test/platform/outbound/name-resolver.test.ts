import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NameResolutionFailed } from '../../../src/platform/outbound/name-lookup.ts'
import { createSystemResolver } from '../../../src/platform/outbound/system.ts'
import { startNameServer } from './name-server.ts'

const v4 = Buffer.from([192, 0, 2, 7])
const v6 = Buffer.from('20010db8000000000000000000000007', 'hex')

test('resolve returns IPv4 and IPv6 addresses and queries exactly the given name', async (t) => {
  const { servers, asked } = await startNameServer(t, (_name, kind) => (kind === 'A' ? [v4, v4] : [v6]))
  const addresses = await createSystemResolver({ servers }).resolve('hooks.example')
  assert.deepEqual(addresses, ['192.0.2.7', '192.0.2.7', '2001:db8::7'])
  assert.deepEqual(asked.toSorted(), ['A hooks.example', 'AAAA hooks.example'])
})

test('resolve returns no address if the name does not exist or has none', async (t) => {
  const { servers, asked } = await startNameServer(t, (name) => (name === 'empty.example' ? [] : 'no such name'))
  const resolver = createSystemResolver({ servers })
  assert.deepEqual(await resolver.resolve('empty.example'), [])
  assert.deepEqual(await resolver.resolve('intranet'), [])
  assert(!asked.some((question) => question.includes('intranet.')), 'no search domains')
})

test('resolve returns the addresses of one family if only that family can be resolved', async (t) => {
  const { servers } = await startNameServer(t, (_name, kind) => (kind === 'A' ? [v4] : 'broken'))
  assert.deepEqual(await createSystemResolver({ servers }).resolve('hooks.example'), ['192.0.2.7'])
})

test('resolve rejects within its time limit if the name server is broken or silent', async (t) => {
  for (const response of ['broken', 'silence'] as const) {
    const { servers } = await startNameServer(t, () => response)
    await assert.rejects(
      createSystemResolver({ servers, timeoutMs: 400 }).resolve('hooks.example'),
      NameResolutionFailed,
    )
  }
})

test('resolve sends no query for localhost or an IP address', async (t) => {
  const { servers, asked } = await startNameServer(t, () => [v4])
  const resolver = createSystemResolver({ servers })
  assert.deepEqual(await resolver.resolve('localhost'), ['127.0.0.1', '::1'])
  assert.deepEqual(await resolver.resolve('app.localhost'), ['127.0.0.1', '::1'])
  assert.deepEqual(await resolver.resolve('203.0.113.9'), ['203.0.113.9'])
  assert.deepEqual(asked, [])
})

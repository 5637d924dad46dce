import assert from 'node:assert/strict'
import { test } from 'node:test'
import { networkOf, siteOf } from './network-of.ts'

test('an IPv4 address is counted as one address, whatever its notation', () => {
  assert.equal(networkOf('203.0.113.7'), '203.0.113.7')
  assert.equal(networkOf('::ffff:203.0.113.7'), '203.0.113.7')
  assert.notEqual(networkOf('203.0.113.7'), networkOf('203.0.113.8'))
})

test('an IPv6 address is counted as its /64 network', () => {
  assert.equal(networkOf('2001:db8:1:2::1'), networkOf('2001:0db8:0001:0002:ffff:ffff:ffff:ffff'))
  assert.notEqual(networkOf('2001:db8:1:2::1'), networkOf('2001:db8:1:3::1'))
  assert.equal(networkOf('::1'), '::/64')
  assert.equal(networkOf('fe80::1%eth0'), 'fe80::/64')
})

test('an IPv6 address takes turns with the others of its /48, an IPv4 address by itself', () => {
  assert.equal(siteOf('2001:db8:1:2::1'), siteOf('2001:db8:1:ffff::1'))
  assert.notEqual(siteOf('2001:db8:1::1'), siteOf('2001:db8:2::1'))
  assert.equal(siteOf('203.0.113.7'), '203.0.113.7')
})

test('text that is not an address, which a broken proxy may send, is returned unchanged', () => {
  assert.equal(networkOf('unknown'), 'unknown')
})

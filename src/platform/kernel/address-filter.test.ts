import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { createAddressFilter } from './address-filter.ts'

const cases: [ranges: string[], allowed: string[], rejected: (string | undefined)[]][] = [
  [
    ['127.0.0.0/8', '::1'],
    ['127.0.0.1', '127.255.255.255', '::1', '::ffff:127.0.0.1', '0:0:0:0:0:0:0:1'],
    ['128.0.0.1', '10.0.0.1', '::2', '::', '::ffff:10.0.0.1', '', undefined, 'localhost'],
  ],
  [['10.1.2.3'], ['10.1.2.3', '::ffff:10.1.2.3'], ['10.1.2.4', '127.0.0.1', '::1']],
  [['2001:db8::/48'], ['2001:db8::1', '2001:db8:0:ffff::1'], ['2001:db8:1::1', '10.0.0.1', '::ffff:10.0.0.1']],
  [['::ffff:10.0.0.1'], ['10.0.0.1'], ['10.0.0.2']],
  [['fe80::/10'], ['fe80::1', 'fe80::1%eth0'], ['2001:db8::1']],
  [[], [], ['127.0.0.1', '::1']],
]

for (const [ranges, allowed, rejected] of cases) {
  test(`exactly the peers within ${ranges.join(', ') || 'no range'} are allowed`, () => {
    const isAllowed = createAddressFilter(ranges)
    for (const peer of allowed) assert.equal(isAllowed(peer), true, peer)
    for (const peer of rejected) assert.equal(isAllowed(peer), false, String(peer))
  })
}

test('an IPv4 range allows exactly the addresses that share its first bits, whether written as IPv4 or mapped into IPv6', () => {
  const number = fc.integer({ min: 0, max: 0xffffffff })
  const spelt = (value: number) => [24, 16, 8, 0].map((shift) => (value >>> shift) & 0xff).join('.')
  fc.assert(
    fc.property(number, number, fc.integer({ min: 1, max: 32 }), (range, peer, bits) => {
      const shared = range >>> (32 - bits) === peer >>> (32 - bits)
      const isAllowed = createAddressFilter([`${spelt(range)}/${bits}`])
      assert.equal(isAllowed(spelt(peer)), shared)
      assert.equal(isAllowed(`::ffff:${spelt(peer)}`), shared)
      assert.equal(isAllowed(spelt(range)), true)
    }),
  )
})

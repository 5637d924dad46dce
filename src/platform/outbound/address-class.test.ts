import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { classifyAddress } from './address-class.ts'

const expected: Record<string, readonly string[]> = {
  'a public address': [
    '1.1.1.1',
    '8.8.8.8',
    '93.184.215.14',
    '172.32.0.1',
    '172.15.255.255',
    '100.128.0.0',
    '100.63.255.255',
    '198.17.255.255',
    '198.20.0.0',
    '223.255.255.255',
    '168.63.129.15',
    '168.63.129.17',
    '2606:4700:4700::1111',
    '2a00:1450:4009::200e',
    '2001:4860:4860::8888',
    '2003::1',
  ],
  'a loopback address': ['127.0.0.1', '127.255.255.254', '::1'],
  'a private address': [
    '10.0.0.1',
    '10.255.255.255',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.0.1',
    'fc00::1',
    'fdff::1',
    'fec0::1',
  ],
  "an address of a cloud provider's own services": ['168.63.129.16'],
  'a link-local address': ['169.254.0.1', '169.254.169.254', 'fe80::1', 'febf::1'],
  'a multicast address': ['224.0.0.1', '239.255.255.255', 'ff02::1'],
  'the broadcast address': ['255.255.255.255'],
  'a carrier-grade NAT address': ['100.64.0.1', '100.127.255.255'],
  'an address reserved for benchmarking': ['198.18.0.1', '198.19.255.255', '2001:2::1'],
  'an address reserved for documentation': ['192.0.2.1', '198.51.100.7', '203.0.113.255', '2001:db8::1', '3fff:fff::1'],
  'an unspecified address': ['0.0.0.0', '0.1.2.3', '::'],
  'an IPv6 address that embeds an IPv4 address': [
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '::ffff:8.8.8.8',
    '::ffff:0:127.0.0.1',
    '::127.0.0.1',
  ],
  'a NAT64 address': ['64:ff9b::7f00:1', '64:ff9b::8.8.8.8', '64:ff9b:1::1'],
  'a 6to4 address': ['2002:7f00:1::', '2002:808:808::1', '192.88.99.1'],
  'a Teredo address': ['2001::1', '2001:0:4136:e378:8000:63bf:3fff:fdd2'],
  'a reserved address': [
    '192.0.0.1',
    '240.0.0.1',
    '254.255.255.255',
    '192.31.196.1',
    '192.52.193.1',
    '192.175.48.1',
    '::7f00:1',
    '::808:808',
    '100::1',
    '2001:20::1',
    '2001:10::1',
    '2001:3::1',
    '2001:4:112::1',
    '2620:4f:8000::1',
    '4000::1',
    '5f00::1',
    '1::1',
    'e000::1',
  ],
  'not an IP address': [
    '',
    'localhost',
    '127.1',
    '0x7f.0.0.1',
    '0177.0.0.1',
    '2130706433',
    '127.0.0.1 ',
    'fe80::1%eth0',
    '1.2.3.4/8',
    '[::1]',
  ],
}

for (const [words, addresses] of Object.entries(expected)) {
  test(`classifyAddress describes ${addresses.length} examples as "${words}"`, () => {
    for (const address of addresses) assert.equal(classifyAddress(address).words, words, address)
  })
}

test('classifyAddress assigns each example the right kind: public, loopback or forbidden', () => {
  for (const [words, addresses] of Object.entries(expected)) {
    const kind = words === 'a public address' ? 'public' : words === 'a loopback address' ? 'loopback' : 'forbidden'
    for (const address of addresses) assert.equal(classifyAddress(address).kind, kind, address)
  }
})

test('classifyAddress forbids any IPv4 address embedded in IPv6', () => {
  const byte = fc.integer({ min: 0, max: 255 })
  fc.assert(
    fc.property(byte, byte, byte, byte, (a, b, c, d) => {
      const high = ((a << 8) | b).toString(16)
      const low = ((c << 8) | d).toString(16)
      for (const embedded of [
        `::ffff:${high}:${low}`,
        `::ffff:0:${high}:${low}`,
        `64:ff9b::${high}:${low}`,
        `2002:${high}:${low}::1`,
        `2001:0:${high}:${low}::1`,
      ]) {
        assert.equal(classifyAddress(embedded).kind, 'forbidden', embedded)
      }
    }),
  )
})

test('classifyAddress never throws, whatever the text', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.ipV4(), fc.ipV6()), (text) =>
      ['public', 'loopback', 'forbidden'].includes(classifyAddress(text).kind),
    ),
  )
})

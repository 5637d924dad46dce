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

test('classifyAddress never throws, whatever the text', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.ipV4(), fc.ipV6()), (text) =>
      ['public', 'loopback', 'forbidden'].includes(classifyAddress(text).kind),
    ),
  )
})

/*
 * Compares classifyAddress with the IANA registries of special-purpose and multicast addresses, using arithmetic that
 * is independent of the library: an address that it classifies as public must be outside all registered ranges.
 */

const specialV4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
].map(rangeV4)

/** Everything outside 2000::/3 is reserved too. */
const specialV6 = ['2001::/23', '2001:db8::/32', '2002::/16', '2620:4f:8000::/48', '3fff::/20'].map(rangeV6)
const [unicastV6] = ['2000::/3'].map(rangeV6)

interface Range {
  first: bigint
  last: bigint
}

function rangeV4(cidr: string): Range {
  const [address = '', bits] = cidr.split('/')
  const first = address.split('.').reduce((sum, byte) => sum * 256n + BigInt(byte), 0n)
  return { first, last: first + 2n ** BigInt(32 - Number(bits)) - 1n }
}

/** Parses a range of the form `a:b::/bits`. */
function rangeV6(cidr: string): Range {
  const [address = '', bits] = cidr.split('/')
  const groups = address.split(':').filter((group) => group !== '')
  const padded = [...groups, ...Array.from({ length: 8 - groups.length }, () => '0')]
  const first = padded.reduce((sum, group) => sum * 65_536n + BigInt(`0x${group}`), 0n)
  return { first, last: first + 2n ** BigInt(128 - Number(bits)) - 1n }
}

const textV4 = (value: bigint) => [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 255n).join('.')
const textV6 = (value: bigint) =>
  Array.from({ length: 8 }, (_, index) => ((value >> BigInt(112 - 16 * index)) & 65_535n).toString(16)).join(':')

const within = (value: bigint, ranges: readonly Range[]) =>
  ranges.some(({ first, last }) => first <= value && value <= last)
const isPublic = (address: string) => classifyAddress(address).kind === 'public'
/** Random addresses, most of them inside these ranges or at their edges, where mistakes are likely. */
function spread(ranges: readonly Range[], last: bigint): fc.Arbitrary<bigint> {
  const edges = ranges.flatMap((range) => [range.first - 1n, range.first, range.last, range.last + 1n])
  const inside = ranges.map((range) => fc.bigInt({ min: range.first, max: range.last }))
  const near = edges.filter((edge) => edge >= 0n && edge <= last).map((edge) => fc.constant(edge))
  return fc.oneof(fc.bigInt({ min: 0n, max: last }), fc.oneof(fc.constant(0n), ...near), ...inside)
}

test('classifyAddress classifies an IPv4 address as public if and only if no registry lists it', () => {
  fc.assert(
    fc.property(spread(specialV4, 2n ** 32n - 1n), (value) => {
      assert.equal(isPublic(textV4(value)), !within(value, specialV4), textV4(value))
    }),
    { numRuns: 2_000 },
  )
})

test('classifyAddress is right for the addresses just inside and just outside every registered range', () => {
  for (const { first, last } of specialV4) {
    for (const value of [first - 1n, first, last, last + 1n]) {
      if (value < 0n || value > 2n ** 32n - 1n) continue
      assert.equal(isPublic(textV4(value)), !within(value, specialV4), textV4(value))
    }
  }
})

test('classifyAddress classifies an IPv6 address as public if and only if it is allocated to the public Internet', () => {
  assert(unicastV6 !== undefined)
  fc.assert(
    fc.property(spread([...specialV6, unicastV6], 2n ** 128n - 1n), (value) => {
      const expected = within(value, [unicastV6]) && !within(value, specialV6)
      assert.equal(isPublic(textV6(value)), expected, textV6(value))
    }),
    { numRuns: 2_000 },
  )
})

test('classifyAddress counts only 127.0.0.0/8 and ::1 as loopback', () => {
  const loopback = [rangeV4('127.0.0.0/8')]
  fc.assert(
    fc.property(spread(loopback, 2n ** 32n - 1n), (value) => {
      assert.equal(classifyAddress(textV4(value)).kind === 'loopback', within(value, loopback))
    }),
  )
  fc.assert(
    fc.property(spread([], 2n ** 128n - 1n), fc.bigInt({ min: 0n, max: 70_000n }), (any, low) => {
      for (const value of [any, low]) assert.equal(classifyAddress(textV6(value)).kind === 'loopback', value === 1n)
    }),
  )
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { classifyAddress } from '../../platform/outbound/address-class.ts'

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

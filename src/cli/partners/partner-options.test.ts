import assert from 'node:assert/strict'
import { test } from 'node:test'
import { durationParser, parseAddressRanges, parseScopes } from './partner-options.ts'

test('a duration is parsed into seconds, and rejected if it has no unit or exceeds the limit', () => {
  const lifetime = durationParser(30)
  assert.deepEqual(['45s', '30m', '24h', '30d', '720h'].map(lifetime), [45, 1_800, 86_400, 2_592_000, 2_592_000])
  for (const wrong of ['', '0', '0h', '24', '-1h', '1.5h', 'h', '31d', '1w', '24 h', '999999999d'])
    assert.throws(() => lifetime(wrong), /such as 24h, up to 30d\.$/, wrong)
})

test('address ranges are IPv4 or IPv6 addresses or CIDR ranges that can match a call', () => {
  assert.deepEqual(parseAddressRanges('192.0.2.0/24, 2001:db8::/48,198.51.100.7'), [
    '192.0.2.0/24',
    '2001:db8::/48',
    '198.51.100.7',
  ])
  for (const wrong of [
    '',
    'any',
    '192.0.2.0/33',
    '192.0.2.0/24/1',
    '192.0.2',
    '2001:db8::/129',
    'fe80::1%eth0',
    '010.0.0.1',
  ])
    assert.throws(() => parseAddressRanges(wrong), /1 to 100 IP addresses or ranges such as 192\.0\.2\.0\/24/, wrong)
  assert.throws(() => parseAddressRanges('::ffff:192.0.2.1'), /invalid: "::ffff:192\.0\.2\.1"/)
  assert.throws(() => parseAddressRanges(Array(101).fill('192.0.2.1').join()), /1 to 100/)
})

test('scopes are sorted and deduplicated; the error for an unknown scope lists the valid ones', () => {
  assert.deepEqual(parseScopes('quotes:write, quotes:read,quotes:write'), ['quotes:read', 'quotes:write'])
  assert.throws(
    () => parseScopes('quotes:read,quotes:delete,'),
    /Unknown scope: "quotes:delete", ""\. Choose from: addresses:read, /,
  )
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { isReceiverPort, parseWebhookUrl } from './webhook-target.ts'

const invalidUrls: Record<string, readonly string[]> = {
  'must start with https://': [
    'http://example.com',
    'ftp://example.com',
    'javascript:alert(1)',
    'https:example.com',
    'https:///example.com',
    'HTTP://example.com',
    'file:///etc/passwd',
  ],
  'This is not a valid URL': [
    '',
    'example.com/hooks',
    'https://',
    'https://exa mple.com',
    ' https://example.com',
    'https://example.com\n',
    'https://example.com\\@evil.test',
    'https://a\tb.test',
    'https://example.com:99999',
    'https://exa%00mple.com',
    'https://1.2.3.4.5',
    'https://[::1',
    '//example.com',
  ],
  'at most 2048 characters': [`https://example.com/${'x'.repeat(2_048)}`],
  'has no host': ['https://./hooks'],
}

for (const [words, urls] of Object.entries(invalidUrls)) {
  test(`parseWebhookUrl rejects ${urls.length} URLs with "${words}"`, () => {
    for (const url of urls) assert.match(parseWebhookUrl(url).rejection ?? 'accepted', new RegExp(words), url)
  })
}

test('parseWebhookUrl normalises IDN, letter case, trailing dot, port and fragment', () => {
  const { target } = parseWebhookUrl('https://BÜCHER.example.:8443/Hooks?a=B#part')
  assert.equal(target?.url.href, 'https://xn--bcher-kva.example:8443/Hooks?a=B')
  assert.deepEqual([target?.hostname, target?.port, target?.isAddress], ['xn--bcher-kva.example', 8443, false])
  assert.equal(parseWebhookUrl('https://example.com').target?.port, 443)
})

test('for any text, parseWebhookUrl returns either a rejection or an https URL without credentials', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.webUrl({ withQueryParameters: true }),
        fc.string(),
        fc.string().map((rest) => `https://${rest}`),
      ),
      (text) => {
        const { target, rejection } = parseWebhookUrl(text)
        if (target === undefined) return rejection !== undefined && rejection.length > 0
        const { protocol, username, password, hash } = target.url
        return (
          protocol === 'https:' &&
          username + password + hash === '' &&
          target.hostname !== '' &&
          !target.hostname.endsWith('.')
        )
      },
    ),
  )
})

test('isReceiverPort allows only 443 of the ports below 1024', () => {
  const allowed = Array.from({ length: 1_030 }, (_, port) => port).filter(isReceiverPort)
  assert.deepEqual(allowed, [443, 1_024, 1_025, 1_026, 1_027, 1_028, 1_029])
})

/*
 * However a URL spells an address, the checks must see the address to which a connection would be made: the parser
 * returns its canonical form or rejects the URL.
 */

type Bytes = readonly [number, number, number, number]

const byte = fc.nat({ max: 255 })
const bytes: fc.Arbitrary<Bytes> = fc.tuple(byte, byte, byte, byte)
const plain = (address: Bytes) => address.join('.')
const low = (address: Bytes, from: number) => address.slice(from).reduce((sum, one) => sum * 256 + one, 0)

/** All the notations in which inet_aton accepts a number. */
const notations: readonly ((value: number) => string)[] = [
  String,
  (value) => `0x${value.toString(16)}`,
  (value) => `0X${value.toString(16).toUpperCase().padStart(4, '0')}`,
  (value) => `0${value.toString(8)}`,
  (value) => `000${value.toString(8)}`,
]
const notation = fc.constantFrom(...notations)

/**
 * Splits an address into four, three, two or one parts. Each part is one byte, except the last, which contains all
 * remaining bytes.
 */
const parts: readonly ((address: Bytes) => readonly number[])[] = [
  (address) => address,
  (address) => [address[0], address[1], low(address, 2)],
  (address) => [address[0], low(address, 1)],
  (address) => [low(address, 0)],
]

/** Ways to replace ASCII characters with others that IDNA maps back to them. */
const disguises: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) => text.replace(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit))),
  (text) => text.replace(/\d/g, (digit) => String.fromCodePoint(0x1d7d8 + Number(digit))),
  (text) => text.replaceAll('.', '\u3002'),
  (text) => text.replaceAll('.', '\uff0e'),
  (text) => text.replace(/^./, (first) => `${first}\u00ad`),
  (text) => text.replace(/[\d.]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`),
  (text) => `${text}.`,
]

test('parseWebhookUrl finds the canonical form of an IPv4 address, however the address is written or disguised', () => {
  fc.assert(
    fc.property(
      bytes,
      fc.constantFrom(...parts),
      fc.tuple(notation, notation, notation, notation),
      fc.constantFrom(...disguises),
      fc.constantFrom('', ':', ':443', ':0443', ':8443'),
      (address, split, write, disguise, port) => {
        const host = split(address)
          .map((value, index) => (write[index] ?? String)(value))
          .join('.')
        const url = `https://${disguise(host)}${port}/hooks`
        const { target, rejection } = parseWebhookUrl(url)
        assert.deepEqual([target?.hostname, target?.isAddress, rejection], [plain(address), true, undefined], url)
        assert.equal(target?.url.hostname, plain(address), url)
      },
    ),
    { numRuns: 1_000 },
  )
})

test('parseWebhookUrl treats an IPv4 address embedded in an IPv6 address as an IPv6 address', () => {
  assert.equal(parseWebhookUrl('https://[0:0:0:0:0:0:0:1]/').target?.hostname, '::1')
  const prefixes = ['::ffff:', '::', '::ffff:0:', '64:ff9b::', '64:ff9b:1::', '2002:', '0:0:0:0:0:ffff:']
  fc.assert(
    fc.property(bytes, fc.constantFrom(...prefixes), fc.boolean(), (address, prefix, isDotted) => {
      const groups = [low(address, 0) >>> 16, low(address, 2)].map((group) => group.toString(16)).join(':')
      const host = prefix === '2002:' ? `2002:${groups}::1` : prefix + (isDotted ? plain(address) : groups)
      const { target } = parseWebhookUrl(`https://[${host}]:8443/`)
      assert.equal(target?.isAddress, true, host)
      assert.match(target?.hostname ?? '', /^[\da-f:]+$/, host)
    }),
  )
})

test('parseWebhookUrl rejects a numeric host that is not an IPv4 address instead of treating it as a name', () => {
  const impossible = [
    '256.1.1.1',
    '1.2.3.256',
    '4294967296',
    '0x100000000',
    '1.2.3.4.5',
    '1..2',
    '1.2.3.08',
    '127.0.0.0x',
    '0x7g.1',
  ]
  for (const host of impossible) {
    const { target, rejection } = parseWebhookUrl(`https://${host}/`)
    assert(rejection !== undefined || target?.isAddress === true, host)
  }
})

test('parseWebhookUrl rejects a zone, a scope or an incomplete address in brackets', () => {
  const hosts = [
    '[fe80::1%eth0]',
    '[fe80::1%25eth0]',
    '[::1%251]',
    '[::1]x',
    '[::1',
    '::1',
    '[1.2.3.4]',
    '[v1.fe80::a]',
    '[:::1]',
    '[::127.1]',
    '[::0x7f.0.0.1]',
  ]
  for (const host of hosts) assert.notEqual(parseWebhookUrl(`https://${host}/`).rejection, undefined, host)
})

test('parseWebhookUrl returns different ASCII forms for names that only look alike', () => {
  const names: Record<string, string> = {
    // Cyrillic о and Greek ο.
    'https://l\u043ecalhost/': 'xn--lcalhost-nbh',
    'https://l\u03bfcalhost/': 'xn--lcalhost-zdg',
    'https://ⓛⓞⓒⓐⓛⓗⓞⓢⓣ/': 'localhost',
    'https://LOCALHOST/': 'localhost',
    'https://ｌｏｃａｌｈｏｓｔ./': 'localhost',
    'https://local\u200bhost/': 'localhost',
    'https://xn--bcher-kva.example/': 'xn--bcher-kva.example',
    'https://faß.example/': 'xn--fa-hia.example',
  }
  for (const [url, hostname] of Object.entries(names)) {
    assert.deepEqual([parseWebhookUrl(url).target?.hostname], [hostname], url)
  }
})

test('parseWebhookUrl rejects a host that is not a valid DNS name and says so', () => {
  const long = `${'a'.repeat(63)}.`.repeat(4)
  const hosts = [
    'example.com..',
    'localhost..',
    '127.0.0.1..',
    '.example.com',
    'a..b',
    '*.example.com',
    'a!b.example',
    "a'b.example",
    'a,b',
    'a;b',
    '$host',
    `${'a'.repeat(64)}.example`,
    `${long}example`,
  ]
  for (const host of hosts)
    assert.match(parseWebhookUrl(`https://${host}/`).rejection ?? 'accepted', /not a valid DNS name/, host)
  for (const host of ['a%2fb', 'a%40b', 'a%00b', 'a%5cb', 'a<b', 'a|b', 'a^b'])
    assert.notEqual(parseWebhookUrl(`https://${host}/`).rejection, undefined, host)
  for (const host of ['a', '_sip.example', 'a-b.example', `${'a'.repeat(63)}.example`])
    assert.equal(parseWebhookUrl(`https://${host}/`).target?.hostname, host)
})

test('parseWebhookUrl rejects credentials in any spelling, but accepts an @ in the path', () => {
  for (const authority of ['a@b', 'a:b@c', '@c', ':@c', 'localhost%40@c', '127.0.0.1:443@c', 'a@b@c'])
    assert.match(parseWebhookUrl(`https://${authority}/`).rejection ?? 'accepted', /credentials/, authority)
  const { target } = parseWebhookUrl('https://hooks.example/@127.0.0.1')
  assert.equal(target?.hostname, 'hooks.example')
})

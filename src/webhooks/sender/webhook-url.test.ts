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
  'must not contain credentials': [
    'https://user@example.com',
    'https://user:secret@example.com/x',
    'https://@example.com',
    'https://:@example.com',
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

test('parseWebhookUrl turns unusual spellings of an IP address into the address to which a connection would be made', () => {
  const spellings: Record<string, string> = {
    'https://0x7f.1/': '127.0.0.1',
    'https://2130706433/': '127.0.0.1',
    'https://017700000001/': '127.0.0.1',
    'https://127.1': '127.0.0.1',
    'https://127.0.0.1./': '127.0.0.1',
    'https://１２７.０.０.１/': '127.0.0.1',
    'https://0/': '0.0.0.0',
    'https://[::ffff:127.0.0.1]/': '::ffff:7f00:1',
    'https://[0:0:0:0:0:0:0:1]/': '::1',
  }
  for (const [url, hostname] of Object.entries(spellings)) {
    const { target } = parseWebhookUrl(url)
    assert.deepEqual([target?.hostname, target?.isAddress], [hostname, true], url)
  }
})

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

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { browserInWords } from './browser-in-words.ts'

const webKit = 'AppleWebKit/537.36 (KHTML, like Gecko)'

test('a session is named by its browser and system, and by what it calls itself if that is no known browser', () => {
  for (const [expected, userAgent] of [
    ['Chrome on Windows', `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${webKit} Chrome/140.0.0.0 Safari/537.36`],
    ['Edge on Windows', `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${webKit} Chrome/140.0 Safari/537.36 Edg/140.0`],
    [
      'Samsung Internet on Android',
      `Mozilla/5.0 (Linux; Android 14) ${webKit} SamsungBrowser/25.0 Chrome/121.0 Mobile`,
    ],
    [
      'Safari on iPhone',
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Mobile/15E148 Safari/604.1',
    ],
    ['Firefox on Linux', 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'],
    ['node', 'node'],
    ['curl', 'curl/8.5.0'],
    ['Not known', ''],
  ] as const)
    assert.equal(browserInWords(userAgent), expected)
})

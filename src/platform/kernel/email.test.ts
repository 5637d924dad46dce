import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isPlausibleEmail } from './email.ts'

test('an address with an invisible character is rejected, because it would look like another person’s', () => {
  for (const hidden of ['\u200b', '\u200d', '\u00ad', '\u2060', '\u202e', '\ufeff', '\u{e0061}'])
    for (const address of [`alex${hidden}@example.com`, `${hidden}alex@example.com`, `alex@exam${hidden}ple.com`])
      assert.equal(isPlausibleEmail(address), false, JSON.stringify(address))
  assert.ok(isPlausibleEmail('alex@example.com'))
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hasUnusualDomain, isPlausibleEmail } from './email.ts'

test('an address with an invisible character is rejected, because it would look like another person’s', () => {
  for (const hidden of [
    '\u200b',
    '\u200d',
    '\u00ad',
    '\u2060',
    '\u202e',
    '\ufeff',
    '\u{e0061}',
    '\ufe0f',
    '\u3164',
    '\u115f',
    '\u034f',
  ])
    for (const address of [`alex${hidden}@example.com`, `${hidden}alex@example.com`, `alex@exam${hidden}ple.com`])
      assert.equal(isPlausibleEmail(address), false, JSON.stringify(address))
  assert.ok(isPlausibleEmail('alex@example.com'))
})

test('a domain that nobody has, or that is a letter away from a usual one, is unusual', () => {
  for (const domain of ['gmail.con', 'Gmail.Con', 'gmial.com', 'gmal.com', 'hotmaill.com', 'yahoo.co.ul', 'outlok.com'])
    assert.ok(hasUnusualDomain(`alex@${domain}`), domain)
  for (const domain of [
    'gmail.com',
    'mail.com',
    'ymail.com',
    'example.com',
    'yahoo.co.uk',
    'uni.ac.uk',
    'conway.co.uk',
  ])
    assert.equal(hasUnusualDomain(`alex@${domain}`), false, domain)
})

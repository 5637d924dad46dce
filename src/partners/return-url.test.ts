import assert from 'node:assert/strict'
import { test } from 'node:test'
import { requireRegisteredReturnUrl } from './partner-settings.schema.ts'

function isAllowed(returnUrl: string, registered: readonly string[], realm: 'sandbox' | 'live' = 'live'): boolean {
  try {
    requireRegisteredReturnUrl(returnUrl, registered, realm)
    return true
  } catch {
    return false
  }
}

test('a return URL has a registered origin, and its path begins with the registered one', () => {
  const registered = ['https://lettings.example/bills']
  for (const allowed of [
    'https://lettings.example/bills',
    'https://LETTINGS.example:443/bills/tenancy/7?step=done#top',
    'https://lettings.example/other/../bills/',
  ])
    assert.ok(isAllowed(allowed, registered), allowed)
  for (const other of [
    'https://lettings.example/',
    'https://lettings.example/billsfake',
    'https://lettings.example/bills/../admin',
    'https://lettings.example/bills/%2e%2e/admin',
    'https://lettings.example:8443/bills',
    'https://lettings.example.attacker.example/bills',
    'https://lettings.example@attacker.example/bills',
    'https://user@lettings.example/bills',
    'http://lettings.example/bills',
    'javascript:alert(1)',
    '//lettings.example/bills',
  ])
    assert.ok(!isAllowed(other, registered), other)
  assert.ok(isAllowed('https://lettings.example/anything', ['https://lettings.example']))
  assert.ok(!isAllowed('https://lettings.example/', []))
})

test('plain HTTP counts in a sandbox only', () => {
  const registered = ['http://localhost:3000']
  assert.ok(isAllowed('http://localhost:3000/done', registered, 'sandbox'))
  assert.ok(!isAllowed('http://localhost:3001/done', registered, 'sandbox'))
  assert.ok(!isAllowed('http://localhost:3000/done', registered, 'live'))
})

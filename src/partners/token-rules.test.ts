import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Credential } from './partners.store.ts'
import { type Scope, scopes } from './scopes.ts'
import { externalTokenRules } from './token-rules.ts'

const rules = externalTokenRules({
  issuer: 'https://id.example/',
  audience: 'https://bills.example/partner-api',
  keys: { find: async () => [] },
})
const scopesOf = (claims: Record<string, unknown>, own: readonly Scope[] = scopes) =>
  rules.scopesOf(claims, { scopes: own } as Credential)

test('a token of an external provider grants those of its scopes that are ours, whatever claim and form it has', () => {
  for (const claim of ['scope', 'scp', 'permissions'])
    for (const value of ['quotes:read openid', ['openid', 'quotes:read']])
      assert.deepEqual(scopesOf({ [claim]: value }), ['quotes:read'], claim)
  assert.deepEqual(scopesOf({ scope: 'openid', permissions: ['quotes:read'] }), ['quotes:read'])
})

test('a token of an external provider never grants more than its credential has', () => {
  assert.deepEqual(scopesOf({ scp: 'quotes:read quotes:write' }, ['quotes:read']), ['quotes:read'])
})

test('a token of an external provider that names no scope of ours grants nothing', () => {
  for (const claim of ['scope', 'scp', 'permissions'])
    for (const value of ['', [], 'openid profile', ['admin'], null, 7])
      assert.deepEqual(scopesOf({ [claim]: value }), [])
})

test('a token of an external provider without a claim of scopes grants what its credential has', () => {
  assert.deepEqual(scopesOf({}, ['quotes:read', 'customers:read']), ['quotes:read', 'customers:read'])
})

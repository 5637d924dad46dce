import assert from 'node:assert/strict'
import { test } from 'node:test'
import { requireServerVersion } from './migration-error.ts'

test('a server older than PostgreSQL 16 is rejected with the version that is needed and the one that was found', () => {
  assert.throws(() => requireServerVersion({ number: 150_018, text: '15.18 (Debian 15.18-1.pgdg13+1)' }), {
    name: 'ServerVersionError',
    message: /needs PostgreSQL 16 or newer, but the server is PostgreSQL 15\.18 \(Debian/,
  })
})

test('PostgreSQL 16, 17, 18 and later are accepted', () => {
  for (const major of [16, 17, 18, 19]) requireServerVersion({ number: major * 10_000, text: `${major}.0` })
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findCloseNames } from './close-names.ts'

test('a variable whose name is close to a setting is found, with the setting that was meant', () => {
  for (const [name, meant] of [
    ['COLLECTION', 'COLLECTIONS'],
    ['DATABSE_URL', 'DATABASE_URL'],
    ['DATBAASE_URL', 'DATABASE_URL'],
    ['database_url', 'DATABASE_URL'],
    ['PROT', 'PORT'],
    ['ENCRYPTION_KEY', 'ENCRYPTION_KEYS'],
  ] as const)
    assert.deepEqual(findCloseNames({ [name]: 'x' }), [{ name, meant }])
})

test('our own names and ordinary variables of a shell are not', () => {
  const names =
    'PATH HOME HOSTNAME PWD USER SHELL TERM LANG PGHOST PGPORT PGUSER TZ TMPDIR NODE_ENV DATABASE_URL PORT HOST'
  const environment = Object.fromEntries(names.split(' ').map((name) => [name, 'x']))
  assert.deepEqual(findCloseNames(environment), [])
})

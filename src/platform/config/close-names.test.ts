import assert from 'node:assert/strict'
import { test } from 'node:test'
import { warnOfCloseNames } from './close-names.ts'

/** The variables that a start with this environment warns of, and the settings that they were probably meant to be. */
function warnedOf(environment: NodeJS.ProcessEnv): unknown[] {
  const warned: unknown[] = []
  warnOfCloseNames({ warn: (fields: object) => void warned.push(fields) }, environment)
  return warned
}

test('a variable whose name is close to a setting is warned of, with the setting that was meant', () => {
  for (const [variable, meant] of [
    ['COLLECTION', 'COLLECTIONS'],
    ['DATABSE_URL', 'DATABASE_URL'],
    ['DATBAASE_URL', 'DATABASE_URL'],
    ['database_url', 'DATABASE_URL'],
    ['PORTS', 'PORT'],
    ['ENCRYPTION_KEY', 'ENCRYPTION_KEYS'],
  ] as const)
    assert.deepEqual(warnedOf({ [variable]: 'x' }), [{ variable, meant }])
})

test('our own names and ordinary variables of a shell are not warned of', () => {
  const names =
    'PATH HOME HOSTNAME PWD USER SHELL TERM LANG PGHOST PGPORT PGUSER TZ TMPDIR NODE_ENV DATABASE_URL PORT HOST'
  assert.deepEqual(warnedOf(Object.fromEntries(names.split(' ').map((name) => [name, 'x']))), [])
})

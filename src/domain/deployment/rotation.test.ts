import assert from 'node:assert/strict'
import { test } from 'node:test'
import { keyStates } from './rotation.ts'

test('a key is current, in use, retired or missing, depending on its position in the list and on the values that use it', () => {
  const uses = [
    { keyId: 'a', values: 3 },
    { keyId: 'b', values: 2 },
    { keyId: 'lost', values: 1 },
  ]
  assert.deepEqual(keyStates(['new', 'a', 'unused', 'b'], uses), [
    { keyId: 'new', values: 0, state: 'current' },
    { keyId: 'a', values: 3, state: 'in use' },
    { keyId: 'unused', values: 0, state: 'retired' },
    { keyId: 'b', values: 2, state: 'in use' },
    { keyId: 'lost', values: 1, state: 'missing' },
  ])
})

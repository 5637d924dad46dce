import assert from 'node:assert/strict'
import { totalmem } from 'node:os'
import { test } from 'node:test'
import { initialSettings, usableMemoryBytes } from './server-settings.ts'

const gibibyte = 1_024 ** 3

test('a new cluster, however much memory there is, is given an eighth of it, between 128 and 512 MB', () => {
  const given = [0.5, 1, 2, 3.999, 4, 256].map((gibibytes) => {
    const { shared_buffers } = initialSettings(gibibytes * gibibyte)
    return shared_buffers
  })
  assert.deepEqual(given, ['128MB', '128MB', '256MB', '511MB', '512MB', '512MB'])
})

test('the usable memory, limited or not, is more than nothing and no more than the machine has', () => {
  const bytes = usableMemoryBytes()
  assert.ok(bytes > 0 && bytes <= totalmem(), String(bytes))
})

import assert from 'node:assert/strict'
import { totalmem } from 'node:os'
import { test } from 'node:test'
import { initialSettings, usableMemoryBytes } from './server-settings.ts'

const gibibyte = 1_024 ** 3

test('a new cluster gets an eighth of the memory, between 128 and 512 MB', () => {
  const given = [0.5, 1, 2, 3.999, 4, 256].map((gibibytes) => {
    const { shared_buffers } = initialSettings(gibibytes * gibibyte)
    return shared_buffers
  })
  assert.deepEqual(given, ['128MB', '128MB', '256MB', '511MB', '512MB', '512MB'])
})

test("the usable memory is positive and at most the machine's", () => {
  const bytes = usableMemoryBytes()
  assert.ok(bytes > 0 && bytes <= totalmem(), String(bytes))
})

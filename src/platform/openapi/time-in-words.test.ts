import assert from 'node:assert/strict'
import { test } from 'node:test'
import { timeInWords } from './time-in-words.ts'

test('timeInWords rounds any duration to the largest unit that fits', () => {
  const examples: [number, string][] = [
    [0, '0 seconds'],
    [1, '1 second'],
    [59, '59 seconds'],
    [300, '5 minutes'],
    [86_400, '1 day'],
    [272_105, '3 days'],
  ]
  for (const [seconds, words] of examples) assert.equal(timeInWords(seconds), words)
})

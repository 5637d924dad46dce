import assert from 'node:assert/strict'
import { test } from 'node:test'
import { summarise, type Turn } from '../../bench/requests/measure-turn.ts'

const turn = (perSecond: number): Turn => ({ perSecond, p50Ms: 1, p99Ms: 2, serverMicros: 3, postgresMicros: 4 })

test('a ratio is the median of the ratios of the rounds, not the ratio of the medians', () => {
  const operations = [
    { name: 'bare-select', baselines: [] },
    { name: 'lookup', baselines: ['bare-select'] },
  ]
  const turns = new Map([
    ['bare-select', [turn(100), turn(200), turn(1_000)]],
    ['lookup', [turn(90), turn(100), turn(100)]],
  ])
  const lookup = summarise(operations, turns).get('lookup')
  assert.deepEqual([lookup?.perSecond, lookup?.ratios], [100, { 'bare-select': 0.5 }])
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isSteady, summarise, type Turn, total } from '../../bench/requests/measure-turn.ts'

const turn = (perSecond: number, micros: number): Turn => ({
  perSecond,
  p50Ms: 1,
  p99Ms: 2,
  serverMicros: micros,
  postgresMicros: 100,
})

test('the figures of several rounds are those of the round with the least processor time', () => {
  const figures = summarise([turn(900, 300), turn(1_000, 200), turn(800, 400)])
  assert.deepEqual([figures.perSecond, total(figures)], [1_000, 300])
})

test('rates that differ by more than 15 % between rounds are unsteady', () => {
  assert.ok(isSteady(summarise([turn(1_000, 1), turn(1_150, 1)])))
  assert.ok(!isSteady(summarise([turn(1_000, 1), turn(1_160, 1)])))
})

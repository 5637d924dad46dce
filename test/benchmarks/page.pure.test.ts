import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import type { JourneyFigures } from '../../bench/journeys/report.ts'
import { renderBenchmarks } from '../../bench/page/render-page.ts'
import { benchmarkNames, type Result } from '../../bench/page/results-file.ts'
import type { Turn } from '../../bench/requests/measure.ts'
import { type RequestFigures, summarise } from '../../bench/requests/report.ts'
import type { Scenario } from '../../bench/requests/scenarios.ts'

const machine = {
  cores: 4,
  processor: 'Some processor',
  memoryGiB: 8,
  node: '26.1.0',
  postgres: '18.1',
  loadBefore: 0.2,
  loadAfter: 3.1,
}
const resultOf = (figures: object): Result => ({ measuredOn: '2026-02-03', command: 'npm run x', machine, figures })

const turn = (perSecond: number): Turn => ({ perSecond, p50Ms: 1, p99Ms: 2, serverMicros: 3, postgresMicros: 4 })
const scenario = (name: string, ...baselines: string[]): Scenario => ({
  name,
  title: name,
  server: 'service',
  requests: [],
  baselines,
})

const requests: RequestFigures = {
  seconds: 5,
  rounds: 3,
  connections: 32,
  scenarios: summarise(
    [scenario('bare-select'), scenario('lookup', 'bare-select')],
    new Map([
      ['bare-select', [turn(100), turn(200), turn(1_000)]],
      ['lookup', [turn(90), turn(100), turn(100)]],
    ]),
  ),
}
const journeys: JourneyFigures = {
  seconds: 30,
  perSecond: 12,
  journeysPerSecond: 6,
  steps: [
    { step: 'total cost', count: 10, p50Ms: 3, p99Ms: 20 },
    { step: 'accept the terms', count: 30, p50Ms: 40, p99Ms: 70 },
  ],
}

test('a ratio is the median of the ratios of the rounds, not the ratio of the medians', () => {
  const [, lookup] = requests.scenarios
  assert.deepEqual([lookup?.perSecond, lookup?.ratios], [100, { 'bare-select': 0.5 }])
})

test('the page says of each benchmark when, where and with which command it ran, and whether its aims are met', () => {
  const page = renderBenchmarks({ requests: resultOf(requests), journeys: resultOf(journeys) }).get('README.md') ?? ''
  assert.match(
    page,
    /`npm run x` on 3 February 2026: 4 cores, Some processor, 8 GiB; Node 26\.1\.0, PostgreSQL 18\.1\./,
  )
  assert.match(page, /0\.50 \(aim 0\.55\)/)
  assert.match(page, /\*\*12\.0 journeys a second\*\* .*missed \(at worst 70 ms: accept the terms\)/s)
  assert.doesNotMatch(page, /busy|## Memory/)
})

test('the page warns of figures from a busy machine', () => {
  const busy = { ...resultOf(requests), machine: { ...machine, loadBefore: 2.1 } }
  assert.match(renderBenchmarks({ requests: busy }).get('README.md') ?? '', /The machine was busy with other work/)
})

test('requests and journeys have charts that name what they show, on a light background', () => {
  const files = renderBenchmarks({ requests: resultOf(requests), journeys: resultOf(journeys) })
  for (const [file, label] of [
    ['requests.svg', 'lookup ÷ bare'],
    ['journeys.svg', 'accept the terms'],
  ] as const) {
    const svg = files.get(file) ?? ''
    assert.match(svg, /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" style="[^"]*background:white/)
    assert.ok(svg.includes(`>${label}</text>`), label)
    assert.ok(files.get('README.md')?.includes(`](${file})`), file)
  }
})

test('every benchmark with a command has its place on the page', () => {
  const { scripts } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
  const commands = Object.keys(scripts).filter((name) => /^bench\b/.test(name))
  const expected = benchmarkNames.map((name) => (name === 'requests' ? 'bench' : `bench:${name}`))
  assert.deepEqual(commands.sort(), expected.sort())
})

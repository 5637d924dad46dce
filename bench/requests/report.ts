import { markdownTable } from '../page/markdown-table.ts'
import { percentile } from '../percentile.ts'
import type { Turn } from './measure.ts'
import type { Scenario } from './scenarios.ts'

/** The medians of a scenario's rounds. */
export interface ScenarioFigures extends Turn {
  name: string
  title: string
  /** By the name of the baseline: the median of the rounds' ratios. */
  ratios: Record<string, number>
}

/** What a run of `npm run bench` found. */
export interface RequestFigures {
  seconds: number
  rounds: number
  connections: number
  scenarios: readonly ScenarioFigures[]
}

/** The aims: by scenario and baseline, the least ratio; and for contracts, the least number of pairs a second. */
export const leastRatios: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  'create-quote': { 'bare-insert': 0.35, 'mock-create': 1.15 },
  'get-quote': { 'bare-select': 0.5, 'mock-get': 2 },
  'total-cost': { 'bare-select': 0.5 },
  lookup: { 'bare-select': 0.55 },
  'get-customer': { 'bare-select': 0.3 },
  token: { 'bare-nothing': 0.1 },
}
const leastPairsPerSecond = 25

const median = (values: readonly number[]) => percentile(values, 50)

/** Takes the medians of all turns, and of the ratios to the baselines' turns in the same round. */
export function summarise(
  scenarios: readonly Scenario[],
  turns: ReadonlyMap<string, readonly Turn[]>,
): ScenarioFigures[] {
  return scenarios.map(({ name, title, baselines }) => {
    const own = turns.get(name) ?? []
    const of = (figure: keyof Turn) => median(own.map((turn) => turn[figure]))
    const ratioTo = (baseline: string) =>
      median(own.map(({ perSecond }, round) => perSecond / (turns.get(baseline)?.[round]?.perSecond ?? Number.NaN)))
    return {
      name,
      title,
      perSecond: of('perSecond'),
      p50Ms: of('p50Ms'),
      p99Ms: of('p99Ms'),
      serverMicros: of('serverMicros'),
      postgresMicros: of('postgresMicros'),
      ratios: Object.fromEntries(baselines.map((baseline) => [baseline, ratioTo(baseline)])),
    }
  })
}

const ratioOf = (value: number) => (value < 0.1 ? value.toPrecision(1) : value.toFixed(2))
const perSecond = (value: number) => (value < 100 ? value.toFixed(1) : Math.round(value).toLocaleString('en-GB'))

/** The figures as a table, which is as readable on a terminal as on a page. */
export function tableOf(figures: readonly ScenarioFigures[]): string {
  const ratio = ({ name, ratios }: ScenarioFigures, prefix: string) =>
    Object.entries(ratios)
      .filter(([baseline]) => baseline.startsWith(prefix))
      .map(([baseline, value]) => `${ratioOf(value)} (aim ${leastRatios[name]?.[baseline]?.toFixed(2)})`)
      .join()
  return markdownTable(
    ['', 'each second', 'ratio to bare', 'ratio to the mock', 'p50', 'p99', 'processor time, server + PostgreSQL'],
    figures.map((each) => [
      each.title,
      perSecond(each.perSecond),
      ratio(each, 'bare-'),
      ratio(each, 'mock-'),
      `${each.p50Ms.toFixed(1)} ms`,
      `${each.p99Ms.toFixed(1)} ms`,
      `${Math.round(each.serverMicros)} + ${Math.round(each.postgresMicros)} µs`,
    ]),
  )
}

/** The section about requests. */
export function reportRequests({ seconds, rounds, connections, scenarios }: RequestFigures): string {
  const isBaseline = ({ name }: ScenarioFigures) => name.startsWith('bare-') || name.startsWith('mock-')
  return `The service runs as shipped in a sandbox. Its limits on requests are off, and it logs errors only; everything else is on. The load generator
runs on the same machine and sends requests over ${connections} connections. In each of ${rounds} rounds, every scenario is measured for about ${seconds} s, right after its baselines. The figures
are medians of the rounds, and a ratio is the median of the rounds' ratios. Processor time is for one request, of all processes of the server and of PostgreSQL.

Bare Fastify does nothing but run one prepared statement, over a pool like the service's on the same PostgreSQL: it inserts a row and waits until that is on disk,
or reads one row by its key. The baseline of a token has no database. The mock is Prism, which answers from the API document and stores nothing.

${tableOf(scenarios.filter((each) => !isBaseline(each)))}

- A created quote counts only when its event has been dispatched.
- A contract is read from the database as it was stored. A preview is rendered each time it is opened. Pairs are counted: one opening of each
  format. The aim is at least ${leastPairsPerSecond} pairs a second. Previews have 8 connections, because the service turns away more from one partner.

${tableOf(scenarios.filter(isBaseline))}`
}

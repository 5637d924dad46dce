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

const perSecond = (value: number) => (value < 100 ? value.toFixed(1) : Math.round(value).toLocaleString('en-GB'))

/** The figures as a table, which is as readable on a terminal as on a page. */
export function tableOf(figures: readonly ScenarioFigures[]): string {
  const ratio = (ratios: ScenarioFigures['ratios'], prefix: string) =>
    Object.entries(ratios)
      .filter(([baseline]) => baseline.startsWith(prefix))
      .map(([, value]) => value.toFixed(2))
      .join()
  return markdownTable(
    ['', 'each second', 'to bare', 'to the mock', 'p50', 'p99', 'processor time, server + PostgreSQL'],
    figures.map((each) => [
      each.title,
      perSecond(each.perSecond),
      ratio(each.ratios, 'bare-'),
      ratio(each.ratios, 'mock-'),
      `${each.p50Ms.toFixed(1)} ms`,
      `${each.p99Ms.toFixed(1)} ms`,
      `${Math.round(each.serverMicros)} + ${Math.round(each.postgresMicros)} µs`,
    ]),
  )
}

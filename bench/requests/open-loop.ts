import { type ApiClient, connectApi, type OperationTimes } from '../api-client.ts'
import { markdownTable, ms, ratio } from '../markdown-table.ts'
import { startMeasuredService } from '../measured-service.ts'
import { percentile } from '../percentile.ts'
import type { Scenario } from '../scenario.ts'
import { runSteadyLoad } from '../steady-load.ts'
import { walkJourney } from './walk.ts'

/**
 * How many journeys are under way at full speed. More acceptances at once than a partner may have waiting are turned
 * away.
 */
const mostAtOnce = 8

/** The aim for the p99 of each step. */
const maxP99Ms = 50

/**
 * Whole journeys: how many a second the service completes at full speed, and how long each step takes when journeys
 * begin at half that rate, whether or not earlier ones have ended, compared with one journey at a time.
 */
export const openLoop: Scenario = {
  maxMinutes: ({ isQuick }) => (isQuick ? 2 : 5),
  async measure(run) {
    const seconds = run.isQuick ? 2 : 30
    const atOnce = run.isQuick ? 2 : mostAtOnce
    const service = await startMeasuredService(run)
    const api = await connectApi(run, service.url)
    await walk(api, atOnce, seconds / 3)
    const alone: OperationTimes = new Map()
    await walk(api.timed(alone), 1, seconds / 2)
    const perSecond = await walk(api, atOnce, seconds)
    run.say(`${perSecond.toFixed(1)} journeys a second at full speed`)
    const steady: OperationTimes = new Map()
    const measured = api.timed(steady)
    const { errors } = await runSteadyLoad(perSecond / 2, seconds, () => walkJourney(measured))
    if (errors > 0) throw new Error(`${errors} journeys failed`)
    return report(perSecond, alone, steady)
  },
}

/** Begins a journey whenever one ends. Returns how many ended a second, until the last one has. */
async function walk(api: ApiClient, lanes: number, seconds: number): Promise<number> {
  const startedAt = performance.now()
  let journeys = 0
  const lane = async () => {
    do {
      await walkJourney(api)
      journeys += 1
    } while (performance.now() - startedAt < seconds * 1_000)
  }
  await Promise.all(Array.from({ length: lanes }, lane))
  return (journeys * 1_000) / (performance.now() - startedAt)
}

function report(perSecond: number, alone: OperationTimes, steady: OperationTimes): string {
  const rows = [...steady].map(([step, times]) => {
    const [ownP50, p50, p99] = [percentile(alone.get(step) ?? [], 50), percentile(times, 50), percentile(times, 99)]
    return { p99, cells: [step, String(times.length), ms(p50), ms(p99), ratio(p50 / ownP50)] }
  })
  const worst = Math.max(...rows.map(({ p99 }) => p99))
  return `${perSecond.toFixed(1)} journeys a second at full speed; ${(perSecond / 2).toFixed(1)} a second when the steps were timed.
The aim is a p99 below ${maxP99Ms} ms for each step: ${worst < maxP99Ms ? 'met' : 'missed'}. The ratio is that of the p50 to one journey at a time.

${markdownTable(
  ['step', 'calls', 'p50', 'p99', 'ratio'],
  rows.map(({ cells }) => cells),
)}`
}

import { markdownTable } from '../page/markdown-table.ts'
import type { StepTimes } from './load.ts'

/** What a run of `npm run bench:journeys` found. */
export interface JourneyFigures {
  seconds: number
  /** Whole journeys a second at full speed. */
  perSecond: number
  /** The rate at which the steps were timed. */
  journeysPerSecond: number
  steps: readonly StepTimes[]
}

/** The aim for the p99 of each step. */
export const maxP99Ms = 50

/** The section about journeys. */
export function reportJourneys({ seconds, perSecond, journeysPerSecond, steps }: JourneyFigures): string {
  const slowest = steps.reduce((one, other) => (other.p99Ms > one.p99Ms ? other : one))
  return `A journey takes a household of three from the lookup of its address to its contracts: a quote with packages, the total cost, and for
each tenant the personal details, the payment schedule, a setup intent, a confirmed card, the accepted terms and the links to both documents. That is
25 calls, with one token. Accepting renders the documents.

**${perSecond.toFixed(1)} journeys a second** (${Math.round(perSecond * 25)} calls) at full speed, with eight under way at once, over ${seconds} s. Then journeys begin at half that rate,
${journeysPerSecond.toFixed(1)} a second. The aim is a p99 below ${maxP99Ms} ms for each step: ${slowest.p99Ms < maxP99Ms ? 'met' : 'missed'} (at worst ${slowest.p99Ms.toFixed(0)} ms: ${slowest.step}).

${markdownTable(
  ['step', 'calls', 'p50', 'p99'],
  steps.map(({ step, count, p50Ms, p99Ms }) => [
    step,
    String(count),
    `${p50Ms.toFixed(1)} ms`,
    `${p99Ms.toFixed(1)} ms`,
  ]),
)}`
}

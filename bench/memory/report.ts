import { markdownTable } from '../page/markdown-table.ts'
import type { Resident } from './resident.ts'

/** What a run of `npm run bench:memory` found. */
export interface MemoryFigures {
  minutes: number
  requestsPerSecond: number
  atRest: Resident
  samples: readonly (Resident & { atSeconds: number })[]
}

/** The aims, in MiB. */
const atMost = { atRest: 150, underLoad: 300 }

const total = ({ service, postgres }: Resident) => service + postgres

/** The section about memory. */
export function reportMemory({ minutes, requestsPerSecond, atRest, samples }: MemoryFigures): string {
  const peak = samples.reduce((one, other) => (total(other) > total(one) ? other : one))
  const [first, last] = [samples[0] ?? atRest, samples.at(-1) ?? atRest]
  const verdict = (found: Resident, limit: number) => (total(found) <= limit ? 'met' : 'missed')
  const row = (when: string, found: Resident, aim = '') => [
    when,
    `${total(found)} MiB`,
    `${found.service} MiB`,
    `${found.postgres} MiB`,
    aim,
  ]
  return `Memory of the service and of all processes of its PostgreSQL. Pages that they share are counted once. The load lasts ${minutes} minutes: 32 connections
send all the requests above except tokens and previews in turn, ${Math.round(requestsPerSecond).toLocaleString('en-GB')} a second, and beside them one household after another goes from its address to its contracts.

${markdownTable(
  ['', 'together', 'service', 'PostgreSQL', 'aim'],
  [
    row(
      'at rest, ten seconds after the start',
      atRest,
      `at most ${atMost.atRest} MiB: ${verdict(atRest, atMost.atRest)}`,
    ),
    row('after the first half minute of load', first),
    row('at the end of the load', last),
    row('the most', peak, `at most ${atMost.underLoad} MiB: ${verdict(peak, atMost.underLoad)}`),
  ],
)}

Together every half minute of the load, in MiB: ${samples.map(total).join(', ')}.`
}

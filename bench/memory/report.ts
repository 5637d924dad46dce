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

const withoutCache = ({ service, postgres }: Resident) => service + postgres
const total = (found: Resident) => withoutCache(found) + found.cache

const mib = (value: number) => `${value} MiB`

/** The section about memory. */
export function reportMemory({ minutes, requestsPerSecond, atRest, samples }: MemoryFigures): string {
  const peak = samples.reduce((one, other) => (total(other) > total(one) ? other : one))
  const [first, last] = [samples[0] ?? atRest, samples.at(-1) ?? atRest]
  const verdict = (found: Resident, limit: number) => (total(found) <= limit ? 'met' : 'missed')
  const row = (when: string, found: Resident, aim = '') => [
    when,
    mib(total(found)),
    mib(found.service),
    mib(found.postgres),
    mib(found.cache),
    aim,
  ]
  return `Memory of the service and of all processes of its PostgreSQL. Pages that they share are counted once. The load lasts ${minutes} minutes: 32 connections
send all the requests above except previews in turn, ${Math.round(requestsPerSecond).toLocaleString('en-GB')} a second, and beside them one household after another goes from its address to its contracts.

${markdownTable(
  ['', 'together', 'service', 'PostgreSQL', 'its cache', 'aim'],
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

Every half minute of the load, in MiB: together ${samples.map(total).join(', ')}; without PostgreSQL's cache
${samples.map(withoutCache).join(', ')}. The cache is the shared buffers, which fill with data up to \`shared_buffers\` and then stay. A new cluster sets that to an
eighth of the machine's memory, from 128 to 512 MiB.`
}

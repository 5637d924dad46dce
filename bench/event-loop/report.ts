import { markdownTable } from '../page/markdown-table.ts'

/** What a run of `npm run bench:event-loop` found. */
export interface EventLoopFigures {
  repetitions: number
  requests: readonly { name: string; medianMs: number; longestMs: number }[]
}

/** The aim for the longest delay, in milliseconds. */
const atMostMs = 50

/** The section about the event loop. */
export function reportEventLoop({ repetitions, requests }: EventLoopFigures): string {
  const longest = Math.max(...requests.map(({ longestMs }) => longestMs))
  return `For how long the largest requests keep the service's thread from other requests, in ${repetitions} repetitions of each. The aim of at most ${atMostMs} ms
is ${longest <= atMostMs ? 'met' : 'missed'}.

${markdownTable(
  ['', 'median', 'longest'],
  requests.map(({ name, medianMs, longestMs }) => [name, `${medianMs.toFixed(1)} ms`, `${longestMs.toFixed(1)} ms`]),
)}`
}

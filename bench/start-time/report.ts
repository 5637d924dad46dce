import { markdownTable } from '../page/markdown-table.ts'

/** The times of several starts, in milliseconds. */
export interface StartTimes {
  medianMs: number
  shortestMs: number
  longestMs: number
}

/** What a run of `npm run bench:start` found. */
export interface StartFigures {
  rounds: number
  emptyFolder: StartTimes
  usedFolder: StartTimes
}

/** The aims for the medians, in seconds. */
const atMost = { emptyFolder: 2, usedFolder: 1 }

/** The section about the time to start. */
export function reportStart({ rounds, emptyFolder, usedFolder }: StartFigures): string {
  const row = (what: string, { medianMs, shortestMs, longestMs }: StartTimes, limit: number) => [
    what,
    ...[medianMs, shortestMs, longestMs].map((ms) => `${(ms / 1_000).toFixed(2)} s`),
    `at most ${limit} s: ${medianMs <= limit * 1_000 ? 'met' : 'missed'}`,
  ]
  return `The time from the command to the first 200 of \`/health/ready\`, in ${rounds} starts of each kind.

${markdownTable(
  ['', 'median', 'shortest', 'longest', 'aim for the median'],
  [row('empty data folder', emptyFolder, atMost.emptyFolder), row('used data folder', usedFolder, atMost.usedFolder)],
)}`
}

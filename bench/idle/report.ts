/** What a run of `npm run bench:idle` found. */
export interface IdleFigures {
  seconds: number
  percentOfCore: number
  transactionsPerSecond: number
}

/** The aim. */
const atMostPercent = 1

/** The section about the idle service. */
export function reportIdle({ seconds, percentOfCore, transactionsPerSecond }: IdleFigures): string {
  return `An idle service and its PostgreSQL use ${percentOfCore.toFixed(2)} % of a core and run ${transactionsPerSecond.toFixed(1)} transactions a second, over ${seconds} s. The aim of at most ${atMostPercent} %
is ${percentOfCore <= atMostPercent ? 'met' : 'missed'}.`
}

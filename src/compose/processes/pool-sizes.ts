import { CommandError } from '../../kernel/command-error.ts'

/** The most connections of each pool. A process needs one more, to listen. */
export interface PoolSizes {
  app: number
  system: number
  operator: number
}

/**
 * Each connection has a PostgreSQL process with caches of its own, which are only fast while they are used, so a few are faster than many. Six also keep a
 * process busy if PostgreSQL is a millisecond away.
 */
export const fullPools: PoolSizes = { app: 6, system: 7, operator: 4 }

/** Below these sizes, calls of one process would wait for each other's connections. */
const smallestPools: PoolSizes = { app: 4, system: 3, operator: 2 }

/** What the parent of several processes uses: for the start, whose checks need two of each, and in a sandbox for the simulated payment processor. */
export const parentPools: PoolSizes = { app: 2, system: 3, operator: 2 }

/** Left for commands, backups and whoever looks into the database. */
const reserve = 10

const connectionsOf = ({ app, system, operator }: PoolSizes): number => app + system + operator + 1

/**
 * Divides the connections of PostgreSQL between the processes, and one more that takes over during a rolling restart. Throws a
 * `CommandError` if there are too few.
 */
export function dividePools(processes: number, connectionLimit: number): PoolSizes {
  const forAll = connectionLimit - reserve - connectionsOf(parentPools)
  const each = Math.floor(forAll / (processes + 1))
  const smallest = connectionsOf(smallestPools)
  if (each < smallest) {
    const missing = smallest * (processes + 1) - forAll
    throw new CommandError(
      'too_few_connections',
      `PROCESSES=${processes} needs ${missing} more connections than PostgreSQL allows. Raise its max_connections by ${missing}, or lower PROCESSES to ${Math.max(1, Math.floor(forAll / smallest) - 1)}.`,
    )
  }
  return each >= connectionsOf(fullPools) ? fullPools : poolSizesOf(each)
}

/** Divides the connections of one process between its pools. */
export function poolSizesOf(each: number): PoolSizes {
  const share = (each - 1) / (connectionsOf(fullPools) - 1)
  const app = Math.max(smallestPools.app, Math.round(fullPools.app * share))
  const operator = Math.max(smallestPools.operator, Math.round(fullPools.operator * share))
  return { app, system: each - 1 - app - operator, operator }
}

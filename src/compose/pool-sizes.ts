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

const connectionsOf = ({ app, system, operator }: PoolSizes): number => app + system + operator + 1

/** Divides the connections of one process between its pools. */
export function poolSizesOf(each: number): PoolSizes {
  const share = (each - 1) / (connectionsOf(fullPools) - 1)
  const app = Math.max(smallestPools.app, Math.round(fullPools.app * share))
  const operator = Math.max(smallestPools.operator, Math.round(fullPools.operator * share))
  return { app, system: each - 1 - app - operator, operator }
}

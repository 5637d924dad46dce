import { Gauge, type Registry } from 'prom-client'

/** A connection pool's counts, such as those of the PostgreSQL client's pool. */
export interface PoolCounts {
  totalCount: number
  idleCount: number
  waitingCount: number
  /** Transactions that have waited for their commit for more than a second. */
  commitsWaiting: number
}

export function registerPoolMetrics(registry: Registry, pool: PoolCounts): void {
  new Gauge({
    name: 'housebill_postgres_connections',
    help: 'Open PostgreSQL connections of the pool, by state.',
    labelNames: ['state'],
    registers: [registry],
    collect() {
      this.set({ state: 'in_use' }, pool.totalCount - pool.idleCount)
      this.set({ state: 'idle' }, pool.idleCount)
    },
  })
  new Gauge({
    name: 'housebill_postgres_waiting',
    help: 'Statements and transactions waiting for a pool connection.',
    registers: [registry],
    collect() {
      this.set(pool.waitingCount)
    },
  })
  new Gauge({
    name: 'housebill_postgres_commits_waiting',
    help: 'Transactions whose commit has waited for more than a second, usually for a standby.',
    registers: [registry],
    collect() {
      this.set(pool.commitsWaiting)
    },
  })
}

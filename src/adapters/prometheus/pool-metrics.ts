import { Gauge, type Registry } from 'prom-client'

/** A connection pool's own counts; the PostgreSQL client's pool fits. */
export interface PoolCounts {
  totalCount: number
  idleCount: number
  waitingCount: number
}

export function registerPool(registry: Registry, pool: PoolCounts): void {
  new Gauge({
    name: 'housebill_postgres_connections',
    help: 'Open connections of the pool to PostgreSQL, by what they do.',
    labelNames: ['state'],
    registers: [registry],
    collect() {
      this.set({ state: 'in_use' }, pool.totalCount - pool.idleCount)
      this.set({ state: 'idle' }, pool.idleCount)
    },
  })
  new Gauge({
    name: 'housebill_postgres_waiting',
    help: 'Statements and transactions that wait for a connection of the pool.',
    registers: [registry],
    collect() {
      this.set(pool.waitingCount)
    },
  })
}

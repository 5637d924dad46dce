import { Gauge, type Registry } from 'prom-client'

/** How many open refunds must be paid back within three days, and how many should have been. */
export type RefundCounts = () => Promise<{ overdue: number; soon: number } | undefined>

/** Registers how many open refunds are due. Leaves the values out if the database could not provide them. */
export function registerRefundMetrics(registry: Registry, read: RefundCounts): void {
  new Gauge({
    name: 'housebill_refunds_open',
    help: 'Open refunds of which the last day is within three days (soon) or has passed (overdue).',
    labelNames: ['due'],
    // Every process reads the same value.
    registers: [registry],
    async collect() {
      const counts = await read()
      if (counts === undefined) return this.reset()
      this.set({ due: 'soon' }, counts.soon)
      this.set({ due: 'overdue' }, counts.overdue)
    },
  })
}

import { Counter, type Registry } from 'prom-client'
import type { MailCounts } from '../../domain/mails/mail-counts.ts'

/** Registers the counter of e-mails to partners' contacts and to tenants. */
export function registerMailMetrics(registry: Registry, counts: MailCounts): void {
  new Counter({
    name: 'housebill_mails_total',
    help: 'Attempts to send an e-mail to the contact of a partner or to a tenant: sent, failed (and retried), or given up.',
    labelNames: ['outcome'],
    registers: [registry],
    collect() {
      this.reset()
      for (const outcome of ['sent', 'failed', 'given_up'] as const) this.inc({ outcome }, counts[outcome])
    },
  })
}

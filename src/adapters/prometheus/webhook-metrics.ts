import { Counter, Gauge, type Registry } from 'prom-client'
import type { WebhookBacklog, WebhookMetrics } from '../../domain/webhooks/delivery/metrics.ts'

/**
 * Registers the webhook worker's measurements, which are read when the metrics are requested. Leaves out values that the database
 * could not provide.
 */
export function registerWebhookMetrics(registry: Registry, read: () => WebhookMetrics): void {
  const registers = [registry]
  new Counter({
    name: 'housebill_webhook_attempts_total',
    help: 'Webhook delivery attempts that ended, by outcome.',
    labelNames: ['outcome'],
    registers,
    collect() {
      this.reset()
      for (const [outcome, count] of Object.entries(read().attempts)) this.inc({ outcome }, count)
    },
  })
  new Counter({
    name: 'housebill_webhook_attempt_seconds_total',
    help: 'Total duration of webhook delivery attempts.',
    registers,
    collect() {
      this.reset()
      this.inc(read().attemptSeconds)
    },
  })
  new Gauge({
    name: 'housebill_webhook_deliveries_in_hand',
    help: 'Webhook deliveries that this process is sending.',
    registers,
    collect() {
      this.set(read().sending)
    },
  })
  const ofBacklog = (name: string, help: string, valuesOf: (backlog: WebhookBacklog) => Record<string, number>) =>
    new Gauge({
      name,
      help,
      labelNames: ['state'],
      // Every process reads the same values.
      registers,
      collect() {
        const { backlog } = read()
        this.reset()
        if (backlog === undefined) return
        for (const [state, value] of Object.entries(valuesOf(backlog))) this.set({ state }, value)
      },
    })
  ofBacklog(
    'housebill_webhook_oldest_wait_seconds',
    'How long the oldest undispatched event and the oldest unsent delivery have been waiting, across all processes.',
    ({ undispatchedSeconds, overdueSeconds }) => ({ undispatched: undispatchedSeconds, due: overdueSeconds }),
  )
  ofBacklog('housebill_webhooks', 'Webhooks of all partners, by state.', ({ active, failing, disabled }) => ({
    active,
    failing,
    disabled,
  }))
}

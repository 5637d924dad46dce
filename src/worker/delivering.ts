import type { Logger } from 'pino'
import type { Database } from '../db/database.ts'
import type { Clock } from '../domain/kernel/clock.ts'
import type { FieldCipher } from '../domain/kernel/field-encryption.ts'
import { deliver } from '../domain/webhooks/deliver.ts'
import { type LeasePolicy, leaseDeliveries } from '../domain/webhooks/lease-deliveries.ts'
import type { LeasedDelivery } from '../domain/webhooks/leases.store.ts'
import type { WebhookSender } from '../domain/webhooks/webhook-sender.ts'
import { InFlight } from './in-flight.ts'
import { startLoop } from './loop.ts'
import { startRecording } from './recording.ts'

export interface DeliveringOptions {
  db: Database
  cipher: FieldCipher
  sender: WebhookSender
  clock: Clock
  log: Logger
  policy: LeasePolicy
  retrySeconds: readonly number[]
  longestPauseMs: number
  /** Called when a webhook was disabled by the outcome of an attempt. */
  onDisabled(): void
}

export interface Delivering {
  wake(): void
  stop(graceMs: number): Promise<void>
}

/** The deliver step: leases what is due while there are free slots, sends it, and hands each attempt to the recorder. */
export function startDelivering(options: DeliveringOptions): Delivering {
  const { db, policy, log, longestPauseMs } = options
  const inFlight = new InFlight()
  const sends = new Set<Promise<void>>()
  const abandoned = new AbortController()

  const recording = startRecording({
    ...options,
    onRecorded: (deliveries) => {
      for (const delivery of deliveries) inFlight.remove(delivery)
      leasing.wake()
    },
    onRetryDue: () => leasing.wake(),
  })
  const leasing = startLoop({
    run: async () => {
      const leased = await leaseDeliveries({ db }, policy, inFlight)
      for (const delivery of leased) begin(delivery)
      return leased.length > 0 ? 'more' : 'idle'
    },
    onError: (error) => log.warn({ err: error }, 'due deliveries could not be leased; retrying'),
    longestPauseMs,
  })

  function begin(delivery: LeasedDelivery): void {
    inFlight.add(delivery)
    const send = attempt(delivery).finally(() => sends.delete(send))
    sends.add(send)
  }

  async function attempt(delivery: LeasedDelivery): Promise<void> {
    try {
      recording.add({ delivery, attempt: await deliver(options, delivery, abandoned.signal) })
    } catch (error) {
      inFlight.remove(delivery)
      if (abandoned.signal.aborted) return
      const { deliveryId, webhookId } = delivery
      log.error(
        { err: error, deliveryId, webhookId },
        'a delivery could not be attempted; it is due again when its lease ends',
      )
    }
  }

  return {
    wake: () => leasing.wake(),
    async stop(graceMs) {
      await leasing.stop()
      const timer = setTimeout(() => abandoned.abort(), graceMs)
      await Promise.all(sends)
      clearTimeout(timer)
      await recording.stop()
    },
  }
}

import type { LeasedDelivery } from '../../domain/webhooks/delivery/leases.store.ts'
import type { EndedAttempt } from '../../domain/webhooks/delivery/record-attempts.ts'

/**
 * Which webhooks are no longer what they were when their deliveries were leased: those that changed while a lease was being taken, and
 * those that answered 410, until that is written down.
 */
export class Standing {
  readonly #changed = new Set<string>()
  #anyChanged = false
  /** How many 410 of each are not written down yet. */
  readonly #gone = new Map<string, number>()

  /** A lease is about to be taken: what changed before, it knows. */
  beginTaking(): void {
    this.#changed.clear()
    this.#anyChanged = false
  }

  /** Without an id, any of them may have. */
  changed(webhookId?: string): void {
    if (webhookId === undefined) this.#anyChanged = true
    else this.#changed.add(webhookId)
  }

  ended({ delivery: { webhookId }, attempt }: EndedAttempt): 'gone' | 'there' {
    if (attempt.outcome !== 'gone') return 'there'
    this.#gone.set(webhookId, (this.#gone.get(webhookId) ?? 0) + 1)
    return 'gone'
  }

  /** From here on the database tells. */
  recorded({ delivery: { webhookId }, attempt }: EndedAttempt): void {
    if (attempt.outcome !== 'gone') return
    const left = (this.#gone.get(webhookId) ?? 0) - 1
    if (left > 0) this.#gone.set(webhookId, left)
    else this.#gone.delete(webhookId)
  }

  /** Whether what was just leased can be sent as it was leased. */
  mayBegin({ webhookId }: Pick<LeasedDelivery, 'webhookId'>): boolean {
    return !this.#anyChanged && !this.#changed.has(webhookId) && !this.#gone.has(webhookId)
  }
}

import type { Logger } from 'pino'
import type { Databases } from '../../db/databases.ts'
import type { PaymentProcessor } from '../../domain/payments/payment-processor.ts'
import { cancelUnfinishedIntents } from '../../domain/payments/setup-intents/cancel-unfinished-intents.ts'
import { storeEndedLocks } from '../../domain/quotes/locks/store-ended-locks.ts'
import type { Clock } from '../../kernel/clock.ts'
import { DomainError } from '../../kernel/errors.ts'
import type { FieldCipher } from '../../kernel/field-encryption.ts'
import type { ScheduledJob } from './scheduler.ts'

const batch = 50

/**
 * Every minute, stores which locks have ended, so that partners learn of it even if nobody uses the quote, and then cancels the setup
 * intents that were left unfinished. If the payment processor is down, the next run cancels them.
 */
export function endedLocksJob({
  log,
  ...deps
}: {
  databases: Databases
  cipher: FieldCipher
  clock: Clock
  paymentProcessor: PaymentProcessor
  log: Logger
}): ScheduledJob {
  return {
    name: 'end-locks',
    everyMinutes: 1,
    atMinute: 0,
    async run(signal) {
      while (!signal.aborted && (await storeEndedLocks(deps, batch)) === batch);
      try {
        while (!signal.aborted && (await cancelUnfinishedIntents(deps, batch)) === batch);
      } catch (error) {
        if (!(error instanceof DomainError) || error.code !== 'service_unavailable') throw error
        log.warn('setup intents of ended locks not cancelled yet: the payment processor is unavailable')
      }
    },
  }
}

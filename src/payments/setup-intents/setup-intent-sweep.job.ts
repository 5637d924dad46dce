import type { Logger } from 'pino'
import type { ScheduledJob } from '../../platform/jobs/scheduler.ts'
import { type ReconcileDependencies, reconcileSetupIntents } from './reconcile-setup-intents.ts'

const batch = 20

/**
 * Every minute, asks the payment processor for the state of the setup intents whose notice has not arrived. When the
 * service stops, the current call may still finish, and the next run handles the rest. Each process logs the start and
 * the end of an outage once.
 */
export function setupIntentSweepJob({ log, ...deps }: ReconcileDependencies & { log: Logger }): ScheduledJob {
  let isDown = false

  /** Checks one batch of intents. Returns true if more intents may already be due. */
  async function reconcileSome(signal: AbortSignal): Promise<boolean> {
    const round = await reconcileSetupIntents(deps, { batch, isStopping: () => signal.aborted })
    for (const { setupIntentId, error } of round.failures)
      log.warn({ err: error, setupIntentId }, 'setup intent could not be reconciled; it will be retried')
    if (round.checked > 0) log.info({ checked: round.checked }, 'checked setup intents for which no notice had arrived')
    if (round.unavailable && !isDown) log.warn('setup-intent sweep paused: the payment processor is unavailable')
    if (isDown && !round.unavailable && round.checked > 0)
      log.info('setup-intent sweep resumed: the payment processor is available again')
    isDown = round.unavailable || (isDown && round.checked === 0)
    return round.claimed === batch && !round.unavailable
  }

  return {
    name: 'reconcile-setup-intents',
    everyMinutes: 1,
    atMinute: 0,
    async run(signal) {
      while (!signal.aborted && (await reconcileSome(signal)));
    },
  }
}

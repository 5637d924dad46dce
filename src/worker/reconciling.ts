import type { Logger } from 'pino'
import { type ReconcileDependencies, reconcileSetupIntents } from '../domain/payments/reconcile-setup-intents.ts'
import type { ScheduledJob } from './scheduled-work.ts'

const batch = 20

/**
 * Asks the processor, once a minute, about setup intents whose notice never came. Stopping lets the call under way end and
 * leaves the rest to the next round. While the processor is down this is logged once, and once more when it is back, by each
 * process that finds it so.
 */
export function reconcilingJob({ log, ...deps }: ReconcileDependencies & { log: Logger }): ScheduledJob {
  let isDown = false

  /** True where there may be more to ask at once. */
  async function reconcileSome(signal: AbortSignal): Promise<boolean> {
    const round = await reconcileSetupIntents(deps, { batch, isStopping: () => signal.aborted })
    for (const { setupIntentId, error } of round.failures)
      log.warn({ err: error, setupIntentId }, 'a setup intent could not be reconciled; trying again later')
    if (round.answered > 0) log.info({ answered: round.answered }, 'setup intents without a notice were asked about')
    if (round.unavailable && !isDown)
      log.warn('the payment processor cannot be asked about setup intents; trying again')
    if (isDown && !round.unavailable && round.answered > 0) log.info('the payment processor answers again')
    isDown = round.unavailable || (isDown && round.answered === 0)
    return round.claimed === batch && !round.unavailable
  }

  return {
    name: 'reconcile-setup-intents',
    cron: '* * * * *',
    async run(signal) {
      while (!signal.aborted && (await reconcileSome(signal)));
    },
  }
}

import type { Logger } from 'pino'
import { type ReconcileDependencies, reconcileSetupIntents } from '../domain/payments/reconcile-setup-intents.ts'
import { startLoop } from './loop.ts'

const batch = 20
const minuteMs = 60_000

/**
 * Asks the processor, once a minute, about setup intents whose notice never came. Stopping lets the call under way end and
 * leaves the rest to the next round. While the processor is down this is logged once, and once more when it is back.
 */
export function startReconciling({
  log,
  pauseMs = minuteMs,
  ...deps
}: ReconcileDependencies & { log: Logger; pauseMs?: number }): { stop(): Promise<void> } {
  let stopping = false
  let isDown = false
  const loop = startLoop({
    run: async () => {
      const round = await reconcileSetupIntents(deps, { batch, isStopping: () => stopping })
      for (const { setupIntentId, error } of round.failures)
        log.warn({ err: error, setupIntentId }, 'a setup intent could not be reconciled; trying again later')
      if (round.answered > 0) log.info({ answered: round.answered }, 'setup intents without a notice were asked about')
      if (round.unavailable && !isDown)
        log.warn('the payment processor cannot be asked about setup intents; trying again')
      if (isDown && !round.unavailable && round.answered > 0) log.info('the payment processor answers again')
      isDown = round.unavailable || (isDown && round.answered === 0)
      return round.claimed === batch && !round.unavailable && !stopping ? 'more' : 'idle'
    },
    onError: (error) => log.warn({ err: error }, 'setup intents could not be reconciled; trying again'),
    shortestPauseMs: pauseMs,
    longestPauseMs: pauseMs,
  })
  return {
    stop: () => {
      stopping = true
      return loop.stop()
    },
  }
}

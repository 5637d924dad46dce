import type { Logger } from 'pino'
import { createLogger } from '../compose/logger.ts'
import { type RunningService, serve } from '../compose/serve.ts'
import { buildConfig } from '../config/config.ts'
import { readEnvironment } from '../config/env.ts'
import { loadSecrets } from '../config/secrets.ts'
import { describeStart } from './describe-start.ts'
import type { JsonOption } from './json-option.ts'

/** After this long a stop is no longer graceful: whatever still runs is left to crash recovery. */
const longestStopMs = 45_000
/** npm passes on the signal that the terminal has sent to the whole group: the same wish, not a second one. */
const sameWishMs = 1_000

/** `housebill serve`: starts the service and returns; it ends with a signal. */
export async function startServing({ json }: JsonOption): Promise<void> {
  const environment = readEnvironment()
  const config = buildConfig(environment)
  const secrets = await loadSecrets(environment, config.realm, config.dataDir)
  const log = createLogger(config.server.logLevel)
  const service = await serve({ config, secrets, log })
  stopOnSignal(service, log)
  console.log(describeStart(config, service, json === true))
}

/** SIGTERM and Ctrl-C let the service finish; Ctrl-C again ends it at once. */
function stopOnSignal(service: RunningService, log: Logger): void {
  let stoppingSince: number | undefined
  const onSignal = async (signal: NodeJS.Signals) => {
    if (stoppingSince !== undefined) {
      if (signal !== 'SIGINT' || performance.now() - stoppingSince < sameWishMs) return
      log.error('the stop was cut short by a second interrupt')
      process.exit(1)
    }
    stoppingSince = performance.now()
    log.info({ signal }, 'stopping')
    setTimeout(() => {
      log.error('the stop took too long and was cut short')
      process.exit(1)
    }, longestStopMs).unref()
    await service.stop()
    log.info('stopped')
    process.exit(0)
  }
  process.on('SIGTERM', onSignal)
  process.on('SIGINT', onSignal)
}

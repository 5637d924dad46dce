import type { Command } from 'commander'
import { createLogger } from '../compose/logger.ts'
import { serve } from '../compose/serve.ts'
import { buildConfig } from '../config/config.ts'
import { readEnvironment } from '../config/env.ts'
import { loadSecrets } from '../config/secrets.ts'
import { describeStart } from './describe-start.ts'

/** After this long a stop is no longer graceful: whatever still runs is left to crash recovery. */
const longestStopMs = 45_000

export function addServeCommand(program: Command): void {
  program
    .command('serve', { isDefault: true })
    .description('Serve the partner API (what "npm start" does).')
    .option('--json', 'print what was started as one JSON object')
    .action(async ({ json = false }: { json?: boolean }) => {
      const environment = readEnvironment()
      const config = buildConfig(environment)
      const secrets = await loadSecrets(environment, config.realm, config.dataDir)
      const log = createLogger(config.server.logLevel)
      const service = await serve({ config, secrets, log })
      const stop = async (signal: NodeJS.Signals) => {
        log.info({ signal }, 'stopping')
        setTimeout(() => {
          log.error('the stop took too long and was cut short')
          process.exit(1)
        }, longestStopMs).unref()
        await service.stop()
        log.info('stopped')
        process.exit(0)
      }
      process.once('SIGTERM', stop)
      process.once('SIGINT', stop)
      console.log(describeStart(config, service, json))
    })
}

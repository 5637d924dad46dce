import { createLogger } from '../../src/compose/logger.ts'
import { serveInProcesses } from '../../src/compose/processes/parent.ts'
import { buildConfig } from '../../src/config/config.ts'
import { readEnvironment } from '../../src/config/env.ts'
import { loadSecrets } from '../../src/config/secrets.ts'

/* The service as with PROCESSES, but with a single process that serves, to show what the parent and the borrowed counts cost. */
const environment = readEnvironment()
const config = buildConfig(environment)
const service = await serveInProcesses({
  config,
  secrets: await loadSecrets(environment, config.realm, config.dataDir),
  log: createLogger('error'),
  program: new URL('../../src/cli/serve/child-process.ts', import.meta.url),
})
process.once('SIGTERM', () => service.stop().then(() => process.exit(0)))

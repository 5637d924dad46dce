import { serveAsChild } from '../../compose/processes/child.ts'
import { buildConfig } from '../../config/config.ts'
import { loadEnvironment } from '../../config/load-environment.ts'
import { loadSecrets } from '../../config/secrets.ts'
import { limitHeapGrowth } from './heap-growth.ts'
import { createServeLog } from './serve-log.ts'

/** Serves requests for the parent process, with the settings that both read from the environment. */
export async function serveAsConfigured(): Promise<void> {
  limitHeapGrowth()
  const environment = await loadEnvironment()
  const config = buildConfig(environment)
  const secrets = await loadSecrets(environment, config.realm, config.dataDir)
  await serveAsChild({ config, secrets, log: createServeLog(environment, config).log })
}

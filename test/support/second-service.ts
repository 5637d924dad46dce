import { createLogger } from '../../src/app/logger.ts'
import { serve } from '../../src/app/serve.ts'
import { buildConfig } from '../../src/platform/config/config.ts'
import { loadSecrets } from '../../src/platform/config/secrets.ts'
import { type Clock, systemClock } from '../../src/platform/kernel/clock.ts'
import { findFreePort, type ServiceUnderTest } from './service.ts'

/**
 * Starts a second service for the same deployment, to test restarts and several processes. It has the same database and
 * environment but shares no state in memory. It listens on another port but keeps the same public URL.
 */
export async function startSecondService(
  service: Pick<ServiceUnderTest, 'environment'>,
  { clock = systemClock }: { clock?: Clock } = {},
): Promise<{ baseUrl: string; stop(): Promise<void> }> {
  const port = await findFreePort()
  const environment = { ...service.environment, PORT: String(port) }
  const config = buildConfig(environment)
  const secrets = await loadSecrets(environment, config.realm, config.dataDir)
  const { stop } = await serve({ config, secrets, log: createLogger('silent') }, { clock })
  return { baseUrl: `http://127.0.0.1:${port}`, stop }
}

import { createLogger } from '../../src/compose/logger.ts'
import { serve } from '../../src/compose/serve.ts'
import { buildConfig } from '../../src/config/config.ts'
import { loadSecrets } from '../../src/config/secrets.ts'
import { type Clock, systemClock } from '../../src/kernel/clock.ts'
import { freePort, type ServiceUnderTest } from './service.ts'

/**
 * Serves the same deployment once more: same database, same environment, nothing of what the first holds in memory. What a
 * restart leaves, or a second process sees. Its URL differs, the one it hands out does not.
 */
export async function startSecondService(
  service: ServiceUnderTest,
  { clock = systemClock }: { clock?: Clock } = {},
): Promise<{ baseUrl: string; stop(): Promise<void> }> {
  const port = await freePort()
  const environment = { ...service.environment, PORT: String(port) }
  const config = buildConfig(environment)
  const secrets = await loadSecrets(environment, config.realm, config.dataDir)
  const { stop } = await serve({ config, secrets, log: createLogger('silent') }, { clock })
  return { baseUrl: `http://127.0.0.1:${port}`, stop }
}

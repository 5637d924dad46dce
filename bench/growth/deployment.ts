import { composeCipher } from '../../src/app/compose.ts'
import { createLogger } from '../../src/app/logger.ts'
import { openDatabase } from '../../src/app/open-database.ts'
import { buildConfig } from '../../src/platform/config/config.ts'
import type { Environment } from '../../src/platform/config/env.ts'
import { loadSecrets } from '../../src/platform/config/secrets.ts'
import type { FieldCipher } from '../../src/platform/kernel/field-encryption.ts'
import { connectPartner, type Partner } from '../../test/support/client.ts'
import { connectOperator, type Operator } from '../../test/support/operator.ts'
import { credentials } from '../child-service.ts'
import { type MeasuredService, startMeasuredService } from '../measured-service.ts'
import type { Run } from '../scenario.ts'

/** A service, and those who call it. No scheduled job runs in it. */
export interface Deployment extends MeasuredService {
  cipher: FieldCipher
  partner: Partner
  operator: Operator
}

export async function startDeployment(run: Run, environment: Record<string, string> = {}): Promise<Deployment> {
  const service = await startMeasuredService(run, environment)
  await service.pool.query(`update scheduled_jobs set due_at = '2100-01-01'`)
  return {
    ...service,
    cipher: await openCipher({ DATA_DIR: service.dataDir }),
    partner: await connectPartner(service.url, credentials),
    operator: await connectOperator({ baseUrl: service.url, connectionString: service.connectionString }),
  }
}

/** The keys of a sandbox with these settings, after its first start. */
export async function openCipher(environment: Environment): Promise<FieldCipher> {
  const config = buildConfig(environment)
  const secrets = await loadSecrets(environment, config.realm, config.dataDir)
  const { databases, close } = await openDatabase(config, secrets, createLogger('silent'))
  const cipher = await composeCipher(databases.system, secrets)
  await close()
  return cipher
}

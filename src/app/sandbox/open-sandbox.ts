import type { Logger } from 'pino'
import type { Config } from '../../platform/config/config.ts'
import type { Secrets } from '../../platform/config/secrets.ts'
import type { Database } from '../../platform/db/database.ts'
import type { Clock } from '../../platform/kernel/clock.ts'
import { prepareSandbox } from './prepare-sandbox.ts'
import { ensureSandboxPartner, type SandboxCredentials } from './sandbox-partner.ts'

/**
 * Prepares a sandbox's database, and its first partner if the operator configured its credentials: they work from the
 * first request on. A generated secret is shown only once, by the caller, so it is generated when `credentials` is
 * called, when nothing else can fail. In live, there are no credentials.
 */
export async function openSandbox(
  { config, secrets, db, log }: { config: Config; secrets: Secrets; db: Database; log: Logger },
  { clock }: { clock: Clock },
): Promise<{ credentials(): Promise<SandboxCredentials | undefined> }> {
  if (config.realm !== 'sandbox') return { credentials: async () => undefined }
  await prepareSandbox({ db, log, withSamples: config.addresses.source === 'database' })
  const secretsAreExternal = config.auth.identityProvider !== undefined
  const ensurePartner = () =>
    ensureSandboxPartner(
      { db, clock },
      { clientId: secrets.sandboxClientId, clientSecret: secrets.sandboxClientSecret, secretsAreExternal },
    )
  const given = secretsAreExternal || secrets.sandboxClientSecret !== undefined ? await ensurePartner() : undefined
  return { credentials: async () => given ?? (await ensurePartner()) }
}

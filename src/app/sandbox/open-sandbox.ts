import type { Logger } from 'pino'
import type { Config } from '../../platform/config/config.ts'
import type { Secrets } from '../../platform/config/secrets.ts'
import type { Database } from '../../platform/db/database.ts'
import type { Clock } from '../../platform/kernel/clock.ts'
import { listRateCardLives } from '../../quoting/rates/life/rate-card-life.store.ts'
import { publishRateCard } from '../../quoting/rates/publish-rate-card.ts'
import { seedSamples } from '../../sandbox/samples/sample-properties.ts'
import { composeCipher } from '../compose.ts'
import { readShippedRateCards } from '../reference-data.ts'
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
  const cipher = await composeCipher(db, secrets)
  const ensurePartner = () =>
    ensureSandboxPartner(
      { db, clock, cipher },
      { clientId: secrets.sandboxClientId, clientSecret: secrets.sandboxClientSecret, secretsAreExternal },
    )
  const given = secretsAreExternal || secrets.sandboxClientSecret !== undefined ? await ensurePartner() : undefined
  return { credentials: async () => given ?? (await ensurePartner()) }
}

interface SandboxDeps {
  db: Database
  log: Logger
  /** Whether properties come from our own tables. With a supplier, lookups would never return the samples. */
  withSamples: boolean
}

/**
 * Adds the sample properties to a sandbox, unless properties come from a supplier, and its two rate cards if none was
 * ever published. Safe to repeat at every start.
 *
 * @internal Tests fill their databases with it.
 */
export async function prepareSandbox({ db, log, withSamples }: SandboxDeps): Promise<void> {
  const added = withSamples ? await seedSamples(db) : 0
  if (added > 0) log.info({ added }, 'sample properties added')
  if ((await listRateCardLives(db)).length > 0) return
  for (const card of await readShippedRateCards()) {
    const { outcome } = await publishRateCard({ db }, card, 'sandbox')
    log.info({ quotingToolVersionId: card.id, outcome }, 'sample rate card')
  }
}

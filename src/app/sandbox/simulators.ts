import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import type { Config } from '../../platform/config/config.ts'
import type { Database } from '../../platform/db/database.ts'
import type { FieldCipher } from '../../platform/kernel/field-encryption.ts'
import type { BankHolidays } from '../../platform/kernel/working-days.ts'
import { loadDeploymentSecret } from '../../platform/keys/deployment-secret.ts'
import { buildBroadbandDatabaseSimulator } from '../../sandbox/simulators/broadband-database/server.ts'
import { buildHomeTelecomSimulator } from '../../sandbox/simulators/home-telecom/server.ts'
import { buildPaymentSimulator } from '../../sandbox/simulators/payment-processor/payment-simulator.ts'

/** Where the simulators of a sandbox listen; empty for each system that is configured. */
export interface SimulatorUrls {
  homeTelecom: string
  broadbandDatabase: string
  payments: string
}

/**
 * In a sandbox, starts a simulator for each system that is not configured, and adds its `close` to `closers`. Live
 * never has one.
 */
export async function startSimulators(
  {
    config,
    db,
    cipher,
    bankHolidays,
    log,
  }: { config: Config; db: Database; cipher: FieldCipher; bankHolidays: BankHolidays; log: Logger },
  closers: (() => Promise<void>)[],
): Promise<SimulatorUrls> {
  const start = async (isConfigured: boolean, starting: () => Promise<RunningSimulator>): Promise<string> => {
    if (isConfigured) return ''
    const simulator = await starting()
    closers.push(simulator.close)
    return simulator.baseUrl
  }
  const { homeTelecomUrl, broadbandDatabaseUrl } = config.broadband
  if (config.realm === 'live') return { homeTelecom: '', broadbandDatabase: '', payments: '' }
  return {
    homeTelecom: await start(homeTelecomUrl !== undefined, () => startHomeTelecomSimulator(bankHolidays)),
    broadbandDatabase: await start(broadbandDatabaseUrl !== undefined, startBroadbandDatabaseSimulator),
    payments: await start(config.payments.processor === 'stripe', async () =>
      startPaymentSimulator({
        db,
        ...(await readSimulatedProcessorKeys({ db, cipher })),
        webhookUrl: `${ownAddress(config)}/processor-webhooks/stripe`,
        log,
      }),
    ),
  }
}

/** The keys of the simulated payment processor, which are created at the first start. */
export async function readSimulatedProcessorKeys(deps: {
  db: Database
  cipher: FieldCipher
}): Promise<{ secretKey: string; webhookSecret: string }> {
  const read = async (name: Parameters<typeof loadDeploymentSecret>[1]) =>
    (await loadDeploymentSecret(deps, name)).toString('hex')
  return {
    secretKey: `sk_test_${await read('simulated-processor-key')}`,
    webhookSecret: `whsec_${await read('simulated-processor-webhook-secret')}`,
  }
}

/** The address of this service, to which the simulated processor sends its notices. */
function ownAddress({ server }: Config): string {
  const everywhere = server.host === '0.0.0.0' || server.host === '::'
  const host = everywhere ? '127.0.0.1' : server.host.includes(':') ? `[${server.host}]` : server.host
  return `${server.tls === undefined ? 'http' : 'https'}://${host}:${server.port}`
}

/** A simulator that listens on loopback only. */
interface RunningSimulator {
  baseUrl: string
  close(): Promise<void>
}

async function startHomeTelecomSimulator(bankHolidays: BankHolidays): Promise<RunningSimulator> {
  return listen(buildHomeTelecomSimulator({ bankHolidays }))
}

async function startBroadbandDatabaseSimulator(): Promise<RunningSimulator> {
  return listen(buildBroadbandDatabaseSimulator())
}

async function startPaymentSimulator(options: {
  db: Database
  secretKey: string
  webhookUrl: string
  webhookSecret: string
  log: Logger
}): Promise<RunningSimulator> {
  return listen(buildPaymentSimulator(options))
}

async function listen(app: FastifyInstance): Promise<RunningSimulator> {
  const baseUrl = await app.listen({ host: '127.0.0.1', port: 0 })
  return { baseUrl, close: () => app.close() }
}

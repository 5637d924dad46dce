import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { createBroadbandDatabase } from '../adapters/broadband-database/http.ts'
import { createHomeTelecom } from '../adapters/home-telecom/http.ts'
import { createUpstream } from '../adapters/outbound-http/upstream.ts'
import { createSandboxConfirmation } from '../adapters/payment-processor/sandbox-confirmation.ts'
import { createStripePaymentProcessor } from '../adapters/payment-processor/stripe.ts'
import type { Config } from '../config/config.ts'
import type { Secrets } from '../config/secrets.ts'
import type { Database } from '../db/database.ts'
import type { BroadbandDatabase } from '../domain/broadband/broadband-database.ts'
import type { HomeTelecom } from '../domain/broadband/home-telecom.ts'
import { loadDeploymentSecret } from '../domain/deployment/deployment-secret.ts'
import type { FieldCipher } from '../domain/kernel/field-encryption.ts'
import type { BankHolidays } from '../domain/kernel/working-days.ts'
import type { PaymentProcessor, SandboxCardConfirmation } from '../domain/payments/payment-processor.ts'
import { cardSetupPages } from '../http/pages/card-setup/card-setup-pages.ts'
import { publishableKeyOf } from '../simulators/payment-processor/credentials.ts'
import { startBroadbandDatabaseSimulator, startHomeTelecomSimulator, startPaymentSimulator } from './sandbox-systems.ts'

/** The adapters to every outside system, with the sandbox's simulators started where nothing real is configured. */
export interface OutsideSystems {
  homeTelecom: HomeTelecom
  broadbandDatabase: BroadbandDatabase
  paymentProcessor: PaymentProcessor
  cardConfirmation: SandboxCardConfirmation | undefined
  /** The card page of the simulated processor, to be put on the server. */
  sandboxPages: ((app: FastifyInstance) => Promise<void>) | undefined
  close(): Promise<void>
}

interface OutsideDependencies {
  config: Config
  secrets: Secrets
  db: Database
  cipher: FieldCipher
  bankHolidays: BankHolidays
  log: Logger
}

export async function connectOutsideSystems(deps: OutsideDependencies): Promise<OutsideSystems> {
  const closers: (() => Promise<void>)[] = []
  const broadband = await connectBroadband(deps, closers)
  const payments = await connectPayments(deps, closers)
  return {
    ...broadband,
    ...payments,
    async close() {
      for (const close of closers.reverse()) await close()
    },
  }
}

async function connectBroadband({ config, bankHolidays, log }: OutsideDependencies, closers: (() => Promise<void>)[]) {
  const { homeTelecomUrl, broadbandDatabaseUrl } = config.broadband
  const simulated = async (start: () => Promise<{ baseUrl: string; close(): Promise<void> }>) => {
    const simulator = await start()
    closers.push(simulator.close)
    return simulator.baseUrl
  }
  const telecom = createUpstream({
    name: 'home-telecom',
    baseUrl: homeTelecomUrl ?? (await simulated(() => startHomeTelecomSimulator(bankHolidays))),
    log,
  })
  const database = createUpstream({
    name: 'broadband-database',
    baseUrl: broadbandDatabaseUrl ?? (await simulated(startBroadbandDatabaseSimulator)),
    log,
  })
  closers.push(telecom.close, database.close)
  return { homeTelecom: createHomeTelecom(telecom), broadbandDatabase: createBroadbandDatabase(database) }
}

const processorTimeoutMs = 9_000

async function connectPayments(deps: OutsideDependencies, closers: (() => Promise<void>)[]) {
  const { config, secrets, db, cipher, log } = deps
  if (config.payments.processor === 'stripe') {
    const paymentProcessor = createStripePaymentProcessor({
      secretKey: secrets.stripeSecretKey ?? '',
      webhookSecret: secrets.stripeWebhookSecret ?? '',
      timeoutMs: processorTimeoutMs,
      ...(config.payments.apiBase === undefined ? {} : { apiBase: new URL(config.payments.apiBase) }),
    })
    return { paymentProcessor, cardConfirmation: undefined, sandboxPages: undefined }
  }
  const secretKey = `sk_test_${(await loadDeploymentSecret({ db, cipher }, 'simulated-processor-key')).toString('hex')}`
  const webhookSecret = `whsec_${(await loadDeploymentSecret({ db, cipher }, 'simulated-processor-webhook-secret')).toString('hex')}`
  const webhookUrl = `${ownAddress(config)}/processor-webhooks/stripe`
  const simulator = await startPaymentSimulator({ db, secretKey, webhookUrl, webhookSecret, log })
  closers.push(simulator.close)
  const apiBase = new URL(simulator.baseUrl)
  return {
    paymentProcessor: createStripePaymentProcessor({
      secretKey,
      webhookSecret,
      apiBase,
      timeoutMs: processorTimeoutMs,
    }),
    cardConfirmation: createSandboxConfirmation({ secretKey, apiBase, timeoutMs: processorTimeoutMs }),
    sandboxPages: async (app: FastifyInstance) => {
      await app.register(async (pages) => {
        pages.removeAllContentTypeParsers()
        pages.addContentTypeParser(
          'application/json',
          { parseAs: 'string' },
          pages.getDefaultJsonParser('error', 'error'),
        )
        await cardSetupPages(pages, {
          simulatorBaseUrl: simulator.baseUrl,
          publishableKey: publishableKeyOf(secretKey),
        })
      })
    },
  }
}

/** Where this process itself answers, for the simulated processor's notices. */
function ownAddress({ server }: Config): string {
  const everywhere = server.host === '0.0.0.0' || server.host === '::' || server.host === 'localhost'
  const host = everywhere ? '127.0.0.1' : server.host.includes(':') ? `[${server.host}]` : server.host
  return `http://${host}:${server.port}`
}

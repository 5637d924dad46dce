import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import type { UpstreamLimits } from '../adapters/outbound-http/limits.ts'
import { createSandboxProcessor } from '../adapters/payment-processor/sandbox-processor.ts'
import { createStripePaymentProcessor } from '../adapters/payment-processor/stripe.ts'
import type { Config } from '../config/config.ts'
import type { Secrets } from '../config/secrets.ts'
import type { Database } from '../db/database.ts'
import type { AddressSource } from '../domain/addresses/address-source.ts'
import type { IdentityProvider } from '../domain/auth/identity-provider.ts'
import { loadDeploymentSecret } from '../domain/deployment/deployment-secret.ts'
import type { Clock } from '../domain/kernel/clock.ts'
import type { FieldCipher } from '../domain/kernel/field-encryption.ts'
import type { BankHolidays } from '../domain/kernel/working-days.ts'
import type { PaymentProcessor } from '../domain/payments/payment-processor.ts'
import type { SandboxProcessor } from '../domain/payments/sandbox-processor.ts'
import { cardSetupPages } from '../http/pages/card-setup/card-setup-pages.ts'
import { currentTraceparent } from '../http/plugins/trace-context.ts'
import { publishableKeyOf } from '../simulators/payment-processor/credentials.ts'
import { connectAddressSource } from './address-source.ts'
import { type BroadbandSystems, connectBroadband } from './broadband-systems.ts'
import { connectIdentityProvider } from './identity-provider.ts'
import { upstreamOpener } from './open-upstream.ts'
import { startPaymentSimulator } from './sandbox-systems.ts'

/** The adapters to every outside system, with the sandbox's simulators started where nothing real is configured. */
export interface OutsideSystems extends BroadbandSystems {
  /** Where an external one is configured. */
  identityProvider: IdentityProvider | undefined
  addresses: AddressSource
  paymentProcessor: PaymentProcessor
  sandboxProcessor: SandboxProcessor | undefined
  /** The card page of the simulated processor, to be put on the server. */
  sandboxPages: ((app: FastifyInstance) => Promise<void>) | undefined
  close(): Promise<void>
}

interface OutsideDependencies {
  config: Config
  secrets: Secrets
  db: Database
  cipher: FieldCipher
  clock: Clock
  bankHolidays: BankHolidays
  log: Logger
  /** In place of the default limits of every upstream, for tests. */
  upstreamLimits?: Partial<UpstreamLimits> | undefined
}

export async function connectOutsideSystems(deps: OutsideDependencies): Promise<OutsideSystems> {
  const closers: (() => Promise<void>)[] = []
  const open = upstreamOpener(deps.log, deps.upstreamLimits)
  const broadband = await connectBroadband({ ...deps, open }, closers)
  const identityProvider = connectIdentityProvider({ ...deps, open }, closers)
  const addresses = await connectAddressSource({ ...deps, open }, closers)
  const payments = await connectPayments(deps, closers)
  return {
    ...broadband,
    identityProvider,
    addresses,
    ...payments,
    async close() {
      for (const close of closers.reverse()) await close()
    },
  }
}

const processorTimeoutMs = 9_000

async function connectPayments(deps: OutsideDependencies, closers: (() => Promise<void>)[]) {
  const { config, secrets, db, cipher, log } = deps
  if (config.payments.processor === 'stripe') {
    const paymentProcessor = createStripePaymentProcessor({
      secretKey: secrets.stripeSecretKey ?? '',
      webhookSecret: secrets.stripeWebhookSecret ?? '',
      timeoutMs: processorTimeoutMs,
      traceparent: currentTraceparent,
      ...(config.payments.apiBase === undefined ? {} : { apiBase: new URL(config.payments.apiBase) }),
    })
    return { paymentProcessor, sandboxProcessor: undefined, sandboxPages: undefined }
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
      traceparent: currentTraceparent,
    }),
    sandboxProcessor: createSandboxProcessor({ secretKey, apiBase, timeoutMs: processorTimeoutMs }),
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

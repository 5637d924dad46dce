import type { FastifyInstance } from 'fastify'
import { registerCardSetupPages } from '../payments/card-setup/card-setup-pages.ts'
import type { PaymentProcessor } from '../payments/payment-processor.ts'
import { maxProcessorResponseBytes, paymentProcessorName } from '../payments/processor/processor-calls.ts'
import { createStripePaymentProcessor, stripeBase } from '../payments/processor/stripe.ts'
import type { SandboxProcessor } from '../payments/sandbox-processor.ts'
import type { Config } from '../platform/config/config.ts'
import type { Secrets } from '../platform/config/secrets.ts'
import type { Database } from '../platform/db/database.ts'
import type { FieldCipher } from '../platform/kernel/field-encryption.ts'
import { createSandboxProcessor } from '../sandbox/processor/sandbox-processor.ts'
import { publishableKeyOf } from '../sandbox/simulators/payment-processor/protocol/credentials.ts'
import { readSimulatedProcessorKeys, type SimulatorUrls } from './sandbox/simulators.ts'
import type { OpenUpstream } from './upstream-systems.ts'

/** The client of Stripe, or of what STRIPE_API_BASE names. */
export function connectStripe(config: Config, secrets: Secrets, open: OpenUpstream): PaymentProcessor {
  const limits = { maxBytes: maxProcessorResponseBytes }
  return createStripePaymentProcessor({
    upstream: open(paymentProcessorName, config.payments.apiBase ?? stripeBase, limits),
    secretKey: secrets.stripeSecretKey ?? '',
    webhookSecret: secrets.stripeWebhookSecret ?? '',
  })
}

/** The payment processor, or its simulator. */
export interface PaymentSystems {
  paymentProcessor: PaymentProcessor
  /** Undefined unless the processor is simulated. */
  sandboxProcessor: SandboxProcessor | undefined
  /** The simulated processor's card page, to register on the server. */
  sandboxPages: ((app: FastifyInstance) => Promise<void>) | undefined
}

interface PaymentDependencies {
  config: Config
  secrets: Secrets
  db: Database
  cipher: FieldCipher
  simulators: SimulatorUrls
  open: OpenUpstream
}

export async function connectPayments({
  config,
  secrets,
  db,
  cipher,
  simulators,
  open,
}: PaymentDependencies): Promise<PaymentSystems> {
  const limits = { maxBytes: maxProcessorResponseBytes }
  if (config.payments.processor === 'stripe') {
    const paymentProcessor = connectStripe(config, secrets, open)
    return { paymentProcessor, sandboxProcessor: undefined, sandboxPages: undefined }
  }
  const { secretKey, webhookSecret } = await readSimulatedProcessorKeys({ db, cipher })
  // Simulated failures say nothing about the real processor, so they never open the circuit breaker.
  const openSimulator = (name: string) =>
    open(name, simulators.payments, { ...limits, failuresToOpen: Number.POSITIVE_INFINITY })
  return {
    paymentProcessor: createStripePaymentProcessor({
      upstream: openSimulator(paymentProcessorName),
      secretKey,
      webhookSecret,
    }),
    sandboxProcessor: createSandboxProcessor(openSimulator(`${paymentProcessorName}-steered`), secretKey),
    sandboxPages: async (app: FastifyInstance) => {
      await app.register(async (pages) => {
        pages.removeAllContentTypeParsers()
        pages.addContentTypeParser(
          'application/json',
          { parseAs: 'string' },
          pages.getDefaultJsonParser('error', 'error'),
        )
        await registerCardSetupPages(pages, {
          simulatorBaseUrl: simulators.payments,
          publishableKey: publishableKeyOf(secretKey),
        })
      })
    },
  }
}

import type { LookupFunction } from 'node:net'
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { publishableKeyOf } from '../../simulators/payment-processor/protocol/credentials.ts'
import type { UpstreamCounters } from '../adapters/outbound-http/counters.ts'
import type { UpstreamLimits } from '../adapters/outbound-http/limits.ts'
import { createSandboxProcessor } from '../adapters/payment-processor/sandbox-processor.ts'
import { createStripePaymentProcessor } from '../adapters/payment-processor/stripe.ts'
import type { Config } from '../config/config.ts'
import type { Secrets } from '../config/secrets.ts'
import type { Database } from '../db/database.ts'
import type { PaymentProcessor } from '../domain/payments/payment-processor.ts'
import type { SandboxProcessor } from '../domain/payments/sandbox-processor.ts'
import { registerCardSetupPages } from '../http/pages/card-setup/card-setup-pages.ts'
import type { FieldCipher } from '../kernel/field-encryption.ts'
import { currentTrace, type RegisterCounters } from './open-upstream.ts'
import { readSimulatedProcessorKeys, type SimulatorUrls } from './sandbox/simulators.ts'

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
  log: Logger
  watch: RegisterCounters
  /** Shared by all outbound clients. */
  lookup: LookupFunction
  /** Replaces the default limits of every upstream, in tests. */
  upstreamLimits?: Partial<UpstreamLimits> | undefined
}

const processorTimeoutMs = 9_000

export async function connectPayments(
  { config, secrets, db, cipher, simulators, log, watch, lookup, upstreamLimits }: PaymentDependencies,
  closers: (() => Promise<void>)[],
): Promise<PaymentSystems> {
  const watched = <Way extends { counters(): UpstreamCounters; close(): Promise<void> }>(way: Way): Way => {
    watch(way.counters)
    closers.push(way.close)
    return way
  }
  if (config.payments.processor === 'stripe') {
    const paymentProcessor = createStripePaymentProcessor({
      secretKey: secrets.stripeSecretKey ?? '',
      webhookSecret: secrets.stripeWebhookSecret ?? '',
      timeoutMs: upstreamLimits?.deadlineMs ?? processorTimeoutMs,
      limits: upstreamLimits,
      lookup,
      log,
      ...currentTrace,
      ...(config.payments.apiBase === undefined ? {} : { apiBase: new URL(config.payments.apiBase) }),
    })
    return { paymentProcessor: watched(paymentProcessor), sandboxProcessor: undefined, sandboxPages: undefined }
  }
  const { secretKey, webhookSecret } = await readSimulatedProcessorKeys({ db, cipher })
  // Simulated failures say nothing about the real processor, so they never open the circuit breaker.
  const limits = { ...upstreamLimits, failuresToOpen: Number.POSITIVE_INFINITY }
  const connection = {
    secretKey,
    apiBase: new URL(simulators.payments),
    timeoutMs: processorTimeoutMs,
    limits,
    log,
    ...currentTrace,
  }
  return {
    paymentProcessor: watched(createStripePaymentProcessor({ ...connection, webhookSecret })),
    sandboxProcessor: watched(createSandboxProcessor(connection)),
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

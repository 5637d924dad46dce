import { composeCipher } from '../../src/app/compose.ts'
import { readReferenceData } from '../../src/app/reference-data.ts'
import { latePaymentTermsOf } from '../../src/contracts/terms/late-payment-terms-of.ts'
import type { CollectingDependencies } from '../../src/payments/collecting/collect-due-payments.ts'
import { createStripePaymentProcessor } from '../../src/payments/processor/stripe.ts'
import type { Environment } from '../../src/platform/config/env.ts'
import { loadSecrets } from '../../src/platform/config/secrets.ts'
import type { Databases } from '../../src/platform/db/databases.ts'
import { systemClock } from '../../src/platform/kernel/clock.ts'
import { createUpstream } from '../../src/platform/outbound/upstream.ts'

/** What the job that collects payments uses in the service. */
export async function createCollectingDependencies(
  service: { environment: Environment; config: { dataDir: string } },
  databases: Databases,
): Promise<CollectingDependencies> {
  const { STRIPE_SECRET_KEY = '', STRIPE_WEBHOOK_SECRET = '', STRIPE_API_BASE = '' } = service.environment
  const secrets = await loadSecrets(service.environment, 'sandbox', service.config.dataDir)
  const { bankHolidays } = await readReferenceData()
  return {
    databases,
    cipher: await composeCipher(databases.system, secrets),
    clock: systemClock,
    bankHolidays,
    latePaymentTermsOf,
    paymentProcessor: createStripePaymentProcessor({
      upstream: createUpstream({ name: 'payment-processor', baseUrl: STRIPE_API_BASE }),
      secretKey: STRIPE_SECRET_KEY,
      webhookSecret: STRIPE_WEBHOOK_SECRET,
    }),
  }
}

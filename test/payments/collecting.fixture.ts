import { createUpstream } from '../../src/adapters/outbound-http/upstream.ts'
import { createStripePaymentProcessor } from '../../src/adapters/payment-processor/stripe.ts'
import { composeCipher } from '../../src/compose/compose.ts'
import { readReferenceData } from '../../src/compose/reference-data.ts'
import type { Environment } from '../../src/config/env.ts'
import { loadSecrets } from '../../src/config/secrets.ts'
import type { Databases } from '../../src/db/databases.ts'
import { latePaymentTermsOf } from '../../src/domain/contracts/terms/late-payment-terms-of.ts'
import type { CollectingDependencies } from '../../src/domain/payments/collecting/collect-due-payments.ts'
import { systemClock } from '../../src/kernel/clock.ts'

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

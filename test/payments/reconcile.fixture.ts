import { composeCipher } from '../../src/app/compose.ts'
import { readReferenceData } from '../../src/app/reference-data.ts'
import { recordContractChange } from '../../src/contracts/operator-feeds/record-contract-change.ts'
import { latePaymentTermsOf } from '../../src/contracts/terms/late-payment-terms-of.ts'
import type { CollectingDependencies } from '../../src/payments/collecting/collect-due-payments.ts'
import { createStripePaymentProcessor } from '../../src/payments/processor/stripe.ts'
import type { ReconcileDependencies } from '../../src/payments/setup-intents/reconcile-setup-intents.ts'
import type { Environment } from '../../src/platform/config/env.ts'
import { loadSecrets } from '../../src/platform/config/secrets.ts'
import type { Databases } from '../../src/platform/db/databases.ts'
import { systemClock } from '../../src/platform/kernel/clock.ts'
import { createUpstream } from '../../src/platform/outbound/upstream.ts'
import type { Partner } from '../support/client.ts'
import { rawRows } from '../support/customer-fixtures.ts'
import { finalise, startHousehold } from '../support/household.ts'
import type { ServiceWithProcessor } from '../support/processor.ts'
import { succeeded } from '../support/responses.ts'
import type { ServiceUnderTest } from '../support/service.ts'

type RunningService = { environment: Environment; config: { dataDir: string } }

/** Returns dependencies for running sweeps in a test: the database, keys and processor of a running service. */
export async function createReconcileDependencies(
  service: RunningService,
  databases: Databases,
): Promise<ReconcileDependencies> {
  const { STRIPE_SECRET_KEY = '', STRIPE_WEBHOOK_SECRET = '', STRIPE_API_BASE = '' } = service.environment
  const secrets = await loadSecrets(service.environment, 'sandbox', service.config.dataDir)
  return {
    databases,
    cipher: await composeCipher(databases.system, secrets),
    clock: systemClock,
    recordContractChange,
    paymentProcessor: createStripePaymentProcessor({
      upstream: createUpstream({ name: 'payment-processor', baseUrl: STRIPE_API_BASE }),
      secretKey: STRIPE_SECRET_KEY,
      webhookSecret: STRIPE_WEBHOOK_SECRET,
    }),
  }
}

/** What the job that collects payments uses in the service. */
export async function createCollectingDependencies(
  service: RunningService,
  databases: Databases,
): Promise<CollectingDependencies> {
  const { bankHolidays } = await readReferenceData()
  return { ...(await createReconcileDependencies(service, databases)), bankHolidays, latePaymentTermsOf }
}

/** Creates a customer with an open setup intent. The processor's notices about it never arrive. */
export async function createCustomerWithIntent(partner: Partner): Promise<{ lead: string; setupIntentId: string }> {
  const { lead } = await startHousehold(partner, { tenants: 1 })
  succeeded(await finalise(partner, lead))
  const { setupIntentId } = succeeded(await partner.post(`/Customers/${lead}/create-setup-intent`))
  return { lead, setupIntentId }
}

/** Creates a customer with an attached card. Housebill knows about the card, because a notice was sent. */
export async function createCustomerWithCard(
  processor: ServiceWithProcessor,
  partner: Partner,
): Promise<{ lead: string; setupIntentId: string }> {
  const customer = await createCustomerWithIntent(partner)
  const attached = await processor.confirm(customer.setupIntentId)
  await processor.notify('setup_intent.succeeded', attached)
  return customer
}

/** Makes setup intents overdue for a check by this many minutes: all of them, or only the given one. */
export async function makeCheckDue(service: ServiceUnderTest, setupIntentId?: string, minutes = 1): Promise<void> {
  await rawRows(
    service,
    `update setup_intents set retry_at = now() - $2 * interval '1 minute'
     where setup_intent_id = coalesce($1, setup_intent_id)`,
    [setupIntentId ?? null, minutes],
  )
}

/** The number of minutes until the intent is next checked, rounded. */
export async function minutesUntilCheck(service: ServiceUnderTest, setupIntentId: string): Promise<number> {
  const [row] = await rawRows(
    service,
    `select round(extract(epoch from retry_at - now()) / 60)::int as minutes from setup_intents
     where setup_intent_id = $1`,
    [setupIntentId],
  )
  return Number(row?.minutes)
}

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createCustomerWithCard } from '../payments/reconcile.fixture.ts'
import { connectPartner } from '../support/client.ts'
import { rawRows, readPaymentStatusHistory, waitForProcessorWebhooks } from '../support/customer-fixtures.ts'
import { addTenants, attachCard, finalise, freshTenantFields, onboard, startHousehold } from '../support/household.ts'
import { waitForLockWaiters } from '../support/lock-waiters.ts'
import { withDatabase } from '../support/partners.ts'
import { startServiceWithProcessor } from '../support/processor.ts'
import { createQuote } from '../support/quote-fixtures.ts'
import { succeeded } from '../support/responses.ts'
import { shareTestService } from '../support/shared-service.ts'

const service = await shareTestService()
const partner = await connectPartner(service.baseUrl, service.credentials)
const expiryYear = new Date().getUTCFullYear() + 3

async function readyCustomer(): Promise<string> {
  const { lead } = await startHousehold(partner, { tenants: 1 })
  succeeded(await finalise(partner, lead))
  return lead
}

async function payment(customerId: string) {
  const { paymentStatus, paymentMethod, lastPaymentError } = succeeded(await partner.get(`/Customers/${customerId}`))
  return { paymentStatus, paymentMethod, lastPaymentError: lastPaymentError?.code ?? null }
}

test('a customer shows no card and no error before card set-up, then the card that was attached', async () => {
  const lead = await readyCustomer()
  const none = { paymentMethod: null, lastPaymentError: null }
  assert.deepEqual(await payment(lead), { paymentStatus: 'not_started', ...none })
  await attachCard(partner, lead, 'pm_card_mastercard')
  const card = { brand: 'mastercard', last4: '4444', expiryMonth: 12, expiryYear }
  assert.deepEqual(await payment(lead), { paymentStatus: 'ready', paymentMethod: card, lastPaymentError: null })
  const exported = succeeded(await partner.get(`/Customers/${lead}/export`))
  assert.deepEqual(exported.paymentMethod, card)
  const rows = JSON.stringify(await rawRows(service, 'select * from setup_intents where customer_id = $1', [lead]))
  assert.equal(rows.includes('mastercard'), false, 'the card is encrypted')
})

test('each decline is one event and shows why, without revealing that a card was lost; a success clears the error', async () => {
  const lead = await readyCustomer()
  for (const [card, code] of [
    ['pm_card_visa_chargeDeclinedInsufficientFunds', 'insufficient_funds'],
    ['pm_card_visa_chargeDeclinedLostCard', 'card_declined'],
    ['pm_card_chargeDeclinedExpiredCard', 'expired_card'],
  ] as const) {
    await attachCard(partner, lead, card)
    assert.deepEqual(await payment(lead), {
      paymentStatus: 'setup_failed',
      paymentMethod: null,
      lastPaymentError: code,
    })
  }
  const { lastPaymentError } = succeeded(await partner.get(`/Customers/${lead}`))
  assert.deepEqual(lastPaymentError, { code: 'expired_card', message: 'The card has expired. Use another card.' })
  await attachCard(partner, lead)
  assert.equal((await payment(lead)).lastPaymentError, null)
  await waitForProcessorWebhooks(service)
  const failed = Array.from({ length: 3 }, () => 'setup_failed')
  assert.deepEqual(await readPaymentStatusHistory(service, lead), ['setup_started', ...failed, 'ready'])
})

test('a collection that fails shows why until the next one succeeds', async () => {
  const { lead } = await startHousehold(partner, { tenants: 1 })
  await onboard(partner, lead)
  const collect = (outcome: string) => partner.post(`/Sandbox/customers/${lead}/collect`, { outcome })
  succeeded(await collect('failed'))
  assert.equal((await payment(lead)).lastPaymentError, 'card_declined')
  succeeded(await collect('paid'))
  assert.equal((await payment(lead)).lastPaymentError, null)
})

const storedPaymentData = `select from customers where customer_id = $1 and last_payment_error_encrypted is not null
  union all select from setup_intents where customer_id = $1
  union all select from payment_reports where customer_id = $1`

test('an erasure removes the card, the error and what the processor reported, also while it is erasing', async () => {
  const processor = await startServiceWithProcessor()
  try {
    const own = await connectPartner(processor.service.baseUrl, processor.service.credentials)
    const { lead, setupIntentId } = await createCustomerWithCard(processor, own)
    const payments = [
      await processor.collect(setupIntentId, 'failed'),
      await processor.collect(setupIntentId, 'failed'),
    ]
    const [known, late] = payments
    assert.ok(known && late)
    succeeded(await processor.notify('payment_intent.payment_failed', known))
    const shown = succeeded(await own.get(`/Customers/${lead}`))
    assert.deepEqual([shown.paymentMethod?.last4, shown.lastPaymentError?.code], ['4242', 'card_declined'])
    await withDatabase(processor.service, async (db) => {
      const holder = await db.pool.connect()
      try {
        await holder.query('begin')
        await holder.query('select from quotes where quote_id = $1 for update', [shown.quoteId])
        const erasure = own.post(`/Customers/${lead}/erase`)
        await waitForLockWaiters(holder, 1)
        // The notice finds its owner before it waits for the quote.
        const notice = processor.notify('payment_intent.payment_failed', late)
        await waitForLockWaiters(holder, 2)
        await holder.query('rollback')
        succeeded(await erasure)
        await notice
      } finally {
        holder.release()
      }
    })
    const { paymentMethod, lastPaymentError } = succeeded(await own.get(`/Customers/${lead}`))
    assert.deepEqual([paymentMethod, lastPaymentError], [null, null])
    assert.deepEqual(await rawRows(processor.service, storedPaymentData, [lead]), [])
  } finally {
    await processor.stop()
  }
})

const read = async (customerId: string) => succeeded(await partner.get(`/Customers/${customerId}`))

test('a newly added tenant is a customer with the same id; details not yet provided are left out or empty', async () => {
  const { quoteId } = await createQuote(partner)
  const [tenantId = ''] = await addTenants(partner, quoteId, [{ name: 'Grace Hopper', email: 'Grace@Example.com' }])
  const { personalDetails, ...customer } = await read(tenantId)
  const { firstName, lastName, email, phone } = personalDetails
  assert.deepEqual([firstName, lastName, email, phone], ['Grace', 'Hopper', 'Grace@Example.com', ''])
  assert.deepEqual(customer, {
    customerId: tenantId,
    quoteId,
    status: 'active',
    paymentStatus: 'not_started',
    paymentMethod: null,
    lastPaymentError: null,
    services: [],
    contract: null,
    metadata: {},
    removedAt: null,
  })
})

test('the name of a tenant who has not submitted details is split at its last space, in any script', async () => {
  const names: Record<string, [first: string, last: string]> = {
    'Anna Maria van Dijk': ['Anna Maria van', 'Dijk'],
    Cher: ['Cher', ''],
    '  Ada   Lovelace  ': ['Ada', 'Lovelace'],
    王小明: ['王小明', ''],
    'Нина Ивановна Петрова': ['Нина Ивановна', 'Петрова'],
    'محمد بن سلمان': ['محمد بن', 'سلمان'],
    "Seán O'Brien-Smith": ['Seán', "O'Brien-Smith"],
  }
  const { quoteId } = await createQuote(partner)
  const tenants = Object.keys(names).map((name, index) => ({ name, email: `named${index}@example.com` }))
  const ids = await addTenants(partner, quoteId, tenants)
  for (const [index, expected] of Object.values(names).entries()) {
    const { firstName, lastName } = (await read(ids[index] ?? '')).personalDetails
    assert.deepEqual([firstName, lastName], expected)
  }
})

test('each onboarding step changes the status, details, payment status or services that GET /Customers/{id} returns', async () => {
  const { tenants, lead } = await startHousehold(partner)
  const steps = async () => {
    const { status, paymentStatus, services } = await read(lead)
    return [status, paymentStatus, ...services.map((each) => each.status)]
  }
  assert.deepEqual(await steps(), ['active', 'not_started', 'pending', 'pending'])
  const details = { firstName: 'María José', lastName: 'Ñandú', email: 'mj@example.com', phone: '(07700) 900 123' }
  succeeded(await finalise(partner, lead, details))
  assert.deepEqual(await steps(), ['PersonalInfoComplete', 'not_started', 'pending', 'pending'])
  const { personalDetails } = await read(lead)
  assert.deepEqual(personalDetails, { ...personalDetails, ...details, phone: '+447700900123' })
  succeeded(await partner.post(`/Customers/${lead}/create-setup-intent`))
  assert.deepEqual(await steps(), ['PersonalInfoComplete', 'setup_started', 'pending', 'pending'])
  await attachCard(partner, lead, 'pm_card_chargeDeclined')
  assert.deepEqual(await steps(), ['PersonalInfoComplete', 'setup_failed', 'pending', 'pending'])
  await attachCard(partner, lead)
  assert.deepEqual(await steps(), ['PersonalInfoComplete', 'ready', 'pending', 'pending'])
  succeeded(await partner.post(`/Customers/${lead}/accept-terms`))
  assert.deepEqual(await steps(), ['OnboardingComplete', 'ready', 'pending', 'pending'])
  // Each customer takes the steps independently.
  const other = await read(tenants[1] ?? '')
  assert.deepEqual([other.status, other.services[0]?.status], ['active', 'pending'])
})

test('the services field lists each chosen package or, for broadband, each chosen product', async () => {
  const { quoteId, lead } = await startHousehold(partner, {
    packages: ['electricity', 'gas', 'broadband'],
    products: ['fibre-150', 'wifi-whole-home'],
    tenants: 1,
  })
  const { contractStartDate } = succeeded(await partner.get(`/Quotes/${quoteId}`))
  const { earliestDate } = succeeded(await partner.get(`/Quotes/${quoteId}/get-bb-install-dates`))
  assert.deepEqual((await read(lead)).services, [
    {
      serviceId: 'electricity-standard',
      name: 'Standard electricity',
      status: 'pending',
      statusSource: 'reported',
      startDate: contractStartDate,
    },
    {
      serviceId: 'gas-standard',
      name: 'Standard gas',
      status: 'pending',
      statusSource: 'reported',
      startDate: contractStartDate,
    },
    {
      serviceId: 'fibre-150',
      name: 'Home Broadband 150',
      status: 'pending',
      statusSource: 'reported',
      startDate: earliestDate,
    },
    {
      serviceId: 'wifi-whole-home',
      name: 'Whole Home Wi-Fi',
      status: 'pending',
      statusSource: 'reported',
      startDate: earliestDate,
    },
  ])
})

test('the services field does not list a broadband package without a product', async () => {
  const { lead } = await startHousehold(partner, { packages: ['gas', 'broadband'], tenants: 1 })
  assert.deepEqual(
    (await read(lead)).services.map(({ serviceId }) => serviceId),
    ['gas-standard'],
  )
})

test('a quote shows the new name if a tenant finalises their details with a different name', async () => {
  const { quoteId, lead } = await startHousehold(partner, { tenants: 1 })
  succeeded(await finalise(partner, lead, { email: 'new@example.com' }))
  const { tenants } = succeeded(await partner.get(`/Quotes/${quoteId}`))
  assert.deepEqual(tenants, [
    {
      tenantId: lead,
      name: 'Alex Morgan',
      email: 'new@example.com',
      isLead: true,
      ...freshTenantFields,
      status: 'PersonalInfoComplete',
    },
  ])
})

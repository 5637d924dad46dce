import assert from 'node:assert/strict'
import type { Partner } from '../../support/client.ts'
import {
  readPaymentStatusHistory,
  waitForPaymentStatus,
  waitForProcessorWebhooks,
} from '../../support/customer-fixtures.ts'
import {
  attachCard,
  finalise,
  onboard,
  paymentStatus,
  startHousehold,
  startPaymentSetup,
} from '../../support/household.ts'
import { advanceClock, getQuote } from '../../support/quote-fixtures.ts'
import { assertProblem, succeeded } from '../../support/responses.ts'
import type { Outcomes } from './outcome.ts'

async function readyForCard(partner: Partner): Promise<string> {
  const { lead } = await startHousehold(partner, { tenants: 1 })
  succeeded(await finalise(partner, lead))
  return lead
}

async function confirmed(partner: Partner, card: string): Promise<{ lead: string; setupIntentId: string }> {
  const lead = await readyForCard(partner)
  return { lead, setupIntentId: await attachCard(partner, lead, card) }
}

async function declined(partner: Partner, card: string, reason: string): Promise<void> {
  const { lead } = await confirmed(partner, card)
  const { paymentStatus: status, lastPaymentError } = succeeded(await partner.get(`/Customers/${lead}`))
  assert.deepEqual([status, lastPaymentError?.code], ['setup_failed', reason])
}

const bank = (partner: Partner, setupIntentId: string, outcome: string) =>
  partner.post(`/Sandbox/setup-intents/${setupIntentId}/authenticate`, { outcome })
const collect = async (partner: Partner, lead: string, outcome?: string) =>
  succeeded(await partner.post(`/Sandbox/customers/${lead}/collect`, { outcome })).paymentStatus
const notices = async (partner: Partner, settings: object) =>
  succeeded(await partner.post('/Sandbox/payment-processor/webhooks', settings))

/** The status of the first payment of a contract in force. */
async function firstPayment(partner: Partner, outcomes: readonly string[]) {
  const { lead } = await startHousehold(partner, { tenants: 1 })
  await onboard(partner, lead)
  for (const outcome of outcomes) await collect(partner, lead, outcome)
  const { paymentSchedule } = succeeded(await partner.get(`/Customers/${lead}/payment-schedules`))
  return paymentSchedule.payments[0]?.status
}

export const payments: Outcomes = {
  async 'a declined card'({ partner }) {
    await declined(partner, 'pm_card_chargeDeclined', 'card_declined')
  },
  async 'an expired card'({ partner }) {
    await declined(partner, 'pm_card_chargeDeclinedExpiredCard', 'expired_card')
  },
  async 'a card whose authentication cannot be looked up'({ partner }) {
    await declined(partner, 'pm_card_threeDSecureRequiredProcessingError', 'card_declined')
  },
  async 'an authentication that passes'({ partner }) {
    const { lead, setupIntentId } = await confirmed(partner, 'pm_card_authenticationRequired')
    succeeded(await bank(partner, setupIntentId, 'passed'))
    assert.equal(await paymentStatus(partner, lead), 'ready')
  },
  async 'an authentication that fails'({ partner }) {
    const { lead, setupIntentId } = await confirmed(partner, 'pm_card_authenticationRequired')
    succeeded(await bank(partner, setupIntentId, 'failed'))
    assert.equal(await paymentStatus(partner, lead), 'setup_failed')
  },
  async 'an authentication that passes, then payments without funds'({ partner }) {
    const card = 'pm_card_authenticationRequiredChargeDeclinedInsufficientFunds'
    const { lead, setupIntentId } = await confirmed(partner, card)
    succeeded(await bank(partner, setupIntentId, 'passed'))
    assert.equal(await paymentStatus(partner, lead), 'ready')
    succeeded(await partner.post(`/Customers/${lead}/accept-terms`))
    assert.equal(await collect(partner, lead), 'failed')
  },
  async 'a replaced card'({ partner }) {
    const { lead } = await startHousehold(partner, { tenants: 1 })
    await onboard(partner, lead)
    const { setupIntentId } = succeeded(await partner.post(`/Customers/${lead}/create-setup-intent`, { replace: true }))
    const card = { paymentMethod: 'pm_card_mastercard' }
    succeeded(await partner.post(`/Sandbox/setup-intents/${setupIntentId}/confirm`, card))
    assert.equal(succeeded(await partner.get(`/Customers/${lead}`)).paymentMethod?.last4, '4444')
  },
  async 'an abandoned card set-up'({ partner }) {
    const { quoteId, lead } = await startHousehold(partner, { tenants: 1 })
    await startPaymentSetup(partner, lead)
    assert.equal((await getQuote(partner, quoteId)).status, 'active')
    await advanceClock(partner, { days: 15 })
    assert.notEqual((await getQuote(partner, quoteId)).status, 'active')
    assertProblem(await partner.post(`/Customers/${lead}/accept-terms`), 'quote_expired')
  },
  async 'a payment that is collected'({ partner }) {
    assert.equal(await firstPayment(partner, ['paid']), 'paid')
  },
  async 'a payment that fails'({ partner }) {
    assert.equal(await firstPayment(partner, ['failed']), 'failed')
  },
  async 'a refund'({ partner }) {
    assert.equal(await firstPayment(partner, ['paid', 'refunded']), 'refunded')
  },
  async 'a dispute'({ partner }) {
    assert.equal(await firstPayment(partner, ['paid', 'disputed']), 'disputed')
  },
  async 'a processor that is down'({ partner }) {
    const lead = await readyForCard(partner)
    succeeded(await partner.post('/Sandbox/payment-processor/outage', { down: true }))
    assertProblem(await partner.post(`/Customers/${lead}/create-setup-intent`), 'service_unavailable')
    succeeded(await partner.post('/Sandbox/payment-processor/outage', { down: false }))
    succeeded(await partner.post(`/Customers/${lead}/create-setup-intent`))
  },
  async "copies of the processor's notices"({ partner, service }) {
    await notices(partner, { copies: 3 })
    const { lead } = await confirmed(partner, 'pm_card_visa')
    await waitForPaymentStatus(partner, lead, 'ready')
    await waitForProcessorWebhooks(service)
    assert.deepEqual(await readPaymentStatusHistory(service, lead), ['setup_started', 'ready'])
  },
  async "the processor's notices in reversed order"({ partner, service }) {
    const lead = await readyForCard(partner)
    await notices(partner, { order: 'reversed' })
    await attachCard(partner, lead, 'pm_card_chargeDeclined')
    await attachCard(partner, lead, 'pm_card_visa')
    await waitForPaymentStatus(partner, lead, 'ready')
    await waitForProcessorWebhooks(service)
    assert.equal(await paymentStatus(partner, lead), 'ready')
  },
  async 'a notice of the processor that is lost'({ partner }) {
    await notices(partner, { lost: true })
    const { lead } = await confirmed(partner, 'pm_card_visa')
    assert.equal(await paymentStatus(partner, lead), 'setup_started')
    succeeded(await partner.post(`/Customers/${lead}/accept-terms`))
    assert.equal(await paymentStatus(partner, lead), 'ready')
  },
}

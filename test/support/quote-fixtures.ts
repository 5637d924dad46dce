import assert from 'node:assert/strict'
import type { Partner } from './client.ts'
import {
  type Household,
  type HouseholdOptions,
  onboard,
  type QuoteOptions,
  startHousehold,
  startPaymentSetup,
} from './household.ts'
import type { Reply } from './response-types.ts'
import { succeeded } from './responses.ts'
import { ordinaryProperty } from './sample-properties.ts'

/** The current time in quote tests: a Tuesday three weeks before any bank holiday, when electricity is VAT-free. */
export const testTime = '2026-12-01T09:00:00Z'

/** Creates a quote, for an ordinary property by default, and returns the response body. */
export async function createQuote(
  partner: Partner,
  options: QuoteOptions & { addressUid?: string } = {},
): Promise<Reply<'POST', '/Quotes'>> {
  return succeeded(await partner.post('/Quotes', { addressUid: ordinaryProperty().addressUid, ...options }))
}

export async function getQuote(partner: Partner, quoteId: string): Promise<Reply<'GET', '/Quotes/{id}'>> {
  return succeeded(await partner.get(`/Quotes/${quoteId}`))
}

export async function totalCost(partner: Partner, quoteId: string): Promise<Reply<'GET', '/Quotes/{id}/total-cost'>> {
  return succeeded(await partner.get(`/Quotes/${quoteId}/total-cost`))
}

/** An open quote whose prices have expired. */
export async function createExpiredQuote(partner: Partner, options: HouseholdOptions = {}): Promise<Household> {
  const household = await startHousehold(partner, options)
  await expire(partner, household.quoteId)
  return household
}

/** A quote whose lead tenant has started payment setup, which locks it. */
export async function createActiveQuote(partner: Partner, options: HouseholdOptions = {}): Promise<Household> {
  const household = await startHousehold(partner, options)
  await startPaymentSetup(partner, household.lead)
  return household
}

/** A quote whose lead tenant has accepted the terms, but no other tenant has. */
export async function createLeadOnboardedQuote(partner: Partner, options: HouseholdOptions = {}): Promise<Household> {
  const household = await startHousehold(partner, options)
  await onboard(partner, household.lead)
  return household
}

/** A quote whose tenants (one by default) have all accepted the terms. */
export async function createCompletedQuote(partner: Partner, options: HouseholdOptions = {}): Promise<Household> {
  const household = await startHousehold(partner, { tenants: 1, ...options })
  for (const tenantId of household.tenants) await onboard(partner, tenantId)
  return household
}

export async function createCancelledQuote(partner: Partner, options: HouseholdOptions = {}): Promise<Household> {
  const household = await startHousehold(partner, options)
  succeeded(await partner.post(`/Quotes/${household.quoteId}/cancel`))
  return household
}

/** Expires an open quote's prices now. */
export async function expire(partner: Partner, quoteId: string): Promise<void> {
  succeeded(await partner.post(`/Sandbox/quotes/${quoteId}/expire`))
}

/** Moves the partner's sandbox clock forward. */
/** The fields that every response about a quote has, from the response of POST /Quotes. */
export function quoteFieldsOf(created: Reply<'POST', '/Quotes'>) {
  const { address, availablePackages, selectedPackages, cost, warnings, warningDetails, ...fields } = created
  assert.ok(address && availablePackages && selectedPackages && cost !== undefined && warnings && warningDetails)
  return fields
}

export async function advanceClock(partner: Partner, time: { days?: number; seconds?: number }): Promise<void> {
  const seconds = (time.days ?? 0) * 86_400 + (time.seconds ?? 0)
  succeeded(await partner.post('/Sandbox/clock/advance', { seconds }))
}

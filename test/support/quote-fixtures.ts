import type { Partner } from './client.ts'
import {
  type Household,
  type HouseholdOptions,
  onboard,
  type QuoteOptions,
  startHousehold,
  startPayment,
} from './household.ts'
import type { Reply } from './response-types.ts'
import { succeeded } from './responses.ts'
import { ordinaryProperty } from './sample-properties.ts'

/** When tests about quotes take place: a Tuesday on which electricity bears no VAT, three weeks before any bank holiday. */
export const testTime = '2026-12-01T09:00:00Z'

/** POST /Quotes, for an ordinary home unless told; answers the body. */
export async function createQuote(
  partner: Partner,
  wish: QuoteOptions & { addressUid?: string } = {},
): Promise<Reply<'POST', '/Quotes'>> {
  return succeeded(await partner.post('/Quotes', { addressUid: ordinaryProperty().addressUid, ...wish }))
}

export async function getQuote(partner: Partner, quoteId: string): Promise<Reply<'GET', '/Quotes/{id}'>> {
  return succeeded(await partner.get(`/Quotes/${quoteId}`))
}

export async function totalCost(partner: Partner, quoteId: string): Promise<Reply<'GET', '/Quotes/{id}/total-cost'>> {
  return succeeded(await partner.get(`/Quotes/${quoteId}/total-cost`))
}

/** An open quote whose prices have lapsed. */
export async function expiredQuote(partner: Partner, wish: HouseholdOptions = {}): Promise<Household> {
  const household = await startHousehold(partner, wish)
  await expire(partner, household.quoteId)
  return household
}

/** A quote whose lead tenant has begun to set up payment: it is locked. */
export async function activeQuote(partner: Partner, wish: HouseholdOptions = {}): Promise<Household> {
  const household = await startHousehold(partner, wish)
  await startPayment(partner, household.lead)
  return household
}

/** A quote whose lead tenant has accepted the terms and whose other tenants, if any, have not. */
export async function leadOnboardedQuote(partner: Partner, wish: HouseholdOptions = {}): Promise<Household> {
  const household = await startHousehold(partner, wish)
  await onboard(partner, household.lead)
  return household
}

/** A quote all of whose tenants (one unless told) have accepted the terms. */
export async function completedQuote(partner: Partner, wish: HouseholdOptions = {}): Promise<Household> {
  const household = await startHousehold(partner, { tenants: 1, ...wish })
  for (const tenantId of household.tenants) await onboard(partner, tenantId)
  return household
}

export async function cancelledQuote(partner: Partner, wish: HouseholdOptions = {}): Promise<Household> {
  const household = await startHousehold(partner, wish)
  succeeded(await partner.post(`/Quotes/${household.quoteId}/cancel`))
  return household
}

/** Lets an open quote's prices lapse now. */
export async function expire(partner: Partner, quoteId: string): Promise<void> {
  succeeded(await partner.post(`/Sandbox/quotes/${quoteId}/expire`))
}

/** Moves the partner's sandbox clock forward. */
export async function advanceClock(partner: Partner, time: { days?: number; seconds?: number }): Promise<void> {
  const seconds = (time.days ?? 0) * 86_400 + (time.seconds ?? 0)
  succeeded(await partner.post('/Sandbox/clock/advance', { seconds }))
}

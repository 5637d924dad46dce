import type { Partner } from './client.ts'
import { type HouseholdOptions, onboard } from './household.ts'
import { createCompletedQuote } from './quote-fixtures.ts'
import type { Reply } from './response-types.ts'
import { succeeded } from './responses.ts'

/**
 * A completed household in which the lead tenant is to be replaced by `joiner` from 1 March 2027, within their
 * contract.
 */
export async function startReplacement(
  partner: Partner,
  options: HouseholdOptions & { from?: string } = {},
): Promise<{ quoteId: string; leaver: string; others: string[]; joiner: string }> {
  const { from = '2027-03-01', ...household } = options
  const { quoteId, tenants } = await createCompletedQuote(partner, household)
  const [leaver = '', ...others] = tenants
  const joiner = await replace(partner, leaver, from)
  return { quoteId, leaver, others, joiner }
}

/** Adds somebody who is to take over the customer's share. Returns their id. */
export async function replace(partner: Partner, leaver: string, from: string): Promise<string> {
  const body = { name: 'Jo Joiner', email: `for.${leaver}@example.com`, from }
  return succeeded(await partner.post(`/Customers/${leaver}/replacements`, body)).customerId ?? ''
}

/** Takes a joiner through every step, with supply within their cancellation period. */
export async function join(partner: Partner, joiner: string): Promise<Reply<'GET', '/Customers/{id}'>> {
  await onboard(partner, joiner, { supplyDuringCancellation: true })
  return succeeded(await partner.get(`/Customers/${joiner}`))
}

/** The sum of a customer's planned payments, in pence. */
export async function plannedSum(partner: Partner, customerId: string): Promise<number> {
  const { paymentSchedule } = succeeded(await partner.get(`/Customers/${customerId}/payment-schedules`))
  return paymentSchedule.payments.reduce((sum, { amount }) => sum + amount, 0)
}

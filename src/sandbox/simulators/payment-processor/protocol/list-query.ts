import { invalidRequest } from './stripe-fault.ts'

/** The query of a list of one customer's objects. The simulator lists nothing else. */
export function readListQuery(
  { customer, limit = '10' }: { customer?: unknown; limit?: unknown },
  what: string,
): { customer: string; limit: number } {
  if (typeof customer !== 'string')
    throw invalidRequest(`The payment simulator only lists the ${what} of one customer.`, { param: 'customer' })
  const count = typeof limit === 'string' && /^\d{1,3}$/.test(limit) ? Number(limit) : Number.NaN
  if (!(count >= 1 && count <= 100)) throw invalidRequest('Invalid limit: must be from 1 to 100.', { param: 'limit' })
  return { customer, limit: count }
}

import { type Pence, pence } from '../../platform/kernel/money.ts'

/**
 * Splits amounts between tenants: `result[i][t]` is tenant t's share of `amounts[i]` (docs/api-behaviour.md#splitting).
 * Odd pence are given to one tenant after another, beginning with the first. The odd pence of the next amount begin
 * with the tenant after the one who received the last penny. Shares add up exactly. The shares of any two tenants never
 * differ by more than 1p, for one amount or for the sum of all amounts. Throws RangeError for a negative amount or
 * fewer than one tenant.
 */
export function splitAmounts(amounts: readonly Pence[], tenants: number): Pence[][] {
  if (!Number.isInteger(tenants) || tenants < 1) throw new RangeError(`cannot split amounts between ${tenants} tenants`)
  let next = 0
  return amounts.map((amount) => {
    if (amount < 0) throw new RangeError(`cannot split a negative amount: ${amount}`)
    const whole = Math.floor(amount / tenants)
    const odd = amount % tenants
    const first = next
    next = (first + odd) % tenants
    return Array.from({ length: tenants }, (_, tenant) =>
      pence((tenant - first + tenants) % tenants < odd ? whole + 1 : whole),
    )
  })
}

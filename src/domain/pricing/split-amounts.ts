import { type Pence, pence } from '../../kernel/money.ts'

/**
 * Splits amounts between tenants: `result[i][t]` is tenant t's share of `amounts[i]` (docs/api-behaviour.md#splitting). Odd pence
 * go to one tenant after another, beginning with the first, and the next amount continues with the next tenant. Shares add up
 * exactly, and no two tenants differ by more than 1p on an amount or on the sum. Throws RangeError for a negative amount or fewer
 * than one tenant.
 */
export function splitAmounts(amounts: readonly Pence[], tenants: number): Pence[][] {
  if (!Number.isInteger(tenants) || tenants < 1) throw new RangeError(`cannot split between ${tenants} tenants`)
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

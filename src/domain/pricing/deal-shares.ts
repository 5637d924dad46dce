import { type Pence, pence } from '../../kernel/money.ts'

/**
 * Deals amounts out to tenants: `result[i][t]` is tenant t's share of `amounts[i]`. Odd pence go one at a time, first
 * tenant first, on through the amounts without starting again, so that each amount is dealt exactly and no two tenants
 * differ by more than 1p, neither on an amount nor on the sum (decisions §4, Split). Throws RangeError for a negative
 * amount or fewer than one tenant.
 */
export function dealShares(amounts: readonly Pence[], tenants: number): Pence[][] {
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

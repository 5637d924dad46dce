import type { Id } from '../../kernel/ids.ts'
import type { Pence } from '../../kernel/money.ts'
import { type GrossFigures, sumCosts, withNets } from './cost-figures.ts'
import { dealShares } from './deal-shares.ts'
import type { CostFigures, TenantShare } from './price.ts'

/**
 * Splits amounts between tenants: `result[i][t]` is tenant t's share of `amounts[i]` (docs/api-behaviour.md#splitting).
 * Odd pence go one at a time, first tenant first, and continue from amount to amount without starting again. Each
 * amount is split exactly, and no two tenants differ by more than 1p on an amount or on the sum. Throws RangeError for
 * a negative amount or fewer than one tenant.
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

/**
 * Every tenant's share of the lines, in the order of `tenantIds` (lead first); none while there are no tenants. Each
 * figure and its VAT is dealt by itself; the nets are worked out from the dealt ones.
 */
export function splitLines(lines: readonly CostFigures[], tenantIds: readonly Id<'tenant'>[]): TenantShare[] {
  if (tenantIds.length === 0) return []
  const deal = (figure: keyof GrossFigures) => {
    const amounts = lines.map((line) => line[figure])
    return dealShares(amounts, tenantIds.length)
  }
  const dealt: Record<keyof GrossFigures, Pence[][]> = {
    weeklyCost: deal('weeklyCost'),
    monthlyCost: deal('monthlyCost'),
    yearlyCost: deal('yearlyCost'),
    totalCost: deal('totalCost'),
    totalVat: deal('totalVat'),
    setupCost: deal('setupCost'),
    setupVat: deal('setupVat'),
  }
  return tenantIds.map((tenantId, tenant) => {
    const own = lines.map((_, line) => {
      const share = (figure: keyof GrossFigures) => shareAt(dealt[figure], line, tenant)
      return withNets({
        weeklyCost: share('weeklyCost'),
        monthlyCost: share('monthlyCost'),
        yearlyCost: share('yearlyCost'),
        totalCost: share('totalCost'),
        totalVat: share('totalVat'),
        setupCost: share('setupCost'),
        setupVat: share('setupVat'),
      })
    })
    return { tenantId, ...sumCosts(own), lines: own }
  })
}

function shareAt(shares: readonly (readonly Pence[])[], line: number, tenant: number): Pence {
  const share = shares[line]?.[tenant]
  if (share === undefined) throw new RangeError(`no share of line ${line} for tenant ${tenant}`)
  return share
}

import type { Id } from '../../platform/kernel/ids.ts'
import { type Pence, pence } from '../../platform/kernel/money.ts'
import { type GrossFigures, sumCosts, withNetFigures } from './cost-figures.ts'
import type { CostFigures, QuotePrice, TenantShare } from './price.ts'

/**
 * Splits amounts between tenants: `result[i][t]` is tenant t's share of `amounts[i]` (docs/api-behaviour.md#splitting).
 * Odd pence are given to one tenant after another, beginning with the first. The odd pence of the next amount begin
 * with the tenant after the one who received the last penny. Shares add up exactly. The shares of any two tenants never
 * differ by more than 1p, for one amount or for the sum of all amounts. Throws RangeError for a negative amount or
 * fewer than one tenant.
 * @internal Tested alone.
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

/**
 * The tenant's share of a price. Throws if the price has no share for the tenant, which cannot happen for a stored
 * quote.
 */
export function shareOf(price: QuotePrice, tenantId: Id<'tenant'>): TenantShare {
  const share = price.shares.find((each) => each.tenantId === tenantId)
  if (share === undefined) throw new Error('a stored price has no share for one of its tenants')
  return share
}

/**
 * Splits the lines between the tenants, in the order of `tenantIds` (lead first). Returns no shares if there are no
 * tenants. Each figure including VAT differs by at most 1p between tenants, on every line and in every sum. VAT is
 * split in the same order, and no line has more VAT than cost. Net is cost minus VAT, so the VAT and the net of the
 * sums differ by at most 1p too (docs/api-behaviour.md#splitting).
 */
export function splitLines(lines: readonly CostFigures[], tenantIds: readonly Id<'tenant'>[]): TenantShare[] {
  if (tenantIds.length === 0) return []
  const deal = (figure: keyof GrossFigures) => {
    const amounts = lines.map((line) => line[figure])
    return splitAmounts(amounts, tenantIds.length)
  }
  const totalCost = deal('totalCost')
  const setupCost = deal('setupCost')
  const dealt: Record<keyof GrossFigures, Pence[][]> = {
    weeklyCost: deal('weeklyCost'),
    monthlyCost: deal('monthlyCost'),
    yearlyCost: deal('yearlyCost'),
    totalCost,
    totalVat: limitVat(deal('totalVat'), totalCost),
    setupCost,
    setupVat: limitVat(deal('setupVat'), setupCost),
  }
  return tenantIds.map((tenantId, tenant) => {
    const own = lines.map((_, line) => {
      const share = (figure: keyof GrossFigures) => shareAt(dealt[figure], line, tenant)
      return withNetFigures({
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

/**
 * Returns the VAT shares `vat[line][tenant]`, changed so that no share has more VAT than `cost[line][tenant]`: net is
 * never negative. Only lines of a few pence need a change. A penny moves to another tenant of the line, and a penny of
 * another line moves back, so that neither a line's VAT nor a tenant's VAT changes. If no other line can give a penny,
 * the tenant with the least VAT gets it. Throws RangeError for a line with more VAT than cost.
 */
function limitVat(vat: readonly (readonly Pence[])[], cost: readonly (readonly Pence[])[]): Pence[][] {
  const shares = vat.map((line) => [...line])
  const at = (figures: readonly (readonly Pence[])[], line: number, tenant: number): number =>
    figures[line]?.[tenant] ?? 0
  const isFree = (line: number, tenant: number) => at(shares, line, tenant) < at(cost, line, tenant)
  const move = (line: number, from: number, to: number) => {
    const row = shares[line]
    if (row === undefined) return
    row[from] = pence(at(shares, line, from) - 1)
    row[to] = pence(at(shares, line, to) + 1)
  }
  const vatOf = (tenant: number) => shares.reduce((sum, _, line) => sum + at(shares, line, tenant), 0)

  for (const [line, row] of shares.entries()) {
    for (const from of row.keys()) {
      while (at(shares, line, from) > at(cost, line, from)) {
        const takers = [...row.keys()].filter((tenant) => isFree(line, tenant)).sort((a, b) => vatOf(a) - vatOf(b))
        const swaps = takers.flatMap((to) =>
          [...shares.keys()]
            .filter((other) => other !== line && at(shares, other, to) > 0 && isFree(other, from))
            .map((other) => ({ to, other })),
        )
        const to = swaps[0]?.to ?? takers[0]
        if (to === undefined) throw new RangeError('a line has more VAT than cost')
        move(line, from, to)
        if (swaps[0] !== undefined) move(swaps[0].other, to, from)
      }
    }
  }
  return shares
}

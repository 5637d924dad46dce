import type { Id } from '../../platform/kernel/ids.ts'
import type { Pence } from '../../platform/kernel/money.ts'
import { type GrossFigures, sumCosts, withNetFigures } from './cost-figures.ts'
import { limitVat } from './limit-vat.ts'
import type { CostFigures, TenantShare } from './price.ts'
import { splitAmounts } from './split-amounts.ts'

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

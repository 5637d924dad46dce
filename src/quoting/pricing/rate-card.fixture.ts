import type { BroadbandProduct, Package } from '../packages/package.ts'
import type { RateCard } from '../rates/rate-card.ts'

/** A rate card for tests with the price cap's GB averages and the VAT rates of October to December 2026. */
export const autumnCard: RateCard = {
  id: 'autumn-2026',
  name: 'Autumn 2026',
  source: 'Ofgem price cap, GB average, direct debit',
  onSaleFrom: '2026-10-01',
  publishedFor: { from: '2026-10-01', to: '2026-12-31' },
  packages: [
    {
      packageId: 'electricity-standard',
      type: 'electricity',
      name: 'Standard electricity',
      description: 'Electricity',
      isDefault: true,
      rates: { GB: { unitRate: '26.32', standingCharge: '54.83', vatRate: '0' } },
      setupFee: 0,
    },
    {
      packageId: 'gas-standard',
      type: 'gas',
      name: 'Standard gas',
      description: 'Gas',
      isDefault: true,
      rates: { GB: { unitRate: '7.97', standingCharge: '29.68', vatRate: '0.05' } },
      setupFee: 0,
    },
    {
      packageId: 'broadband-standard',
      type: 'broadband',
      name: 'Broadband',
      description: 'Broadband',
      isDefault: true,
      setupFee: 0,
    },
  ],
  consumption: {
    low: { electricityKwh: 1_800, gasKwh: 7_500 },
    medium: { electricityKwh: 2_500, gasKwh: 9_500 },
    high: { electricityKwh: 4_100, gasKwh: 17_000 },
  },
  vat: {
    electricity: [{ rate: '0.05' }, { from: '2026-10-01', rate: '0' }, { from: '2027-04-01', rate: '0.05' }],
    gas: [{ rate: '0.05' }],
    broadband: [{ rate: '0.2' }],
    fees: [{ rate: '0.2' }],
  },
}

/**
 * A rate card for tests with London's price cap of July to September 2026 and, for electricity only, the GB average.
 */
export const summerCard: RateCard = {
  ...autumnCard,
  id: 'summer-2026',
  packages: [
    {
      packageId: 'electricity-standard',
      type: 'electricity',
      name: 'Standard electricity',
      description: 'Electricity',
      isDefault: true,
      rates: {
        _C: { unitRate: '26.35', standingCharge: '44.78', vatRate: '0.05' },
        GB: { unitRate: '26.11', standingCharge: '57.19', vatRate: '0.05' },
      },
      setupFee: 0,
    },
    {
      packageId: 'gas-standard',
      type: 'gas',
      name: 'Standard gas',
      description: 'Gas',
      isDefault: true,
      rates: { _C: { unitRate: '7.50', standingCharge: '29.52', vatRate: '0.05' } },
      setupFee: 0,
    },
  ],
}

/** The card's packages of these types, as a quote would select them. */
export function packagesOfTypes(card: RateCard, ...types: readonly string[]): Package[] {
  return card.packages.filter(({ type }) => types.includes(type)).map((pack) => ({ ...pack }))
}

/** The same card with a set-up fee on each package of one type. */
export function withSetupFee(card: RateCard, type: string, setupFee: number): RateCard {
  return { ...card, packages: card.packages.map((pack) => (pack.type === type ? { ...pack, setupFee } : pack)) }
}

export const fibreLine: BroadbandProduct = {
  productId: 'fibre-150',
  name: 'Fibre 150',
  kind: 'line',
  speedMbps: 150,
  speeds: { uploadMbps: 30, normalMbps: 145, minimumMbps: 75 },
  monthlyPrice: 3_000,
  setupPrice: 1_000,
}

export const wifiAddOn: BroadbandProduct = {
  productId: 'whole-home-wifi',
  name: 'Whole home wifi',
  kind: 'addon',
  speedMbps: 0,
  monthlyPrice: 800,
  setupPrice: 0,
}

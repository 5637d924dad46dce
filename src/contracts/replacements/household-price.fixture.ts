import fc from 'fast-check'
import { addDays, isoDate, lastDayOfTerm } from '../../platform/kernel/dates.ts'
import type { QuotePrice } from '../../quoting/pricing/price.ts'
import { priceQuote } from '../../quoting/pricing/price-quote.ts'
import { autumnCard, fibreLine, packagesOfTypes } from '../../quoting/pricing/rate-card.fixture.ts'

export const start = isoDate('2027-01-15')

/** Arbitrary households, with broadband that starts on the first day or later. */
export const household: fc.Arbitrary<QuotePrice> = fc
  .record({
    months: fc.integer({ min: 1, max: 24 }),
    billingDay: fc.integer({ min: 1, max: 28 }),
    broadbandOffset: fc.nat(20),
    tenants: fc.integer({ min: 1, max: 6 }),
  })
  .map(({ months, billingDay, broadbandOffset, tenants }) =>
    priceQuote({
      card: autumnCard,
      address: { mpan: '1012345678901', mprn: '1234567890', country: 'England' },
      region: '_A',
      packages: packagesOfTypes(autumnCard, 'electricity', 'gas', 'broadband'),
      products: [fibreLine],
      broadbandStartDate: addDays(start, broadbandOffset),
      tenantIds: Array.from({ length: tenants }, (_, index) => `tenant_${index}` as const),
      bedrooms: null,
      contractStartDate: start,
      contractEndDate: lastDayOfTerm(start, months),
      billingDay,
    }),
  )

import { readFile } from 'node:fs/promises'
import { readReferenceData } from '../../src/app/reference-data.ts'
import { loadQuoteForUpdate } from '../../src/contracts/load-quote-for-update.ts'
import { stopSigningJob } from '../../src/contracts/locks/stop-signing.ts'
import type { Clock } from '../../src/platform/kernel/clock.ts'
import { createRateCardCatalogue } from '../../src/quoting/rates/card-catalogue.ts'
import { withdrawRateCard } from '../../src/quoting/rates/life/change-rate-card.ts'
import { publishRateCard } from '../../src/quoting/rates/publish-rate-card.ts'
import type { RateCard, RateCardPackage } from '../../src/quoting/rates/rate-card.ts'
import { withDatabaseKeys } from '../privacy/decrypted-contents.ts'
import { withDatabase } from './partners.ts'
import type { ServiceUnderTest } from './service.ts'

/** The rate card that a sandbox uses by default, which tests copy and change. */
export async function defaultRateCard(): Promise<RateCard> {
  const file = new URL('../../reference-data/rate-cards/2-price-cap-2026-q4-gb-average.json', import.meta.url)
  return JSON.parse(await readFile(file, 'utf8'))
}

/** Publishes a copy of the default rate card with `changes`. It becomes the default while it is on sale. */
export async function publishChangedRateCard(
  service: ServiceUnderTest,
  changes: Partial<RateCard> & Pick<RateCard, 'id'>,
): Promise<void> {
  const card = { ...(await defaultRateCard()), name: changes.id, ...changes }
  const result = await withDatabase(service, (db) => publishRateCard({ db }, card, 'tests'))
  if (result.outcome !== 'published') throw new Error(`${changes.id}: ${JSON.stringify(result)}`)
}

/** The default card's packages, with electricity and gas rates multiplied by `multiple`. */
export async function packagesWithRatesMultiplied(multiple: number): Promise<RateCardPackage[]> {
  return (await defaultRateCard()).packages.map((pack) => ({
    ...pack,
    ...(pack.rates === undefined ? {} : { rates: multiplied(pack.rates, multiple) }),
  }))
}

function multiplied(rates: NonNullable<RateCardPackage['rates']>, multiple: number): typeof rates {
  return Object.fromEntries(
    Object.entries(rates).map(([region, rate]) => [
      region,
      {
        ...rate,
        unitRate: String(Number(rate.unitRate) * multiple),
        standingCharge: String(Number(rate.standingCharge) * multiple),
      },
    ]),
  )
}

/** The default card's packages plus a second electricity package, `electricity-green`, that is not the default. */
export async function packagesWithGreenElectricity(): Promise<RateCardPackage[]> {
  const { packages } = await defaultRateCard()
  const [standard] = packages
  if (standard === undefined) throw new Error('the default card has no packages')
  return [...packages, { ...standard, packageId: 'electricity-green', name: 'Green electricity', isDefault: false }]
}

/** Withdraws a published card, as `housebill rates withdraw` does. */
export async function withdrawCard(
  service: ServiceUnderTest,
  quotingToolVersionId: string,
  { stopSigning = false } = {},
): Promise<void> {
  await withDatabase(service, (db) => withdrawRateCard({ db }, { quotingToolVersionId, by: 'tests', stopSigning }))
}

/** Runs the job that prices anew what nobody has signed on cards on which signing was stopped. */
export async function runStopSigning(service: ServiceUnderTest, clock: Clock): Promise<void> {
  const { bankHolidays } = await readReferenceData()
  const quoting = {
    cards: createRateCardCatalogue(),
    quotePolicy: { ...service.config.quotes, isFreeWhenTenancyEnds: true },
    loadQuoteForUpdate,
  }
  await withDatabaseKeys(service, (keys) =>
    stopSigningJob({ ...keys, ...quoting, clock, bankHolidays }).run(new AbortController().signal),
  )
}

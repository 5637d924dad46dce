import type { DomainEvent } from '../../events/event.ts'
import { recordEvents } from '../../events/record-event.ts'
import type { Caller } from '../../partners/caller.ts'
import type { Queryable, Tx } from '../../platform/db/database.ts'
import { type IsoDate, londonDate } from '../../platform/kernel/dates.ts'
import type { FieldCipher } from '../../platform/kernel/field-encryption.ts'
import { newId } from '../../platform/kernel/ids.ts'
import { type GivenMeterFacts, withMeterFacts } from '../../properties/meter-facts/meter-facts.ts'
import type { AddressSource, Property } from '../../properties/property.ts'
import { requireProperty, requireRegion } from '../../properties/require-property.ts'
import type { Package } from '../packages/package.ts'
import type { Service } from '../packages/services.ts'
import { chooseVersion, offeredPackages, type RateCardCatalogue } from '../rates/card-catalogue.ts'
import { chooseContractDates, expiryOf } from './contract-dates.ts'
import type { Metadata } from './metadata.ts'
import { type MoveIn, requireMoveInDay } from './occupiers.ts'
import type { Quote, QuotedAddress } from './quote.ts'
import { defaultDaysAhead, type QuotePolicy } from './quote-policy.ts'
import { insertQuote } from './quotes.store.ts'
import { repriceQuote } from './reprice.ts'
import { selectDefaults } from './select-packages.ts'
import { type GivenTenancy, withTenancy } from './tenancy.ts'

/** What to quote. */
export interface NewQuoteInput {
  addressUid: string
  quotingToolVersionId?: string | undefined
  /** Packages selected by service: each name selects that service's default package. */
  packages?: readonly Service[] | undefined
  contractStartDate?: IsoDate | undefined
  contractEndDate?: IsoDate | undefined
  bedrooms?: number | undefined
  branch?: string | undefined
  soldBy?: string | undefined
  moveIn?: MoveIn | undefined
  reference?: string | undefined
  metadata?: Metadata | undefined
  sendEmails?: boolean | undefined
  returnUrl?: string | undefined
  tenancy?: GivenTenancy | undefined
  meter?: GivenMeterFacts | undefined
}

export interface NewQuoteDependencies {
  cipher: FieldCipher
  addresses: AddressSource
  cards: RateCardCatalogue
  quotePolicy: QuotePolicy
}

/** A quote that is ready to be stored, with what it can select. */
interface PreparedQuote {
  quote: Quote
  availablePackages: Package[]
}

/**
 * Prepares a quote for a property, priced if the request names packages. Reads the property from its source, so call
 * this before the transaction. Throws `address_not_found`, `address_not_serviceable`, `quoting_tool_version_not_found`,
 * `package_not_available` and `validation_failed` (dates).
 */
export async function prepareQuote(
  { db, addresses, cards, quotePolicy }: NewQuoteDependencies & { db: Queryable },
  caller: Caller,
  input: NewQuoteInput,
): Promise<PreparedQuote> {
  const today = londonDate(caller.now)
  const [property, version] = await Promise.all([
    requireProperty(addresses, input.addressUid),
    chooseVersion(db, { partnerId: caller.partnerId, today }, input.quotingToolVersionId),
  ])
  const region = requireRegion(property)
  const dates = chooseContractDates({
    start: input.contractStartDate,
    end: input.contractEndDate,
    today,
    daysAhead: defaultDaysAhead(quotePolicy),
  })
  requireMoveInDay(input.moveIn, dates.start)
  const card = await cards.load(db, version.quotingToolVersionId)
  const meter = withMeterFacts(withMeterFacts(null, property.meter ?? undefined), input.meter)
  const availablePackages = offeredPackages(card, { address: property, region, meter })

  const created: Quote = {
    quoteId: newId('quote'),
    partnerId: caller.partnerId,
    stage: 'open',
    stepLabel: 'draft',
    reference: input.reference ?? null,
    metadata: input.metadata ?? {},
    bedrooms: input.bedrooms ?? null,
    branch: input.branch ?? null,
    soldBy: input.soldBy ?? null,
    moveIn: input.moveIn ?? null,
    quotingToolVersionId: version.quotingToolVersionId,
    versionIsExplicit: input.quotingToolVersionId !== undefined,
    address: quotedAddress(property),
    region,
    contractStartDate: dates.start,
    contractEndDate: dates.end,
    startOrigin: dates.startIsDefault ? 'default' : 'partner',
    endOrigin: dates.endIsDefault ? 'default' : 'partner',
    selectedPackageIds: selectDefaults(availablePackages, input.packages ?? []),
    broadbandProducts: [],
    broadbandInstallDates: [],
    broadbandStartDate: null,
    selectedInstallDate: null,
    price: null,
    pricedAt: caller.now,
    priceUpdates: [],
    priceWarnings: [],
    overlappingQuoteIds: [],
    expiresAt: expiryOf({
      now: caller.now,
      validitySeconds: quotePolicy.validitySeconds,
      onSaleTo: version.onSaleTo,
      contractStartDate: dates.start,
    }),
    pricesUpdated: false,
    lockedUntil: null,
    termsVersion: null,
    isFreeWhenTenancyEnds: null,
    serviceStatuses: {},
    createdAt: caller.now,
    householdCompleteAt: null,
    sendEmails: input.sendEmails ?? false,
    returnUrl: input.returnUrl ?? null,
    tenancy: withTenancy(null, input.tenancy),
    meter,
    tenants: [],
  }
  if (created.selectedPackageIds.length === 0) return { quote: created, availablePackages }
  const selected: Quote = { ...created, stepLabel: 'PackagesSelected' }
  const pricing = { card, billingDay: quotePolicy.billingDay, now: caller.now, reason: 'packages_changed' } as const
  return { quote: repriceQuote(selected, pricing), availablePackages }
}

/** Stores a quote that `prepareQuote` prepared, with its events. */
export async function insertNewQuote(tx: Tx, cipher: FieldCipher, caller: Caller, quote: Quote): Promise<void> {
  await Promise.all([insertQuote(tx, cipher, quote), recordEvents(tx, caller, creationEvents(quote))])
}

/**
 * The events that announce a new quote. The first reports the draft; if the request names services, a second event
 * reports that packages were selected.
 */
function creationEvents({ quoteId, stepLabel }: Quote): DomainEvent[] {
  const type = 'quote.status.changed'
  const created: DomainEvent = {
    type,
    data: { quoteId, previousStatus: null, status: 'draft', reason: null },
  }
  if (stepLabel === 'draft') return [created]
  return [created, { type, data: { quoteId, previousStatus: 'draft', status: stepLabel, reason: null } }]
}

function quotedAddress(property: Property): QuotedAddress {
  const { addressUid, addressLine1, addressLine2, city, county, country, uprn, mpan, mprn } = property
  return {
    addressUid,
    addressLine1,
    addressLine2,
    city,
    county,
    country,
    postCode: property.postcode,
    uprn,
    mpan,
    mprn,
  }
}

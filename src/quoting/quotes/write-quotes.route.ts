import Type, { type Static } from 'typebox'
import { type PresentedAt, route } from '../../platform/http/route.ts'
import { described, Nullable, RequestObject, ResponseObject } from '../../platform/http/schemas/named.ts'
import { DateOnly, Flag, GivenId, Name, WholeNumber } from '../../platform/http/schemas/values.ts'
import { type IsoDate, isIsoDate, londonDate } from '../../platform/kernel/dates.ts'
import type { FieldError } from '../../platform/kernel/errors.ts'
import { GivenMeter } from '../../properties/meter-facts/meter-facts.schema.ts'
import { maxPackages, type Package } from '../packages/package.ts'
import { ServiceType } from '../packages/service-status.schema.ts'
import { presentPriced, pricedFields } from '../pricing/cost.schema.ts'
import { contractDateErrors, type DateRules } from './contract-dates.ts'
import { createQuote } from './create-quote.ts'
import { GivenMoveIn, readMoveIn } from './occupiers.schema.ts'
import type { SimilarQuote } from './overlaps/overlap.ts'
import {
  AvailablePackage,
  bedroomRange,
  MetadataObject,
  presentQuoteAddress,
  presentQuoteFields,
  presentSelected,
  QuoteAddress,
  QuoteOutline,
  quoteFields,
  SelectedPackages,
  SoldBy,
} from './quote.schema.ts'
import type { Quote } from './quote.ts'
import { defaultDaysAhead } from './quote-policy.ts'
import { GivenTenancyObject } from './tenancy.schema.ts'
import { updateQuote } from './update-quote.ts'

/** Package types in a request for a new quote. */
export const Packages = Type.Array(ServiceType, {
  minItems: 1,
  maxItems: 10,
  description: 'Package types to select. The default package of each type is selected.',
})

/** What a request for a new quote contains. */
export const newQuoteFields = {
  addressUid: GivenId("The property's id, from `GET /Addresses/lookup`."),
  quotingToolVersionId: Type.Optional(
    GivenId('The quoting tool version to price with. Defaults to the default version.'),
  ),
  packages: Type.Optional(Packages),
  contractStartDate: Type.Optional(DateOnly('The first day of the contract. The lead tenant can set it later.')),
  contractEndDate: Type.Optional(DateOnly('The last day of the contract. The lead tenant can set it later.')),
  bedrooms: Type.Optional(
    WholeNumber({
      ...bedroomRange,
      description: 'The number of bedrooms, from which the yearly use of energy is assumed.',
    }),
  ),
  reference: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 100,
      format: 'single-line',
      description: 'Your own id for the quote, returned in responses and events.',
    }),
  ),
  branch: Type.Optional(Name('The name of your branch that sells it, as of the branches of your people.')),
  soldBy: Type.Optional(SoldBy('Who sold it: a name, or the id of one of your people.')),
  metadata: Type.Optional(MetadataObject),
  tenancy: Type.Optional(GivenTenancyObject),
  meter: Type.Optional(GivenMeter),
  moveIn: Type.Optional(GivenMoveIn),
}

/** What every response with a new quote has. */
export const createdQuoteFields = {
  ...quoteFields,
  address: QuoteAddress,
  availablePackages: Type.Array(AvailablePackage, {
    maxItems: maxPackages,
    description: 'All packages available for the address.',
  }),
  selectedPackages: SelectedPackages,
  ...pricedFields,
}

/** The errors of every operation that creates a quote. */
export const newQuoteErrors = [
  'validation_failed',
  'address_not_found',
  'address_not_serviceable',
  'quoting_tool_version_not_found',
  'package_not_available',
] as const

/** Checks the dates, so that their errors are listed together with the schema's. The schema rejects malformed dates. */
export function newDateErrors(body: unknown, rules: DateRules): FieldError[] {
  const { contractStartDate: start, contractEndDate: end } = (body ?? {}) as Record<string, unknown>
  // Without a valid start date there is nothing to compare the end date with.
  if (start !== undefined && !isDay(start)) return []
  return contractDateErrors({ start, end: isDay(end) ? end : undefined, ...rules })
}

/** The validated request with the dates in the type of dates. */
export function withDates<
  Body extends { contractStartDate?: string; contractEndDate?: string; moveIn?: { date: string } },
>(body: Body) {
  // These casts are safe: the schema's date format has checked both dates.
  const contractStartDate = body.contractStartDate as IsoDate | undefined
  const contractEndDate = body.contractEndDate as IsoDate | undefined
  return { ...body, contractStartDate, contractEndDate, moveIn: body.moveIn && readMoveIn(body.moveIn) }
}

const CreatedQuote = Type.Object(createdQuoteFields)

export function presentCreatedQuote(
  {
    quote,
    availablePackages,
    similar = [],
  }: { quote: Quote; availablePackages: Package[]; similar?: readonly SimilarQuote[] },
  at: PresentedAt,
): Static<typeof CreatedQuote> {
  return {
    ...presentQuoteFields(quote, at),
    address: presentQuoteAddress(quote.address),
    availablePackages,
    selectedPackages: presentSelected(quote, availablePackages),
    ...presentPriced(quote, at, similar),
  }
}

function isDay(value: unknown): value is IsoDate {
  return typeof value === 'string' && isIsoDate(value)
}

export const createQuoteRoute = route({
  operationId: 'createQuote',
  method: 'POST',
  path: '/Quotes',
  tag: 'Quotes',
  summary: 'Create a quote for an address',
  description:
    'Returns the packages you can select. The status in the response is always `draft`. If you send `packages`, the default package of each type is selected: `cost` shows what the household pays for them, and the next GET has the status `PackagesSelected`.',
  scope: 'quotes:write',
  body: RequestObject('CreateQuoteRequest', 'What to quote.', {
    ...newQuoteFields,
    sendEmails: Type.Optional(
      Flag(
        'Whether we write to the tenants with a `contactPermission` before they have a contract. `POST /Customers/{id}/onboarding-links` then sends the link too. Defaults to false.',
      ),
    ),
  }),
  refine: (body, { now }, { quotePolicy }) =>
    newDateErrors(body, { today: londonDate(now), daysAhead: defaultDaysAhead(quotePolicy) }),
  reply: ResponseObject('CreatedQuote', 'A new quote with the packages you can select.', createdQuoteFields),
  errors: newQuoteErrors,
  handle: (deps, { caller, body }) => createQuote(deps, caller, withDates(body)),
  present: presentCreatedQuote,
})

export const updateQuoteRoute = route({
  operationId: 'updateQuote',
  method: 'PATCH',
  path: '/Quotes/{id}',
  tag: 'Quotes',
  summary: 'Change the metadata, branch or seller of a quote, or say what you know of the household',
  description:
    'Changes what you send. Metadata, branch and `soldBy` can be replaced at any time, until everyone on the quote has been erased. `householdComplete` can change while the quote is open, `tenancy` until the quote is cancelled, and `meter` until everybody has signed: `registers` and `heating`, which the price depends on, only while the quote is open. They price the quote again, and remove packages that the home cannot have. Repeating the request has no further effect, so it does not need an Idempotency-Key.',
  idDescription: 'quoteId',
  scope: 'quotes:write',
  body: RequestObject(
    'UpdateQuoteRequest',
    'What to change.',
    {
      metadata: Type.Optional(described(MetadataObject, 'Replaces all your keys and values. `{}` removes them.')),
      branch: Type.Optional(
        Nullable(
          Name(
            'The name of your branch that sells it; null for none. Commission that was earned stays with its branch.',
          ),
        ),
      ),
      soldBy: Type.Optional(
        Nullable(SoldBy('Who sold it; null for nobody. Commission that was earned stays with its seller.')),
      ),
      householdComplete: Type.Optional(
        Flag(
          "Whether everybody who shares the bills is on the quote. On the tenants' pages, nobody can add a card before that.",
        ),
      ),
      tenancy: Type.Optional(GivenTenancyObject),
      meter: Type.Optional(GivenMeter),
    },
    { minProperties: 1 },
  ),
  reply: QuoteOutline,
  errors: ['validation_failed', 'customer_erased', 'quote_locked', 'quote_cancelled'],
  handle: (deps, { caller, id, body }) => updateQuote(deps, caller, id, body),
  present: presentQuoteFields,
})

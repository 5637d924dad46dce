import Type from 'typebox'
import { route } from '../../platform/http/route.ts'
import { MetadataObject } from '../../platform/http/schemas/metadata.ts'
import { RequestObject, ResponseObject } from '../../platform/http/schemas/named.ts'
import { DateOnly, GivenId, WholeNumber } from '../../platform/http/schemas/values.ts'
import { type IsoDate, isIsoDate, londonDate } from '../../platform/kernel/dates.ts'
import type { FieldError } from '../../platform/kernel/errors.ts'
import { maxPackages } from '../packages/package.ts'
import { ServiceType } from '../packages/service-status.schema.ts'
import { presentPriced, pricedFields } from '../pricing/cost.schema.ts'
import { contractDateErrors, type DateRules } from './contract-dates.ts'
import { createQuote } from './create-quote.ts'
import {
  AvailablePackage,
  bedroomRange,
  presentQuoteAddress,
  presentQuoteFields,
  presentSelected,
  QuoteAddress,
  quoteFields,
  SelectedPackages,
} from './quote.schema.ts'
import { defaultDaysAhead } from './quote-policy.ts'

const CreateQuoteRequest = RequestObject('CreateQuoteRequest', 'What to quote.', {
  addressUid: GivenId("The property's id, from `GET /Addresses/lookup`."),
  quotingToolVersionId: Type.Optional(
    GivenId('The quoting tool version to price with. Defaults to the default version.'),
  ),
  packages: Type.Optional(
    Type.Array(ServiceType, {
      minItems: 1,
      maxItems: 10,
      description: 'Package types to select. The default package of each type is selected.',
    }),
  ),
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
  metadata: Type.Optional(MetadataObject),
})

/** Checks the dates, so that their errors are listed together with the schema's. The schema rejects malformed dates. */
function dateErrors(body: unknown, rules: DateRules): FieldError[] {
  const { contractStartDate: start, contractEndDate: end } = (body ?? {}) as Record<string, unknown>
  // Without a valid start date there is nothing to compare the end date with.
  if (start !== undefined && !isDay(start)) return []
  return contractDateErrors({ start, end: isDay(end) ? end : undefined, ...rules })
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
  body: CreateQuoteRequest,
  refine: (body, { now }, { quotePolicy }) =>
    dateErrors(body, { today: londonDate(now), daysAhead: defaultDaysAhead(quotePolicy) }),
  reply: ResponseObject('CreatedQuote', 'A new quote with the packages you can select.', {
    ...quoteFields,
    address: QuoteAddress,
    availablePackages: Type.Array(AvailablePackage, {
      maxItems: maxPackages,
      description: 'All packages available for the address.',
    }),
    selectedPackages: SelectedPackages,
    ...pricedFields,
  }),
  errors: [
    'validation_failed',
    'address_not_found',
    'address_not_serviceable',
    'quoting_tool_version_not_found',
    'package_not_available',
  ],
  handle: (deps, { caller, body }) =>
    createQuote(deps, caller, {
      ...body,
      // This cast is safe: the schema's date format has checked both dates.
      contractStartDate: body.contractStartDate as IsoDate | undefined,
      contractEndDate: body.contractEndDate as IsoDate | undefined,
    }),
  present: ({ quote, availablePackages }, at) => ({
    ...presentQuoteFields(quote),
    address: presentQuoteAddress(quote.address),
    availablePackages,
    selectedPackages: presentSelected(quote, availablePackages),
    ...presentPriced(quote, at),
  }),
})

import Type from 'typebox'
import { route } from '../platform/http/route.ts'
import { Choice, RequestObject, ResponseObject } from '../platform/http/schemas/named.ts'
import { Flag, Id, IdList, Text, Timestamp, timestamp } from '../platform/http/schemas/values.ts'
import { londonDate } from '../platform/kernel/dates.ts'
import type { FieldError } from '../platform/kernel/errors.ts'
import { inHours } from '../platform/openapi/time-in-words.ts'
import { availabilityLifetimeMs, maxTenants } from '../quoting/quote-limits.ts'
import { presentProducts, QuoteProducts } from '../quoting/quotes/quote.schema.ts'
import { leadTenantId } from '../quoting/quotes/quote.ts'
import { defaultDaysAhead } from '../quoting/quotes/quote-policy.ts'
import {
  createdQuoteFields,
  newDateErrors,
  newQuoteErrors,
  newQuoteFields,
  Packages,
  presentCreatedQuote,
  withDates,
} from '../quoting/quotes/write-quotes.route.ts'
import { fullName } from '../quoting/tenants/customer.ts'
import { NewTenants, tenantsErrors } from '../quoting/tenants/personal-details.schema.ts'
import { createHousehold } from './create-household.ts'

/** A tenant of a new household. */
export const InvitedTenant = ResponseObject('InvitedTenant', "A tenant with a link to the tenant's pages.", {
  customerId: Id('The id of the tenant. It is also the tenantId.'),
  name: Text(201, "The tenant's full name."),
  email: Text(254, "The tenant's email address; empty if you sent none."),
  isLead: Flag('Whether this is the lead tenant.'),
  url: Type.String({
    format: 'uri',
    maxLength: 2_048,
    description: 'The link. Whoever has it can open the pages, so send it to this tenant only and keep it out of logs.',
  }),
  expiresAt: Timestamp('When the link stops working.'),
})

/** If we are to write to the tenants: an error for each without permission whose link we are to send. Accepts a body of any shape. */
function missingPermissions(body: unknown): FieldError[] {
  const { sendEmails, tenants } = (body ?? {}) as { sendEmails?: unknown; tenants?: unknown }
  if (sendEmails !== true || !Array.isArray(tenants)) return []
  const detail = 'With sendEmails, each tenant needs a contactPermission, or link: returned.'
  return tenants.flatMap((tenant: { contactPermission?: unknown; link?: unknown } | null, index) =>
    (tenant?.contactPermission ?? null) === null && tenant?.link !== 'returned'
      ? [{ pointer: `/tenants/${index}/contactPermission`, code: 'required', detail }]
      : [],
  )
}

export const createHouseholdRoute = route({
  operationId: 'createHousehold',
  method: 'POST',
  path: '/Households',
  tag: 'Quotes',
  summary: 'Quote a household and invite its tenants',
  description:
    "Does in one call what `POST /Quotes`, add-tenants, add-broadband-products and a link for each tenant's pages do: all of it, or nothing. Prices and events are the same. On their pages the tenants give their details, add their cards and agree to their contracts.",
  scope: 'customers:onboard',
  alsoScope: 'quotes:write',
  query: Type.Object(
    {
      dryRun: Type.Optional(
        Type.Enum(['true', 'false'], {
          type: 'string',
          description:
            'With `true`, everything is checked and priced and the response is the same, but nothing is stored, nobody is written to and no outside system is asked: its ids and links open nothing. Defaults to `false`.',
        }),
      ),
    },
    { additionalProperties: false },
  ),
  body: RequestObject('CreateHouseholdRequest', 'The household.', {
    ...newQuoteFields,
    packages: Packages,
    tenants: NewTenants('The tenants, the lead tenant first.'),
    broadbandProducts: Type.Optional(
      IdList(
        `Broadband products to add. Their ids are from an availability check of the address in the last ${inHours(availabilityLifetimeMs / 1_000)}.`,
      ),
    ),
    sendEmails: Type.Optional(
      Flag(
        'Whether we write to the tenants before they have a contract, first of all to send them their links. Each then needs a `contactPermission` or `link: returned`. By default we do not, and you send the links.',
      ),
    ),
    householdComplete: Type.Optional(
      Flag(
        'Whether these are all tenants. Nobody can add a card on their pages before you or the lead tenant says so. By default the lead tenant is asked.',
      ),
    ),
    onDuplicateReference: Type.Optional(
      Choice(
        ['reject', 'return'],
        'What to do if a quote of yours that is not cancelled has the same `reference`: return an error, or return that household as it is, with links that work beside those that were sent. By default another one is created.',
      ),
    ),
    returnUrl: Type.Optional(
      Type.String({
        format: 'uri',
        maxLength: 2_048,
        description: "Your page to which the tenants' pages lead back. The operator registers where it may lead.",
      }),
    ),
  }),
  refine: (body, { now }, { quotePolicy }) => [
    ...newDateErrors(body, { today: londonDate(now), daysAhead: defaultDaysAhead(quotePolicy) }),
    ...tenantsErrors(body, now),
    ...missingPermissions(body),
  ],
  reply: ResponseObject('CreatedHousehold', 'A new quote with its tenants and their links.', {
    ...createdQuoteFields,
    broadbandProducts: QuoteProducts,
    tenants: Type.Array(InvitedTenant, { maxItems: maxTenants, description: 'The tenants, in the order you sent.' }),
  }),
  errors: [
    ...newQuoteErrors,
    'duplicate_reference',
    'too_many_tenants',
    'duplicate_tenant',
    'broadband_check_required',
    'broadband_product_not_available',
    'broadband_products_required',
  ],
  handle: (deps, { caller, query, body }) =>
    createHousehold(deps, caller, { ...withDates(body), dryRun: query.dryRun === 'true' }),
  // The stored response of an idempotency key keeps the links: it is encrypted with the keys that also encrypt what
  // signs links, an erasure deletes it, and a link that has ended opens nothing.
  present: ({ links, ...created }, at) => ({
    ...presentCreatedQuote(created, at),
    broadbandProducts: presentProducts(created.quote.broadbandProducts),
    tenants: created.quote.tenants.flatMap(({ tenantId, personal }) => {
      const who = { name: fullName(personal), email: personal.email, isLead: tenantId === leadTenantId(created.quote) }
      const own = links.filter(({ customerId }) => customerId === tenantId)
      return own.map(({ customerId, url, expiresAt }) => ({ customerId, ...who, url, expiresAt: timestamp(expiresAt) }))
    }),
  }),
})

import Type from 'typebox'
import { route } from '../platform/http/route.ts'
import { Choice, described, RequestObject, ResponseObject } from '../platform/http/schemas/named.ts'
import { encodeCursor, idFromCursor, PageOf, PageQuery } from '../platform/http/schemas/page.ts'
import { Email, Id, Name, Phone, Text } from '../platform/http/schemas/values.ts'
import { londonDate } from '../platform/kernel/dates.ts'
import { toE164 } from '../platform/kernel/phone.ts'
import { CustomerPackages, costFields, presentCost, presentCustomerPackages } from '../quoting/pricing/cost.schema.ts'
import { presentWarnings, warningFields } from '../quoting/pricing/price-warning.schema.ts'
import { GivenPostcode, givenPostcode, MetadataObject, NextStepName, SoldBy } from '../quoting/quotes/quote.schema.ts'
import { CustomerSummaryObject, presentCustomerSummary } from '../quoting/tenants/customer-summary.schema.ts'
import { inputPersonalFields, readPersonalDetails } from '../quoting/tenants/personal-details.schema.ts'
import { psrRuleErrors } from '../quoting/tenants/psr.ts'
import { CustomerObject, presentCustomer } from './customer.schema.ts'
import { getCustomerTotalCost } from './customer-total-cost.ts'
import { getCustomer } from './get-customer.ts'
import { listCustomers } from './list-customers.ts'
import { PsrDetails, readPsr } from './psr.schema.ts'
import { updateCustomer } from './update-customer.ts'

export const getCustomerRoute = route({
  operationId: 'getCustomer',
  method: 'GET',
  path: '/Customers/{id}',
  tag: 'Customers',
  summary: 'Get a customer',
  description: 'A customer is a tenant of a quote. The customerId and the tenantId are the same id.',
  idDescription: 'customerId',
  scope: 'customers:read',
  reply: CustomerObject,
  handle: (deps, { caller, id }) => getCustomer(deps, caller, id),
  present: presentCustomer,
})

export const listCustomersRoute = route({
  operationId: 'listCustomers',
  method: 'GET',
  path: '/Customers',
  tag: 'Customers',
  summary: 'List or find your customers, newest first',
  description:
    'Returns the customers that match every filter you send. Also returns customers who were removed from their quote after they had agreed to a contract. A customer who was erased is found by the quote and its reference only. Every customer on the page is recorded as read in the audit log.',
  scope: 'customers:read',
  query: Type.Object(
    {
      quoteId: Type.Optional(
        Type.String({ minLength: 1, maxLength: 100, description: 'Return the customers of this quote.' }),
      ),
      email: Type.Optional(
        Email('Return customers with this email address, in any letter case. In a URL, write + as %2B.'),
      ),
      phone: Type.Optional(Phone('Return customers with this phone number.')),
      reference: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 100,
          description: 'Return the customers of the quotes with this reference.',
        }),
      ),
      branch: Type.Optional(Name('Return the customers of the quotes of this branch.')),
      soldBy: Type.Optional(SoldBy('Return the customers of the quotes that this person sold.')),
      postcode: Type.Optional(GivenPostcode('Return the customers of the quotes for homes at this postcode.')),
      waitingFor: Type.Optional(
        NextStepName('Return customers of quotes that are not cancelled who have this to do next.'),
      ),
      ...PageQuery,
    },
    { additionalProperties: false },
  ),
  reply: PageOf('CustomerList', CustomerSummaryObject),
  errors: ['validation_failed'],
  handle: (deps, { caller, query }) =>
    listCustomers(deps, caller, {
      quoteId: query.quoteId,
      email: query.email,
      phone: query.phone === undefined ? undefined : toE164(query.phone),
      reference: query.reference,
      branch: query.branch,
      soldBy: query.soldBy,
      postCode: givenPostcode(query.postcode),
      waitingFor: query.waitingFor,
      beforeCustomerId: idFromCursor(query.cursor, 'tenant'),
      limit: query.limit ?? 20,
    }),
  present: ({ customers, nextBeforeCustomerId }) => ({
    data: customers.map(presentCustomerSummary),
    nextCursor: encodeCursor(nextBeforeCustomerId),
  }),
})

/** Only the operator corrects a date of birth: see src/back-office/contract-feed/correct-contract.ts. */
const { dateOfBirth: _, ...changeable } = inputPersonalFields

export const updateCustomerRoute = route({
  operationId: 'updateCustomer',
  method: 'PATCH',
  path: '/Customers/{id}',
  tag: 'Customers',
  summary: "Change a customer's name, contact details, forwarding address, PSR details or metadata",
  description:
    'Possible at any time, also after the terms are accepted. Fields you leave out keep their values. Contract documents that exist do not change. Repeating the request has no further effect, so it does not need an Idempotency-Key.',
  idDescription: 'customerId',
  scope: 'customers:write',
  body: RequestObject(
    'UpdateCustomerRequest',
    'What to change.',
    {
      ...Type.Partial(Type.Object(changeable)).properties,
      psrDetails: Type.Optional(
        described(PsrDetails, 'Replaces the Priority Services Register details. `{"hasPsr": false}` withdraws them.'),
      ),
      forwardingAddress: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 300,
          format: 'single-line',
          description:
            'Where the customer wants letters, such as final bills, after they leave. `-` removes it. Only the operator sees it: no response returns it, and nobody shows it to housemates.',
        }),
      ),
      metadata: Type.Optional(described(MetadataObject, 'Replaces all your keys and values. `{}` removes them.')),
    },
    { minProperties: 1 },
  ),
  refine: (body, { now }, { psrCategories }) =>
    psrRuleErrors((body as { psrDetails?: unknown } | null)?.psrDetails, psrCategories, londonDate(now)),
  reply: CustomerObject,
  errors: ['validation_failed', 'psr_contact_required', 'duplicate_tenant', 'customer_erased', 'customer_removed'],
  handle: (deps, { caller, id, body }) =>
    updateCustomer(deps, caller, id, {
      personal: readPersonalDetails(body),
      psr: body.psrDetails === undefined ? undefined : readPsr(body.psrDetails),
    }),
  present: presentCustomer,
})

export const customerTotalCostRoute = route({
  operationId: 'getCustomerTotalCost',
  method: 'GET',
  path: '/Customers/{id}/total-cost',
  tag: 'Customers',
  summary: "Get a customer's share of the cost",
  description:
    "The share is equal for all tenants and matches the tenant's entry in the quote's `costBreakdown`. For an expired quote, this returns the last prices.",
  idDescription: 'customerId',
  scope: 'customers:read',
  reply: ResponseObject('CustomerCost', "A customer's share of the cost.", {
    customerId: Id('The id of the customer.'),
    ...costFields,
    packages: CustomerPackages,
    ...warningFields,
  }),
  errors: ['packages_required'],
  handle: (deps, { caller, id }) => getCustomerTotalCost(deps, caller, id),
  present: ({ quote, share, packages }, at) => ({
    customerId: share.tenantId,
    ...presentCost(share),
    packages: presentCustomerPackages(packages),
    ...presentWarnings(quote, at),
  }),
})

const PsrCategoryDefinition = ResponseObject(
  'PsrCategoryDefinition',
  'A category of needs of the Priority Services Register.',
  {
    code: Text(10, 'The code to send in `psrDetails.categories`.'),
    name: Text(200, 'The name of the category.'),
    grouping: Text(100, 'The group of categories it belongs to.'),
    extra: Choice(
      ['none', 'expiry-date', 'expiry-date-or-youngest-child'],
      'The additional field this category requires.',
    ),
  },
)

export const psrCategoriesRoute = route({
  operationId: 'listPsrCategories',
  method: 'GET',
  path: '/Customers/psr-categories',
  tag: 'Customers',
  summary: 'List the Priority Services Register categories',
  scope: 'customers:read',
  reply: ResponseObject('PsrCategoryList', 'All categories of the Priority Services Register.', {
    data: Type.Array(PsrCategoryDefinition, { maxItems: 100, description: 'The categories.' }),
  }),
  handle: (deps) => Promise.resolve(deps.psrCategories),
  present: (categories) => ({ data: [...categories] }),
})

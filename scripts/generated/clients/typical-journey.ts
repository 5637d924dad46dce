/** One call of the typical order of use. Texts may contain `{{name}}`: an input, or what an earlier step saved. */
export interface JourneyStep {
  operationId: string
  /** The ids in the path. */
  ids?: readonly string[]
  query?: Readonly<Record<string, string>>
  body?: object
  /** What later steps need, by name: a JSON Pointer into the response. */
  saves?: Readonly<Record<string, string>>
  /** Values that the response must have, by JSON Pointer. */
  expects?: Readonly<Record<string, string>>
}

/** What a person who runs the journey chooses, with the values of a new sandbox as in the README. */
export const journeyInputs = {
  clientId: 'sb_example',
  clientSecret: 'example-secret',
  postcode: 'LS2 9JT',
} as const

const ofQuote = { ids: ['{{quoteId}}'] }
const ofTenant = { ids: ['{{tenantId}}'] }

/** The typical order of use, from an address to the contract of a household of one tenant. It needs a sandbox, for the card. */
export const typicalJourney: readonly JourneyStep[] = [
  { operationId: 'lookupAddresses', query: { postcode: '{{postcode}}' }, saves: { addressUid: '/0/addressUid' } },
  {
    operationId: 'createQuote',
    body: { addressUid: '{{addressUid}}', packages: ['electricity', 'gas'], reference: 'viewing-42' },
    saves: { quoteId: '/quoteId' },
  },
  {
    operationId: 'runBroadbandAvailabilityCheck',
    ids: ['{{addressUid}}'],
    saves: { productId: '/products/0/productId' },
  },
  { operationId: 'addBroadbandProducts', ...ofQuote, body: { broadbandProducts: ['{{productId}}'] } },
  { operationId: 'getBroadbandInstallDates', ...ofQuote },
  {
    operationId: 'addTenants',
    ...ofQuote,
    body: { tenants: [{ name: 'Ada Lovelace', email: 'ada@example.com' }] },
    saves: { tenantId: '/tenants/0/tenantId' },
    expects: { '/status': 'TenantsAdded' },
  },
  { operationId: 'getQuoteTotalCost', ...ofQuote },
  {
    operationId: 'finalisePersonalInformation',
    ...ofTenant,
    body: {
      firstName: 'Ada',
      lastName: 'Lovelace',
      email: 'ada@example.com',
      phone: '07700 900123',
      dateOfBirth: '1995-12-10',
    },
  },
  { operationId: 'getPaymentSchedules', ...ofTenant },
  { operationId: 'getPciPreviewUrlHtml', ...ofTenant, saves: { documentHash: '/documentHash' } },
  { operationId: 'createSetupIntent', ...ofTenant, saves: { setupIntentId: '/setupIntentId' } },
  {
    operationId: 'sandboxConfirmSetupIntent',
    ids: ['{{setupIntentId}}'],
    body: { paymentMethod: 'pm_card_visa' },
    expects: { '/status': 'succeeded' },
  },
  {
    operationId: 'acceptTerms',
    ...ofTenant,
    body: { documentHash: '{{documentHash}}', tenantIp: '203.0.113.7', tenantUserAgent: 'Mozilla/5.0' },
    expects: { '/status': 'OnboardingComplete' },
  },
  { operationId: 'getPciContractUrlPdf', ...ofTenant },
  { operationId: 'getQuote', ...ofQuote, expects: { '/status': 'completed' } },
]

import fc from 'fast-check'
import { eventTypes } from '../../src/events/event.ts'
import { specialCases } from '../../src/sandbox/samples/special-case.ts'
import { personalInformation, psrDetails } from '../support/household.ts'
import { defaultRateCard } from '../support/rate-cards.ts'
import { ordinaryProperty, specialProperty } from '../support/sample-properties.ts'

/**
 * Meaningful values by field name. Without them, hardly any request would pass validation. Placeholders in double
 * braces stand for ids of the current household; see `fillIn`.
 */
const homes = [
  ...[0, 1, 2, 3].map((index) => ordinaryProperty(index).addressUid),
  // The slow property is left out, because every check of it takes almost ten seconds.
  ...specialCases.filter((each) => each !== 'slow-upstreams').map((each) => specialProperty(each).addressUid),
]

const rateCard = await defaultRateCard()
const rateCards = ['fuzz-1', 'fuzz-2', 'fuzz 3'].map((id) => ({ ...rateCard, id }))

const cards = [
  'pm_card_visa',
  'pm_card_visa',
  'pm_card_chargeDeclined',
  'pm_card_authenticationRequired',
  'pm_card_threeDSecureRequiredChargeDeclined',
  'pm_card_chargeCustomerFail',
  '4242424242424242',
  '4000 0025 0000 3155',
  '4242424242424241',
]

const named: Readonly<Record<string, readonly unknown[]>> = {
  ...Object.fromEntries(Object.entries(personalInformation()).map(([name, value]) => [name, [value]])),
  addressUid: ['{{own.addressUid}}', '{{own.addressUid}}', ...homes],
  quotingToolVersionId: ['{{own.versionId}}', '{{own.versionId}}', '{{unknown.versionId}}'],
  packageIds: ['electricity-standard', 'gas-standard', 'broadband-standard', 'gas-standard '],
  broadbandProducts: ['fibre-67', 'fibre-150', 'fibre-900', 'wifi-whole-home', 'static-ip', 'fibre-1'],
  tenantIds: ['{{own.customerId}}', '{{own.otherCustomerId}}', '{{foreign.customerId}}', '{{unknown.customerId}}'],
  paymentMethod: cards,
  events: [...eventTypes],
  // Only loopback can be reached. The receiver there returns 410, which disables a webhook.
  url: [
    '{{own.receiver}}/hook',
    '{{own.receiver}}/hook?a=b#c',
    'https://localhost:{{own.receiverPort}}/é',
    'https://receiver.test:{{own.receiverPort}}/',
    'https://nowhere.test/',
    'http://localhost/',
    'https://user:pass@localhost/',
    'https://10.0.0.1/',
    'https://[::ffff:127.0.0.1]/',
    'https://169.254.169.254/latest/meta-data',
    'https://2130706433/',
    'https://%6c%6f%63%61%6c%68%6f%73%74/',
    'file:///etc/passwd',
    'https://',
  ],
  code: ['08', '08', '29', '32', '33', '99', '8'],
  psrDetails: [{ hasPsr: false }, psrDetails(), psrDetails({ categories: [{ code: '32', expiryDate: '2027-06-30' }] })],
  name: ['Robin Example', 'Robin', 'Åse van der Berg', '李 小龍'],
  firstName: ['Robin', 'Åse', '小龍'],
  lastName: ['Example', 'van der Berg', '李'],
  dateOfBirth: ['1990-12-10', '2000-02-29', '2008-12-01', '2008-12-02'],
  phone: ['07700 900123', '+447700900456'],
  contractStartDate: ['2026-12-15', '2027-01-15', '2027-03-31', '2026-12-01'],
  contractEndDate: ['2027-12-14', '2028-01-14', '2028-02-29', '2027-06-30'],
  // Only the partner that controls the sandbox has faults, and it never calls this operation.
  operation: ['exportCustomer'],
  acts: ['before', 'after'],
  to: ['2026-12-01T00:00:00Z', '2020-01-01T00:00:00Z'],
  seconds: [0, 1, 60, 86_400, 30 * 86_400],
  clientId: ['{{own.clientId}}', '{{own.clientId}}', 'sb_nobody'],
  client_id: ['{{own.clientId}}', '{{own.clientId}}', 'sb_nobody'],
  clientSecret: ['{{own.clientSecret}}', '{{own.clientSecret}}', 'wrong'],
  client_secret: ['{{own.clientSecret}}', '{{own.clientSecret}}', 'wrong'],
  audience: ['{{own.audience}}', 'https://elsewhere.example'],
  scope: ['quotes:read', 'quotes:read quotes:write', 'nothing', '*'],
  postcode: ['NR4 7TJ', 'nr47tj', 'TE5 7AA', 'ZZ1 1ZZ', 'SW1A 1AA ', '%'],
  status: ['draft', 'active', 'completed', 404, 500],
  limit: [1, 2, 100],
  since: ['{{own.hourAgo}}', '{{own.hourAgo}}', '2000-01-01T00:00:00+01:00'],
  cursor: ['{{own.cursor}}', 'bm90aGluZw'],
  version: [1, 1, 2],
  mpan: ['1099850091430', '1099850091431'],
  installDate: ['2026-12-17', '2026-12-19'],
  effectiveDate: ['2026-12-15', '2027-01-15'],
  entryId: ['{{own.entryId}}', '{{foreign.entryId}}', '{{unknown.entryId}}'],
  contractNumber: ['{{own.contractNumber}}'],
  partnerIds: ['{{own.managedPartnerId}}', '{{unknown.managedPartnerId}}'],
  before: ['{{own.versionId}}', '{{own.cardId}}'],
  after: ['{{own.cardId}}', 'price-cap-2026-q3-regional'],
  card: rateCards,
}

/**
 * Meaningful values for a field with this name, or for the entries of a list with this name; only those in `allowed`,
 * if given. Undefined if there are none.
 */
export function knownValues(name: string, allowed?: readonly unknown[]): fc.Arbitrary<unknown> | undefined {
  const values = named[name]?.filter((value) => allowed === undefined || allowed.includes(value))
  return values === undefined || values.length === 0 ? undefined : fc.constantFrom(...values)
}

/**
 * The ids and other values to fill in. Those under `own` belong to the caller, those under `foreign` to a different
 * partner, and those under `unknown` to nobody.
 */
export type PlaceholderValues = Readonly<Record<'own' | 'foreign' | 'unknown', Readonly<Record<string, string>>>>

/**
 * Replaces the placeholders in double braces with their values. A placeholder without a value becomes an unknown id.
 */
export function fillIn(text: string, values: PlaceholderValues): string {
  return text.replace(
    /\{\{(own|foreign|unknown)\.(\w+)\}\}/g,
    // Damaged placeholders are left unchanged.
    (damaged: string, whose: keyof PlaceholderValues, what: string) =>
      values[whose][what] ?? values.unknown[what] ?? damaged,
  )
}

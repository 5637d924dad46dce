import type { Static } from 'typebox'
import { type Service, services } from '../src/domain/packages/services.ts'
import { addBroadband } from './add-broadband.ts'
import type { InventedTenant } from './household.ts'
import { findQuoteCostMismatches } from './money-checks.ts'
import { pounds } from './pounds.ts'
import {
  AddressesReply,
  CreatedQuoteReply,
  QuoteCostReply,
  SelectedPackagesReply,
  TenantsReply,
  TokenReply,
  VersionsReply,
} from './replies.ts'
import type { StepRunner } from './step-runner.ts'

const meterFields = Object.values(services).flatMap(({ metered }) => metered?.meter?.field ?? [])

export interface PricedHousehold {
  quoteId: string
  cost: Static<typeof QuoteCostReply>
  tenants: Static<typeof TenantsReply>['tenants']
}

export interface HouseholdOptions {
  clientId: string
  clientSecret: string
  postcode: string
  household: readonly InventedTenant[]
  broadband: boolean
}

/** Runs the steps that concern the whole household, from the token to the total cost. The steps for each tenant come later. */
export async function priceHousehold(runner: StepRunner, options: HouseholdOptions): Promise<PricedHousehold> {
  await getToken(runner, options)
  await readVersions(runner)
  const { addressUid } = await lookUpAddress(runner, options.postcode)
  const { quoteId, availablePackages } = await createQuote(runner, addressUid)
  const energy = availablePackages.filter(({ type, isDefault }) => isDefault && isMetered(type))
  if (energy.length > 0) await addPackages(runner, quoteId, energy)
  const tenants = await addTenants(runner, quoteId, options.household)
  if (options.broadband) {
    if (energy.length > 0) await readTotalCost(runner, quoteId, tenants.length, 'Total cost before broadband')
    await addBroadband(runner, quoteId, addressUid)
  }
  return { quoteId, tenants, cost: await readTotalCost(runner, quoteId, tenants.length, 'Total cost') }
}

async function getToken(runner: StepRunner, { clientId, clientSecret }: HouseholdOptions): Promise<void> {
  const { access_token } = await runner.step({
    name: 'Get a token',
    method: 'POST',
    path: '/Auth/token',
    body: { clientId, clientSecret },
    reply: TokenReply,
    brief: ({ token_type, expires_in }) => `${token_type} token, valid for ${Math.floor(expires_in / 3_600)} hours`,
  })
  runner.authenticate(access_token)
}

async function readVersions(runner: StepRunner): Promise<void> {
  await runner.step({
    name: 'List the quoting tool versions',
    method: 'GET',
    path: '/Quotes/quoting-tool-versions',
    reply: VersionsReply,
    check: ({ versions }) => {
      const defaults = versions.filter(({ isDefault }) => isDefault).length
      return versions.length === 0 || defaults === 1
        ? []
        : [`${defaults} versions are marked as the default; exactly one must be`]
    },
    stop: ({ versions }) =>
      versions.length > 0
        ? undefined
        : {
            reason: 'No rate card is on sale, so nothing can be priced.',
            remedy: 'Publish a rate card: npx housebill rates publish <file>',
          },
    brief: ({ versions }) => `${versions.length} on sale; default: ${versions.find((each) => each.isDefault)?.name}`,
  })
}

/** Whether a package type is metered. A type that this version does not know counts as metered, because most are. */
function isMetered(type: string): boolean {
  return !Object.hasOwn(services, type) || services[type as Service].metered !== null
}

/** Finds a property at the postcode, if possible one that has every kind of meter. */
async function lookUpAddress(runner: StepRunner, postcode: string): Promise<{ addressUid: string }> {
  const choose = (addresses: Static<typeof AddressesReply>) =>
    addresses.find((address) => meterFields.every((field) => address[field] !== null)) ?? addresses[0]
  const addresses = await runner.step({
    name: 'Look up the address',
    method: 'GET',
    path: `/Addresses/lookup?${new URLSearchParams({ postcode })}`,
    reply: AddressesReply,
    stop: (found) =>
      found.length > 0
        ? undefined
        : {
            reason: `No property at ${postcode} can be quoted.`,
            remedy:
              'Choose another postcode with --postcode. In a sandbox, GET /partner-api/Sandbox/postcodes lists them.',
          },
    brief: (found) => {
      const { addressLine1 = '', city = '', postCode = '' } = choose(found) ?? {}
      return `${found.length} properties; using ${addressLine1}, ${city} ${postCode}`
    },
  })
  const chosen = choose(addresses)
  if (chosen === undefined) throw new Error('no property was chosen')
  return chosen
}

function createQuote(runner: StepRunner, addressUid: string): Promise<Static<typeof CreatedQuoteReply>> {
  return runner.step({
    name: 'Create a quote',
    method: 'POST',
    path: '/Quotes',
    body: { addressUid, reference: 'housebill journey' },
    reply: CreatedQuoteReply,
    brief: ({ quoteId, contractStartDate, contractEndDate, expiresAt }) =>
      `${quoteId}, contract ${contractStartDate} to ${contractEndDate}, valid until ${expiresAt}`,
  })
}

async function addPackages(
  runner: StepRunner,
  quoteId: string,
  packages: readonly { packageId: string; name: string }[],
): Promise<void> {
  const packageIds = packages.map(({ packageId }) => packageId)
  await runner.step({
    name: 'Add packages',
    method: 'POST',
    path: `/Quotes/${quoteId}/add-packages`,
    body: { packageIds },
    reply: SelectedPackagesReply,
    check: ({ selectedPackages }) =>
      packageIds
        .filter((id) => !selectedPackages.some(({ packageId }) => packageId === id))
        .map((id) => `selectedPackages does not contain ${id}`),
    brief: ({ selectedPackages }) => selectedPackages.map(({ name }) => name).join(', '),
  })
}

async function addTenants(
  runner: StepRunner,
  quoteId: string,
  household: readonly InventedTenant[],
): Promise<Static<typeof TenantsReply>['tenants']> {
  const { tenants } = await runner.step({
    name: 'Add tenants',
    method: 'POST',
    path: `/Quotes/${quoteId}/add-tenants`,
    body: { tenants: household.map(({ firstName, lastName, email }) => ({ name: `${firstName} ${lastName}`, email })) },
    reply: TenantsReply,
    check: (response) => [
      ...(response.tenants.length === household.length ? [] : [`${response.tenants.length} tenants were added`]),
      ...(response.tenants.filter(({ isLead }) => isLead).length === 1
        ? []
        : ['there must be exactly one lead tenant']),
    ],
    brief: (response) => response.tenants.map(({ name, isLead }) => `${name}${isLead ? ' (lead)' : ''}`).join(', '),
  })
  return tenants
}

function readTotalCost(
  runner: StepRunner,
  quoteId: string,
  tenants: number,
  name: string,
): Promise<Static<typeof QuoteCostReply>> {
  return runner.step({
    name,
    method: 'GET',
    path: `/Quotes/${quoteId}/total-cost`,
    reply: QuoteCostReply,
    check: (cost) => findQuoteCostMismatches(cost, tenants),
    brief: ({ lines }) =>
      lines.map(({ name: line, monthlyCost }) => `${line} ${pounds(monthlyCost)} a month`).join(', '),
    money: ({ monthlyCost, totalCost, setupCost }) =>
      `${pounds(monthlyCost)} a month, ${pounds(totalCost)} for the contract${setupCost > 0 ? `, ${pounds(setupCost)} of it set-up` : ''}`,
  })
}

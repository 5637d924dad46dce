import type { Static } from 'typebox'
import type { Address, CreatedQuote, NewTenant, QuoteCost, Tenant } from '../../../clients/typescript/src/api-types.ts'
import { type Service, services } from '../../quoting/packages/services.ts'
import { findQuoteCostMismatches, pounds } from './money-checks.ts'
import {
  AddressesResponse,
  AvailabilityRequestResponse,
  AvailabilityResponse,
  BroadbandAddedResponse,
  CreatedQuoteResponse,
  InstallDatesResponse,
  QuoteCostResponse,
  SelectedPackagesResponse,
  TenantsResponse,
  TokenResponse,
  VersionsResponse,
} from './replies.ts'
import type { StepRunner } from './step-runner.ts'

/**
 * Checks which broadband the property can have, adds the first line offered and reads the installation dates. If no
 * line is offered, the journey continues without broadband.
 */
async function addBroadband(runner: StepRunner, quoteId: string, addressUid: string): Promise<void> {
  const { uid } = await runner
    .step({
      name: 'Create a broadband availability request',
      reply: AvailabilityRequestResponse,
      brief: ({ uid: made, status }) => `${made}, ${status}`,
    })
    .requestBroadbandAvailability({ addressUid })
  const { products } = await runner
    .step({
      name: 'Check broadband',
      reply: AvailabilityResponse,
      stop: ({ homeTelecomError, homeTelecomErrors }) =>
        homeTelecomError
          ? {
              reason: `The home telecom provider failed: ${homeTelecomErrors.join(' ')}`,
              remedy: 'Check HOME_TELECOM_URL and the provider, or leave broadband out with --no-broadband',
            }
          : undefined,
      brief: describeAvailability,
    })
    .runBroadbandAvailabilityCheck(uid)
  const line = products.find(({ kind }) => kind === 'line')
  if (line === undefined) return
  await runner
    .step({
      name: 'Add a broadband product',
      reply: BroadbandAddedResponse,
      check: ({ broadbandProducts }) =>
        broadbandProducts.some(({ productId }) => productId === line.productId)
          ? []
          : [`broadbandProducts does not contain ${line.productId}`],
      brief: () => `${line.name}, ${pounds(line.price)} a month, ${pounds(line.setupPrice)} set-up`,
    })
    .addBroadbandProducts(quoteId, { broadbandProducts: [line.productId] })
  await runner
    .step({
      name: 'Get the installation dates',
      reply: InstallDatesResponse,
      check: ({ availableDates, earliestDate }) => {
        const [earliest] = availableDates.toSorted()
        return earliest === earliestDate
          ? []
          : [`earliestDate is ${earliestDate}, but the first available day is ${earliest}`]
      },
      brief: ({ availableDates, earliestDate }) => `${availableDates.length} days, the earliest ${earliestDate}`,
    })
    .getBroadbandInstallDates(quoteId)
}

function describeAvailability(response: Static<typeof AvailabilityResponse>): string {
  const { available, maxSpeed, products, broadbandDatabaseError, broadbandDatabaseErrors } = response
  const found = available
    ? `up to ${maxSpeed} Mbps, ${products.length} products`
    : 'no broadband at this address; continuing without it'
  return broadbandDatabaseError ? `${found} (broadband database failed: ${broadbandDatabaseErrors.join(' ')})` : found
}

const meterFields = Object.values(services).flatMap(({ metered }) => metered?.meter?.field ?? [])

interface PricedHousehold {
  quoteId: string
  cost: QuoteCost
  tenants: readonly Tenant[]
}

export interface HouseholdOptions {
  clientId: string
  clientSecret: string
  postcode: string
  household: readonly NewTenant[]
  broadband: boolean
}

/**
 * Runs the steps that concern the whole household, from the token to the total cost. The steps for each tenant come
 * later.
 */
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
  const { access_token } = await runner
    .step({
      name: 'Get a token',
      reply: TokenResponse,
      brief: ({ token_type, expires_in }) => `${token_type} token, valid for ${Math.floor(expires_in / 3_600)} hours`,
    })
    .issueToken({ clientId, clientSecret })
  runner.authenticate(access_token)
}

async function readVersions(runner: StepRunner): Promise<void> {
  await runner
    .step({
      name: 'List the quoting tool versions',
      reply: VersionsResponse,
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
    .listQuotingToolVersions()
}

/** Whether a package type is metered. A type that this version does not know counts as metered, because most are. */
function isMetered(type: string): boolean {
  return !Object.hasOwn(services, type) || services[type as Service].metered !== null
}

/** Finds a property at the postcode, if possible one that has every kind of meter. */
async function lookUpAddress(runner: StepRunner, postcode: string): Promise<{ addressUid: string }> {
  const choose = <Home extends Pick<Address, 'mpan' | 'mprn'>>(addresses: readonly Home[]) =>
    addresses.find((address) => meterFields.every((field) => address[field] !== null)) ?? addresses[0]
  const addresses = await runner
    .step({
      name: 'Look up the address',
      reply: AddressesResponse,
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
    .lookupAddresses({ postcode })
  const chosen = choose(addresses)
  if (chosen === undefined) throw new Error('no property was chosen')
  return chosen
}

function createQuote(runner: StepRunner, addressUid: string): Promise<CreatedQuote> {
  return runner
    .step({
      name: 'Create a quote',
      reply: CreatedQuoteResponse,
      brief: ({ quoteId, contractStartDate, contractEndDate, expiresAt }) =>
        `${quoteId}, contract ${contractStartDate} to ${contractEndDate}, valid until ${expiresAt}`,
    })
    .createQuote({ addressUid, reference: 'housebill journey' })
}

async function addPackages(
  runner: StepRunner,
  quoteId: string,
  packages: readonly { packageId: string; name: string }[],
): Promise<void> {
  const packageIds = packages.map(({ packageId }) => packageId)
  await runner
    .step({
      name: 'Add packages',
      reply: SelectedPackagesResponse,
      check: ({ selectedPackages }) =>
        packageIds
          .filter((id) => !selectedPackages.some(({ packageId }) => packageId === id))
          .map((id) => `selectedPackages does not contain ${id}`),
      brief: ({ selectedPackages }) => selectedPackages.map(({ name }) => name).join(', '),
    })
    .addPackages(quoteId, { packageIds })
}

async function addTenants(
  runner: StepRunner,
  quoteId: string,
  household: readonly NewTenant[],
): Promise<readonly Tenant[]> {
  const { tenants } = await runner
    .step({
      name: 'Add tenants',
      reply: TenantsResponse,
      check: (response) => [
        ...(response.tenants.length === household.length ? [] : [`${response.tenants.length} tenants were added`]),
        ...(response.tenants.filter(({ isLead }) => isLead).length === 1
          ? []
          : ['there must be exactly one lead tenant']),
      ],
      brief: (response) => response.tenants.map(({ name, isLead }) => `${name}${isLead ? ' (lead)' : ''}`).join(', '),
    })
    .addTenants(quoteId, { tenants: household })
  return tenants
}

function readTotalCost(runner: StepRunner, quoteId: string, tenants: number, name: string): Promise<QuoteCost> {
  return runner
    .step({
      name,
      reply: QuoteCostResponse,
      check: (cost) => findQuoteCostMismatches(cost, tenants),
      brief: ({ lines }) =>
        lines.map(({ name: line, monthlyCost }) => `${line} ${pounds(monthlyCost)} a month`).join(', '),
      money: ({ monthlyCost, totalCost, setupCost }) =>
        `${pounds(monthlyCost)} a month, ${pounds(totalCost)} for the contract${setupCost > 0 ? `, ${pounds(setupCost)} of it set-up` : ''}`,
    })
    .getQuoteTotalCost(quoteId)
}

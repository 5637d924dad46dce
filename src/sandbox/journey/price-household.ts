import type {
  Address,
  BroadbandAvailability,
  CreatedQuote,
  NewTenant,
  QuoteCost,
  Tenant,
} from '../../../clients/typescript/src/api-types.ts'
import { type Service, services } from '../../quoting/packages/services.ts'
import { pounds, type StepRunner } from './step-runner.ts'

/**
 * Checks which broadband the property can have, adds the first line offered and reads the installation dates. If no
 * line is offered, the journey continues without broadband.
 */
async function addBroadband(runner: StepRunner, quoteId: string, addressUid: string): Promise<void> {
  const { uid } = await runner.step(
    'Create a broadband availability request',
    (api) => api.requestBroadbandAvailability({ addressUid }),
    { brief: ({ uid: made, status }) => `${made}, ${status}` },
  )
  const { products } = await runner.step('Check broadband', (api) => api.runBroadbandAvailabilityCheck(uid), {
    stop: ({ homeTelecomError, homeTelecomErrors }) =>
      homeTelecomError
        ? {
            reason: `The home telecom provider failed: ${homeTelecomErrors.join(' ')}`,
            remedy: 'Check HOME_TELECOM_URL and the provider, or leave broadband out with --no-broadband',
          }
        : undefined,
    brief: describeAvailability,
  })
  const line = products.find(({ kind }) => kind === 'line')
  if (line === undefined) return
  const broadbandProducts = [line.productId]
  await runner.step('Add a broadband product', (api) => api.addBroadbandProducts(quoteId, { broadbandProducts }), {
    brief: () => `${line.name}, ${pounds(line.price)} a month, ${pounds(line.setupPrice)} set-up`,
  })
  await runner.step('Get the installation dates', (api) => api.getBroadbandInstallDates(quoteId), {
    brief: ({ availableDates, earliestDate }) => `${availableDates.length} days, the earliest ${earliestDate}`,
  })
}

function describeAvailability(response: BroadbandAvailability): string {
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
  if (energy.length > 0) {
    const packageIds = energy.map(({ packageId }) => packageId)
    await runner.step('Add packages', (api) => api.addPackages(quoteId, { packageIds }), {
      brief: ({ selectedPackages }) => selectedPackages.map(({ name }) => name).join(', '),
    })
  }
  const { tenants } = await runner.step(
    'Add tenants',
    (api) => api.addTenants(quoteId, { tenants: options.household }),
    { brief: (added) => added.tenants.map(({ name, isLead }) => `${name}${isLead ? ' (lead)' : ''}`).join(', ') },
  )
  if (options.broadband) {
    if (energy.length > 0) await readTotalCost(runner, quoteId, 'Total cost before broadband')
    await addBroadband(runner, quoteId, addressUid)
  }
  return { quoteId, tenants, cost: await readTotalCost(runner, quoteId, 'Total cost') }
}

async function getToken(runner: StepRunner, { clientId, clientSecret }: HouseholdOptions): Promise<void> {
  const { access_token } = await runner.step('Get a token', (api) => api.issueToken({ clientId, clientSecret }), {
    brief: ({ token_type, expires_in }) => `${token_type} token, valid for ${Math.floor(expires_in / 3_600)} hours`,
  })
  runner.authenticate(access_token)
}

async function readVersions(runner: StepRunner): Promise<void> {
  await runner.step('List the quoting tool versions', (api) => api.listQuotingToolVersions(), {
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
async function lookUpAddress(runner: StepRunner, postcode: string): Promise<Address> {
  const choose = (addresses: readonly Address[]) =>
    addresses.find((address) => meterFields.every((field) => address[field] !== null)) ?? addresses[0]
  const addresses = await runner.step('Look up the address', (api) => api.lookupAddresses({ postcode }), {
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

function createQuote(runner: StepRunner, addressUid: string): Promise<CreatedQuote> {
  return runner.step('Create a quote', (api) => api.createQuote({ addressUid, reference: 'housebill journey' }), {
    brief: ({ quoteId, contractStartDate, contractEndDate, expiresAt }) =>
      `${quoteId}, contract ${contractStartDate} to ${contractEndDate}, valid until ${expiresAt}`,
  })
}

function readTotalCost(runner: StepRunner, quoteId: string, name: string): Promise<QuoteCost> {
  return runner.step(name, (api) => api.getQuoteTotalCost(quoteId), {
    brief: ({ lines }) => lines.map((line) => `${line.name} ${pounds(line.monthlyCost)} a month`).join(', '),
    money: ({ monthlyCost, totalCost, setupCost }) =>
      `${pounds(monthlyCost)} a month, ${pounds(totalCost)} for the contract${setupCost > 0 ? `, ${pounds(setupCost)} of it set-up` : ''}`,
  })
}

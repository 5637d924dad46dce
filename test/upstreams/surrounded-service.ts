import assert from 'node:assert/strict'
import type { UpstreamLimits } from '../../src/adapters/outbound-http/limits.ts'
import { registerPartner } from '../../src/domain/auth/create-partner.ts'
import { systemClock } from '../../src/kernel/clock.ts'
import { type Script, type SecureScriptedServer, startSecureServer } from '../adapters/scripted-server.ts'
import { well as wellHalves } from '../broadband/breakable-upstreams.ts'
import { partnerWithToken } from '../support/client.ts'
import { finalise, startHousehold } from '../support/household.ts'
import { withDatabase } from '../support/partners.ts'
import { succeeded } from '../support/responses.ts'
import { startTestService } from '../support/service.ts'
import { outageLimits, type UpstreamUnderTest, type watchBreakers } from './outage.ts'
import {
  type Asker,
  addressSupplier,
  broadbandHalf,
  keySet,
  paymentProcessor,
  type SeenUpstream,
  tokenEndpoint,
} from './questions.ts'
import { wellIdentityProvider } from './well-identity-provider.ts'
import { wellProcessor } from './well-processor.ts'
import { wellSuppliers } from './well-suppliers.ts'

/** A service with everything outside it played by servers that speak TLS under names of their own, and partners of it. */
export interface SurroundedService {
  upstreams: readonly UpstreamUnderTest[]
  askers: readonly Asker[]
  neighbour: Asker
  stop(): Promise<void>
}

const audience = 'https://bills.example/partner-api'
const clientIds = ['acme', 'second', 'neighbour'] as const
/** What the server in an upstream's place is called. */
const names = ['telecom', 'database', 'addresses', 'tokens', 'keys', 'processor'] as const
type Name = (typeof names)[number]

export async function startSurroundedService(
  source: 'os-places' | 'ideal-postcodes',
  log: ReturnType<typeof watchBreakers>['log'],
  upstreamLimits: Partial<UpstreamLimits> = outageLimits,
): Promise<SurroundedService> {
  const issuer = (): string => servers.tokens.baseUrl
  const identity = await wellIdentityProvider({ issuer, audience })
  const well: Record<Name, Script> = {
    telecom: wellHalves.homeTelecom,
    database: wellHalves.broadbandDatabase,
    addresses: wellSuppliers[source](homesAt),
    tokens: identity.tokens,
    keys: identity.keySet,
    processor: wellProcessor(),
  }
  const started = await Promise.all(
    names.map(async (name) => [name, await startSecureServer(name, well[name])] as const),
  )
  const servers = Object.fromEntries(started) as Record<Name, SecureScriptedServer>
  const service = await startTestService(
    {
      HOME_TELECOM_URL: servers.telecom.baseUrl,
      BROADBAND_DATABASE_URL: servers.database.baseUrl,
      ADDRESS_SOURCE: source,
      ADDRESS_SOURCE_KEY: 'k_supplier',
      ADDRESS_SOURCE_BASE: servers.addresses.baseUrl,
      AUTH_AUDIENCE: audience,
      IDP_ISSUER: issuer(),
      IDP_TOKEN_URL: `${servers.tokens.baseUrl}/token`,
      IDP_JWKS_URL: `${servers.keys.baseUrl}/jwks`,
      PAYMENT_PROCESSOR: 'stripe',
      STRIPE_SECRET_KEY: 'sk_test_surrounded',
      STRIPE_WEBHOOK_SECRET: 'whsec_surrounded',
      STRIPE_API_BASE: servers.processor.baseUrl,
      SANDBOX_CLIENT_ID: clientIds[0],
      SANDBOX_CLIENT_SECRET: '',
    },
    { upstreamLimits, log },
  )
  await withDatabase(service, async (db) => {
    for (const clientId of clientIds.slice(1))
      assert.ok(await registerPartner({ db, clock: systemClock }, { name: clientId, clientId }))
  })
  const partners = await Promise.all(
    clientIds.map(async (clientId): Promise<Asker> => {
      const partner = partnerWithToken(service.baseUrl, await identity.token(clientId))
      return { clientId, partner }
    }),
  )
  const [neighbour = assert.fail('no partner'), ...askers] = partners.toReversed()

  const newPostcode = supplyOf(postcodesIn('NR4'))
  const newHome = supplyOf(await homesFor(neighbour))
  const customers = new Map<Asker, string[]>(partners.map((each) => [each, []]))
  const newCustomer = async (asker: Asker): Promise<string> => {
    const left = customers.get(asker) ?? []
    if (left.length === 0) left.push(...(await customersOf(asker)))
    return left.pop() ?? assert.fail('no customer')
  }
  const withIntent = await newCustomer(neighbour)
  succeeded(await neighbour.partner.post(`/Customers/${withIntent}/create-setup-intent`))

  const seen: Record<Name, SeenUpstream> = {
    telecom: broadbandHalf(service, 'homeTelecom', newHome),
    database: broadbandHalf(service, 'broadbandDatabase', newHome),
    addresses: addressSupplier(service, source, newPostcode),
    tokens: tokenEndpoint(service),
    keys: keySet(service, identity.token),
    processor: paymentProcessor(service, newCustomer, withIntent),
  }
  return {
    upstreams: names.map((name) => ({ seen: seen[name], server: servers[name], well: well[name] })),
    askers,
    neighbour,
    async stop() {
      await service.stop()
      await Promise.all(names.map((name) => servers[name].close()))
    },
  }
}

/** Postcodes of the district NR1 hold the homes for broadband checks, those of NR4 two homes each. */
function homesAt(postcode: string): number {
  return postcode.startsWith('NR1 ') ? 100 : 2
}

function* postcodesIn(district: string): Generator<string, undefined> {
  const letters = [...'ABDEFGHJLNPQRSTUWXYZ']
  for (let sector = 1; sector < 10; sector += 1)
    for (const one of letters) for (const other of letters) yield `${district} ${sector}${one}${other}`
}

function supplyOf(values: Iterable<string, unknown>): () => string {
  const left = values[Symbol.iterator]()
  return () => {
    const { value, done } = left.next()
    return done !== true && typeof value === 'string' ? value : assert.fail('used up')
  }
}

/** More homes than a run needs. */
async function homesFor({ partner }: Asker): Promise<string[]> {
  const found: string[] = []
  for (const unit of ['AA', 'AB', 'AD', 'AE']) {
    const homes = succeeded(await partner.get(`/Addresses/lookup?postcode=NR1%201${unit}`))
    found.push(...homes.map(({ addressUid }) => addressUid))
  }
  return found
}

/** The tenants of a household whose details are final: as far as one gets without the payment processor. */
async function customersOf({ clientId, partner }: Asker): Promise<readonly string[]> {
  // A postcode of their own for each, so that no check finds another's answers.
  const postcode = `NR2 ${clientIds.findIndex((each) => each.startsWith(clientId))}AA`
  const wish = { postcode, tenants: 12, packages: ['broadband'], products: ['fibre-150'] }
  const { tenants } = await startHousehold(partner, wish)
  for (const answer of await Promise.all(tenants.map((tenant) => finalise(partner, tenant)))) succeeded(answer)
  return tenants
}

import assert from 'node:assert/strict'
import { createPartnerForClientId } from '../../src/partners/managing/create-partner.ts'
import type { AddressSupplierName } from '../../src/platform/config/address-source.ts'
import { systemClock } from '../../src/platform/kernel/clock.ts'
import type { UpstreamLimits } from '../../src/platform/outbound/guard.ts'
import { healthyResponses } from '../broadband/breakable-upstreams.ts'
import { type Script, type SecureScriptedServer, startSecureServer } from '../platform/outbound/scripted-server.ts'
import { partnerWithToken } from '../support/client.ts'
import { withDatabase } from '../support/partners.ts'
import { succeeded } from '../support/responses.ts'
import { startTestService } from '../support/service.ts'
import { createHealthyIdentityProvider } from './healthy-identity-provider.ts'
import { healthyProcessor } from './healthy-processor.ts'
import { healthySuppliers } from './healthy-suppliers.ts'
import {
  addressSupplierProbe,
  broadbandProbe,
  keySetProbe,
  type TestPartner,
  tokenEndpointProbe,
  type UpstreamProbe,
} from './upstream-probes.ts'

/** One upstream: how tests use it through the API, the server that stands in for it, and its healthy responses. */
interface UpstreamUnderTest {
  name: string
  /** Absent for the payment processor, whose client's limits run in real time. */
  probe: UpstreamProbe | undefined
  server: SecureScriptedServer
  healthy: Script
}

/** A service and some of its partners. All its upstreams are test servers with TLS, each with its own host name. */
export interface ServiceWithUpstreams {
  upstreams: readonly UpstreamUnderTest[]
  callers: readonly TestPartner[]
  neighbour: TestPartner
  stop(): Promise<void>
}

const audience = 'https://bills.example/partner-api'
const clientIds = ['acme', 'second', 'neighbour'] as const
/** The names of the servers, one for each upstream. */
const names = ['telecom', 'database', 'addresses', 'tokens', 'keys', 'processor'] as const
type Name = (typeof names)[number]

export async function startServiceWithUpstreams(
  source: AddressSupplierName,
  upstreamLimits: Partial<UpstreamLimits>,
): Promise<ServiceWithUpstreams> {
  const issuer = (): string => servers.tokens.baseUrl
  const identity = await createHealthyIdentityProvider({ issuer, audience })
  const healthy: Record<Name, Script> = {
    telecom: healthyResponses.homeTelecom,
    database: healthyResponses.broadbandDatabase,
    addresses: healthySuppliers[source](propertiesAt),
    tokens: identity.tokens,
    keys: identity.keySet,
    processor: healthyProcessor(),
  }
  const started = await Promise.all(
    names.map(async (name) => [name, await startSecureServer(name, healthy[name])] as const),
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
    { upstreamLimits },
  )
  await withDatabase(service, async (db) => {
    for (const clientId of clientIds.slice(1))
      assert.ok(await createPartnerForClientId({ db, clock: systemClock }, { name: clientId, clientId }))
  })
  const partners = await Promise.all(
    clientIds.map(async (clientId): Promise<TestPartner> => {
      const partner = partnerWithToken(service.baseUrl, await identity.token(clientId))
      return { clientId, partner }
    }),
  )
  const [neighbour = assert.fail('no partner'), ...callers] = partners.toReversed()

  const newPostcode = supplyOf(postcodesIn('NR4'))
  const newProperty = supplyOf(await propertiesFor(neighbour))
  const probe: Record<Name, UpstreamProbe | undefined> = {
    telecom: broadbandProbe('home-telecom', newProperty),
    database: broadbandProbe('broadband-database', newProperty),
    addresses: addressSupplierProbe(source, newPostcode),
    tokens: tokenEndpointProbe(service),
    keys: keySetProbe(service, identity.token),
    processor: undefined,
  }
  return {
    upstreams: names.map((name) => ({ name, probe: probe[name], server: servers[name], healthy: healthy[name] })),
    callers,
    neighbour,
    async stop() {
      await service.stop()
      await Promise.all(names.map((name) => servers[name].close()))
    },
  }
}

/** Postcodes in NR1 have many properties, for broadband checks; all others have two each. */
function propertiesAt(postcode: string): number {
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

/** Looks up more properties than one test run needs. */
async function propertiesFor({ partner }: TestPartner): Promise<string[]> {
  const found: string[] = []
  for (const unit of ['AA', 'AB', 'AD', 'AE']) {
    const properties = succeeded(await partner.get(`/Addresses/lookup?postcode=NR1%201${unit}`))
    found.push(...properties.map(({ addressUid }) => addressUid))
  }
  return found
}

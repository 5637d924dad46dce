import assert from 'node:assert/strict'
import type { UpstreamFailureKind } from '../../src/platform/kernel/upstream-failure.ts'
import { type CheckResult, hasDataFrom } from '../broadband/breakable-upstreams.ts'
import { assertTokenError } from '../partners/token-calls.ts'
import { type ApiResponse, call, type Partner, partnerWithToken } from '../support/client.ts'
import { rawRows } from '../support/customer-fixtures.ts'
import type { Reply, Token } from '../support/response-types.ts'
import { rejected, succeeded } from '../support/responses.ts'
import type { ServiceUnderTest } from '../support/service.ts'
import { supplierWords } from './healthy-suppliers.ts'

/** A partner of the service. */
export interface TestPartner {
  clientId: string
  partner: Partner
}

/** A partner's request that needs an upstream. It can be sent more than once. */
export type RepeatableRequest = () => Promise<ApiResponse>

/** Why a request failed; `breaker-open` if the upstream was not called. */
export interface FailureCause {
  kind: UpstreamFailureKind | 'breaker-open'
  /** The value of the upstream's `Retry-After` header; absent if it sent none. */
  retryAfterSeconds?: number
}

/** How tests use one upstream through the API and check what partners see when it works or fails. */
export interface UpstreamProbe {
  /** The name of the upstream in logs and metrics. */
  name: string
  /** True if concurrent requests share one call to the upstream. */
  sharesCalls?: true
  /** Makes a request about something that the upstream has not been asked about before. */
  newRequest(caller: TestPartner): Promise<RepeatableRequest>
  assertFailed(answer: ApiResponse, by: FailureCause): void
  assertComplete(answer: ApiResponse): Promise<void> | void
  /** Reads the stored data that a failure must not change. */
  snapshot(): Promise<unknown>
  /** Asserts that a request that relies on this upstream works while a different upstream fails. */
  assertUnaffected(caller: TestPartner): Promise<void>
}

/**
 * One of the two upstreams of a broadband check. `newProperty` returns the addressUid of a property that has not been
 * checked.
 */
export function broadbandProbe(
  service: ServiceUnderTest,
  half: 'homeTelecom' | 'broadbandDatabase',
  newProperty: () => string,
): UpstreamProbe {
  const name = half === 'homeTelecom' ? 'home-telecom' : 'broadband-database'
  const other = half === 'homeTelecom' ? 'broadbandDatabase' : 'homeTelecom'
  const check = ({ partner }: TestPartner, property: string) =>
    partner.get(`/Quotes/run-broadband-availability-check/${property}`)
  const assertComplete = (answer: ApiResponse<CheckResult>) => {
    const result = succeeded(answer)
    const { homeTelecomError, broadbandDatabaseError, available } = result
    assert.deepEqual([homeTelecomError, broadbandDatabaseError, available], [false, false, true])
    assert.ok(hasDataFrom(half, result) && hasDataFrom(other, result))
  }
  return {
    name,
    async newRequest(caller) {
      const property = newProperty()
      return () => check(caller, property)
    },
    assertFailed(answer: ApiResponse<CheckResult>, { kind }) {
      const result = succeeded(answer)
      assert.deepEqual([result[`${half}Error`], result[`${other}Error`], result.available], [true, false, true])
      assert.deepEqual([result[`${half}Errors`].length, result[`${other}Errors`]], [1, []])
      assert.match(result[`${half}Errors`].join(), told[kind])
      assert.match(result[`${half}Errors`].join(), /Run the check again in a minute/)
      assert.deepEqual([hasDataFrom(half, result), hasDataFrom(other, result)], [false, true])
    },
    assertComplete,
    snapshot: () =>
      rawRows(
        service,
        `select (select count(*) from broadband_responses where upstream = $1) as answers,
                (select count(*) from broadband_checks where $1 = 'home-telecom') as checks`,
        [name],
      ),
    async assertUnaffected(caller) {
      const result = succeeded(await check(caller, newProperty()))
      assert.deepEqual([result[`${half}Error`], hasDataFrom(half, result)], [false, true])
    },
  }
}

const faulty = /returned an error/
const unreachable = /could not be reached/
const told: Record<FailureCause['kind'], RegExp> = {
  unreachable,
  dropped: unreachable,
  timeout: /did not respond in time/,
  status: faulty,
  redirect: faulty,
  'not-json': faulty,
  'wrong-shape': faulty,
  'too-large': faulty,
  'circuit-open': /not being queried/,
  'breaker-open': /has been failing and is not being queried for the moment/,
  overloaded: /too many queries/,
}

/** Asserts a 503 that says when to retry and does not name the upstream. */
function assertUnavailable(answer: ApiResponse, { retryAfterSeconds }: FailureCause): void {
  rejected(answer, 503, 'service_unavailable')
  assertRetryAfter(answer, retryAfterSeconds)
}

function assertRetryAfter({ headers, text }: ApiResponse, expected: number | undefined): void {
  const told = headers.get('retry-after') ?? ''
  if (expected === undefined) assert.match(told, /^[1-9]\d{0,3}$/)
  else assert.equal(told, String(expected))
  for (const hidden of [...supplierWords, 'upstream', 'stripe', 'ECONN', 'ENOTFOUND', 'certificate'])
    assert.ok(!text.toLowerCase().includes(hidden.toLowerCase()), hidden)
}

/** An address supplier. `newPostcode` returns a postcode that was not looked up before. */
export function addressSupplierProbe(
  service: ServiceUnderTest,
  name: string,
  newPostcode: () => string,
): UpstreamProbe {
  const lookup = ({ partner }: TestPartner, postcode: string) =>
    partner.get(`/Addresses/lookup?postcode=${encodeURIComponent(postcode)}`)
  const assertComplete = (answer: ApiResponse<Reply<'GET', '/Addresses/lookup'>>) =>
    assert.equal(succeeded(answer).length, 2)
  return {
    name,
    async newRequest(caller) {
      const postcode = newPostcode()
      return () => lookup(caller, postcode)
    },
    assertFailed: assertUnavailable,
    assertComplete,
    snapshot: () => snapshotOf(service),
    assertUnaffected: async (caller) => assertComplete(await lookup(caller, newPostcode())),
  }
}

/** The identity provider's token endpoint. */
export function tokenEndpointProbe(service: ServiceUnderTest): UpstreamProbe {
  const exchange = ({ clientId }: TestPartner) =>
    call(service.baseUrl, 'POST', '/partner-api/Auth/token', { clientId, clientSecret: `the secret of ${clientId}` })
  const assertComplete = async (answer: ApiResponse<Token>) => {
    const token = succeeded(answer).access_token
    assert.equal((await partnerWithToken(service.baseUrl, token).get('/Quotes')).status, 200)
  }
  return {
    name: 'identity-provider-tokens',
    newRequest: async (caller) => () => exchange(caller),
    assertFailed(answer, { retryAfterSeconds }) {
      assertTokenError(answer, 503, 'temporarily_unavailable')
      assertRetryAfter(answer, retryAfterSeconds)
    },
    assertComplete,
    snapshot: () => snapshotOf(service),
    assertUnaffected: async (caller) => assertComplete(await exchange(caller)),
  }
}

/**
 * The identity provider's key set, which the service fetches to verify a token signed with a key that it does not know.
 */
export function keySetProbe(
  service: ServiceUnderTest,
  token: (clientId: string, keyId?: string) => Promise<string>,
): UpstreamProbe {
  let names = 0
  const list = (text: string) => partnerWithToken(service.baseUrl, text).get('/Quotes')
  const assertComplete = (answer: ApiResponse<Reply<'GET', '/Quotes'>>) =>
    assert.ok(Array.isArray(succeeded(answer).data))
  return {
    name: 'identity-provider-keys',
    sharesCalls: true,
    async newRequest({ clientId }) {
      names += 1
      const text = await token(clientId, `key ${names}`)
      return () => list(text)
    },
    assertFailed: assertUnavailable,
    assertComplete,
    snapshot: () => snapshotOf(service),
    // This token is signed with a known key and has not been verified before.
    assertUnaffected: async ({ clientId }) => assertComplete(await list(await token(clientId))),
  }
}

/**
 * The payment processor. `newCustomer` returns one of the caller's customers, without a setup intent. `withIntent` is a
 * customer of a different partner, with a setup intent.
 */
export function paymentProcessorProbe(
  service: ServiceUnderTest,
  newCustomer: (caller: TestPartner) => Promise<string>,
  withIntent: string,
): UpstreamProbe {
  const create = ({ partner }: TestPartner, customerId: string) =>
    partner.post(`/Customers/${customerId}/create-setup-intent`)
  const assertComplete = (answer: ApiResponse<Reply<'POST', '/Customers/{id}/create-setup-intent'>>) =>
    assert.match(succeeded(answer).clientSecret, /_secret_/)
  return {
    name: 'payment-processor',
    async newRequest(caller) {
      const customerId = await newCustomer(caller)
      return () => create(caller, customerId)
    },
    assertFailed: (answer) => assertUnavailable(answer, { kind: 'breaker-open' }),
    assertComplete,
    snapshot: () => snapshotOf(service),
    assertUnaffected: async (caller) => assertComplete(await create(caller, withIntent)),
  }
}

/**
 * A digest of all rows that belong to partners. It leaves out the time when a customer was first sent to the payment
 * processor: that is stored before the call, so that a crash cannot lead to a second customer there.
 */
function snapshotOf(service: ServiceUnderTest): Promise<unknown> {
  const short = (table: string, columns = `${table}::text`) =>
    `(select md5(string_agg(row(${columns})::text, '|' order by row(${columns})::text)) from ${table}) as ${table}`
  return rawRows(
    service,
    `select ${[
      short('quotes'),
      short('customers', 'customer_id, status, payment_status, processor_customer_id'),
      short('setup_intents', 'setup_intent_id, customer_id, status'),
      short('events', 'event_id, type, data::text'),
      short('address_lookups'),
      short('properties'),
      short('credentials'),
      short('partners'),
    ].join()}`,
  )
}

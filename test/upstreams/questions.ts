import assert from 'node:assert/strict'
import type { UpstreamFailureKind } from '../../src/kernel/upstream-failure.ts'
import { type CheckResult, toldBy } from '../broadband/breakable-upstreams.ts'
import { assertTokenError } from '../operations/auth/token-calls.ts'
import { type ApiResponse, call, type Partner, partnerWithToken } from '../support/client.ts'
import { rawRows } from '../support/customer-fixtures.ts'
import type { Reply, Token } from '../support/response-types.ts'
import { rejected, succeeded } from '../support/responses.ts'
import type { ServiceUnderTest } from '../support/service.ts'

/** One of the service's partners. */
export interface Asker {
  clientId: string
  partner: Partner
}

/** Something of one partner's that an upstream is needed for; may be asked again and again. */
export type Question = () => Promise<ApiResponse>

/** How a failed answer came about; `left-alone` while the breaker is open. */
export interface FailedBy {
  kind: UpstreamFailureKind | 'left-alone'
  /** What the upstream wished, where it did. */
  retryAfterSeconds?: number
}

/** What partners see of one upstream. */
export interface SeenUpstream {
  /** As logs and metrics call it. */
  name: string
  /** True where several questions at once would be one to it. */
  asksOnce?: true
  /** About something the upstream was not asked about before. */
  newQuestion(asker: Asker): Promise<Question>
  assertFailed(answer: ApiResponse, by: FailedBy): void
  assertWhole(answer: ApiResponse): Promise<void> | void
  /** All that a failure may not change, as it is now. */
  kept(): Promise<unknown>
  /** Something that goes on working while other upstreams fail; asks this one where nothing else would be told by it. */
  assertUnaffected(asker: Asker): Promise<void>
}

/** One half of a broadband check; `newHome` gives the addressUid of a home no check has been run for. */
export function broadbandHalf(
  service: ServiceUnderTest,
  half: 'homeTelecom' | 'broadbandDatabase',
  newHome: () => string,
): SeenUpstream {
  const name = half === 'homeTelecom' ? 'home-telecom' : 'broadband-database'
  const other = half === 'homeTelecom' ? 'broadbandDatabase' : 'homeTelecom'
  const check = ({ partner }: Asker, home: string) => partner.get(`/Quotes/run-broadband-availability-check/${home}`)
  const assertWhole = (answer: ApiResponse<CheckResult>) => {
    const result = succeeded(answer)
    const { homeTelecomError, broadbandDatabaseError, available } = result
    assert.deepEqual([homeTelecomError, broadbandDatabaseError, available], [false, false, true])
    assert.ok(toldBy(half, result) && toldBy(other, result))
  }
  return {
    name,
    async newQuestion(asker) {
      const home = newHome()
      return () => check(asker, home)
    },
    assertFailed(answer: ApiResponse<CheckResult>, { kind }) {
      const result = succeeded(answer)
      assert.deepEqual([result[`${half}Error`], result[`${other}Error`], result.available], [true, false, true])
      assert.deepEqual([result[`${half}Errors`].length, result[`${other}Errors`]], [1, []])
      assert.match(result[`${half}Errors`].join(), told[kind])
      assert.match(result[`${half}Errors`].join(), /Run the check again in a minute/)
      assert.deepEqual([toldBy(half, result), toldBy(other, result)], [false, true])
    },
    assertWhole,
    kept: () =>
      rawRows(
        service,
        `select (select count(*) from broadband_answers where upstream = $1) as answers,
                (select count(*) from broadband_checks where $1 = 'home-telecom') as checks`,
        [name],
      ),
    async assertUnaffected(asker) {
      const result = succeeded(await check(asker, newHome()))
      assert.deepEqual([result[`${half}Error`], toldBy(half, result)], [false, true])
    },
  }
}

const faulty = /returned an error/
const unreachable = /could not be reached/
const told: Record<FailedBy['kind'], RegExp> = {
  unreachable,
  dropped: unreachable,
  timeout: /did not respond in time/,
  status: faulty,
  redirect: faulty,
  'not-json': faulty,
  'wrong-shape': faulty,
  'too-large': faulty,
  'circuit-open': /not being queried/,
  'left-alone': /has been failing and is not being queried for the moment/,
  overloaded: /too many queries/,
}

/** A refusal that tells when to come back, and nothing about whom we asked. */
function assertUnavailable(answer: ApiResponse, { retryAfterSeconds }: FailedBy): void {
  rejected(answer, 503, 'service_unavailable')
  assertRetryAfter(answer, retryAfterSeconds)
}

function assertRetryAfter({ headers, text }: ApiResponse, wished: number | undefined): void {
  const told = headers.get('retry-after') ?? ''
  if (wished === undefined) assert.match(told, /^[1-9]\d{0,3}$/)
  else assert.equal(told, String(wished))
  assert.doesNotMatch(text, /upstream|os-places|ideal|stripe|ECONN|ENOTFOUND|certificate/i)
}

/** A supplier of addresses; `newPostcode` gives one that nobody has looked up. */
export function addressSupplier(service: ServiceUnderTest, name: string, newPostcode: () => string): SeenUpstream {
  const lookup = ({ partner }: Asker, postcode: string) =>
    partner.get(`/Addresses/lookup?postcode=${encodeURIComponent(postcode)}`)
  const assertWhole = (answer: ApiResponse<Reply<'GET', '/Addresses/lookup'>>) =>
    assert.equal(succeeded(answer).length, 2)
  return {
    name,
    async newQuestion(asker) {
      const postcode = newPostcode()
      return () => lookup(asker, postcode)
    },
    assertFailed: assertUnavailable,
    assertWhole,
    kept: () => everythingKept(service),
    assertUnaffected: async (asker) => assertWhole(await lookup(asker, newPostcode())),
  }
}

/** The identity provider's token endpoint. */
export function tokenEndpoint(service: ServiceUnderTest): SeenUpstream {
  const exchange = ({ clientId }: Asker) =>
    call(service.baseUrl, 'POST', '/partner-api/Auth/token', { clientId, clientSecret: `the secret of ${clientId}` })
  const assertWhole = async (answer: ApiResponse<Token>) => {
    const token = succeeded(answer).access_token
    assert.equal((await partnerWithToken(service.baseUrl, token).get('/Quotes')).status, 200)
  }
  return {
    name: 'identity-provider-tokens',
    newQuestion: async (asker) => () => exchange(asker),
    assertFailed(answer, { retryAfterSeconds }) {
      assertTokenError(answer, 503, 'temporarily_unavailable')
      assertRetryAfter(answer, retryAfterSeconds)
    },
    assertWhole,
    kept: () => everythingKept(service),
    assertUnaffected: async (asker) => assertWhole(await exchange(asker)),
  }
}

/** The identity provider's key set, needed for tokens under a key nobody has heard of. */
export function keySet(
  service: ServiceUnderTest,
  token: (clientId: string, keyId?: string) => Promise<string>,
): SeenUpstream {
  let names = 0
  const list = (text: string) => partnerWithToken(service.baseUrl, text).get('/Quotes')
  const assertWhole = (answer: ApiResponse<Reply<'GET', '/Quotes'>>) => assert.ok(Array.isArray(succeeded(answer).data))
  return {
    name: 'identity-provider-keys',
    asksOnce: true,
    async newQuestion({ clientId }) {
      names += 1
      const text = await token(clientId, `key ${names}`)
      return () => list(text)
    },
    assertFailed: assertUnavailable,
    assertWhole,
    kept: () => everythingKept(service),
    // Under a key that is known, and seen for the first time.
    assertUnaffected: async ({ clientId }) => assertWhole(await list(await token(clientId))),
  }
}

/** The payment processor; `newCustomer` gives one of the asker's without a setup intent; `withIntent` is a neighbour's that has one. */
export function paymentProcessor(
  service: ServiceUnderTest,
  newCustomer: (asker: Asker) => Promise<string>,
  withIntent: string,
): SeenUpstream {
  const create = ({ partner }: Asker, customerId: string) =>
    partner.post(`/Customers/${customerId}/create-setup-intent`)
  const assertWhole = (answer: ApiResponse<Reply<'POST', '/Customers/{id}/create-setup-intent'>>) =>
    assert.match(succeeded(answer).clientSecret, /_secret_/)
  return {
    name: 'payment-processor',
    async newQuestion(asker) {
      const customerId = await newCustomer(asker)
      return () => create(asker, customerId)
    },
    assertFailed: (answer) => assertUnavailable(answer, { kind: 'left-alone' }),
    assertWhole,
    kept: () => everythingKept(service),
    assertUnaffected: async (asker) => assertWhole(await create(asker, withIntent)),
  }
}

/**
 * All that belongs to partners, in short. When the payment processor was first asked about a customer is left out: it is
 * remembered before it is asked, so that no crash makes a second one.
 */
function everythingKept(service: ServiceUnderTest): Promise<unknown> {
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

import assert from 'node:assert/strict'
import type { CheckResult } from '../broadband/breakable-upstreams.ts'
import { assertTokenError } from '../partners/token-calls.ts'
import { type ApiResponse, call, type Partner, partnerWithToken } from '../support/client.ts'
import { rejected, succeeded } from '../support/responses.ts'
import type { ServiceUnderTest } from '../support/service.ts'
import { supplierWords } from './healthy-suppliers.ts'

/** A partner of the service. */
export interface TestPartner {
  clientId: string
  partner: Partner
}

/** How tests use one upstream through the API, and what partners see while it does not respond. */
export interface UpstreamProbe {
  /** The name of the upstream in logs and metrics. */
  name: string
  /** Makes a request about something that the upstream has not been asked about before. */
  newRequest(caller: TestPartner): Promise<() => Promise<ApiResponse>>
  assertFailed(answer: ApiResponse): void
}

/** The upstreams of a broadband check, which both fail. `newProperty` returns a property that has not been checked. */
export function broadbandProbe(name: string, newProperty: () => string): UpstreamProbe {
  return {
    name,
    async newRequest({ partner }) {
      const property = newProperty()
      return () => partner.get(`/Quotes/run-broadband-availability-check/${property}`)
    },
    assertFailed(answer) {
      const { homeTelecomError, broadbandDatabaseError, available } = succeeded(answer as ApiResponse<CheckResult>)
      assert.deepEqual([homeTelecomError, broadbandDatabaseError, available], [true, true, false])
    },
  }
}

/** Asserts a 503 that says when to retry and does not name the upstream. */
function assertUnavailable(answer: ApiResponse): void {
  rejected(answer, 503, 'service_unavailable')
  assertRetryAfter(answer)
}

function assertRetryAfter({ headers, text }: ApiResponse): void {
  assert.match(headers.get('retry-after') ?? '', /^[1-9]\d{0,3}$/)
  for (const hidden of [...supplierWords, 'upstream', 'stripe', 'ECONN', 'ENOTFOUND', 'certificate'])
    assert.ok(!text.toLowerCase().includes(hidden.toLowerCase()), hidden)
}

/** An address supplier. `newPostcode` returns a postcode that was not looked up before. */
export function addressSupplierProbe(name: string, newPostcode: () => string): UpstreamProbe {
  return {
    name,
    async newRequest({ partner }) {
      const postcode = newPostcode()
      return () => partner.get(`/Addresses/lookup?postcode=${encodeURIComponent(postcode)}`)
    },
    assertFailed: assertUnavailable,
  }
}

/** The identity provider's token endpoint. */
export function tokenEndpointProbe({ baseUrl }: ServiceUnderTest): UpstreamProbe {
  return {
    name: 'identity-provider-tokens',
    newRequest: async ({ clientId }) => {
      const credentials = { clientId, clientSecret: `the secret of ${clientId}` }
      return () => call(baseUrl, 'POST', '/partner-api/Auth/token', credentials)
    },
    assertFailed(answer) {
      assertTokenError(answer, 503, 'temporarily_unavailable')
      assertRetryAfter(answer)
    },
  }
}

/**
 * The identity provider's key set, which the service fetches to verify a token signed with a key that it does not know.
 */
export function keySetProbe(
  { baseUrl }: ServiceUnderTest,
  token: (clientId: string, keyId?: string) => Promise<string>,
): UpstreamProbe {
  return {
    name: 'identity-provider-keys',
    async newRequest({ clientId }) {
      const text = await token(clientId, 'an unknown key')
      return () => partnerWithToken(baseUrl, text).get('/Quotes')
    },
    assertFailed: assertUnavailable,
  }
}

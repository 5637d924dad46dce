import { UpstreamFailure } from '../../kernel/upstream-failure.ts'

/** What the API's error codes mean to the operator. https://docs.ideal-postcodes.co.uk/docs/api/error-codes */
const reasons: Readonly<Record<number, string>> = {
  4010: 'rejected ADDRESS_SOURCE_KEY: the key is unknown',
  4011: "rejected ADDRESS_SOURCE_KEY from this machine: check the key's allowed URLs and addresses",
  4012: 'does not know the licensee',
  4013: 'does not know the user token',
  4020: 'has no lookups left on ADDRESS_SOURCE_KEY: top it up',
  4021: 'has reached the limit set for ADDRESS_SOURCE_KEY',
  4042: 'rejected ADDRESS_SOURCE_KEY: the key is unknown',
}

/** Turns an API error into an upstream failure for the operator's log. Leaves out the API's own message. */
export function lookupFailure(upstream: string, statusCode: number, code: number): UpstreamFailure {
  const what = reasons[code] ?? 'rejected the lookup'
  return new UpstreamFailure(upstream, 'status', `${what} (status ${statusCode}, code ${code})`, { statusCode })
}

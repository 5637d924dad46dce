import { UpstreamFailure } from '../../kernel/upstream-failure.ts'

/** What the API's codes tell an operator. https://docs.ideal-postcodes.co.uk/docs/api/error-codes */
const reasons: Readonly<Record<number, string>> = {
  4010: 'does not know ADDRESS_SOURCE_KEY',
  4011: 'does not take ADDRESS_SOURCE_KEY from here: see the allowed URLs and addresses of the key',
  4012: 'does not know the licensee',
  4013: 'does not know the user token',
  4020: 'has no lookups left on ADDRESS_SOURCE_KEY: top it up',
  4021: 'has reached the limit set for ADDRESS_SOURCE_KEY',
  4042: 'does not know ADDRESS_SOURCE_KEY',
}

/** A refusal as a failure of the supplier, for the operator's log. The API's own message is left out. */
export function refusal(upstream: string, statusCode: number, code: number): UpstreamFailure {
  const what = reasons[code] ?? 'refused the lookup'
  return new UpstreamFailure(upstream, 'status', `${what} (status ${statusCode}, code ${code})`, { statusCode })
}

import { errors } from 'undici'
import { UpstreamFailure } from '../../kernel/upstream-failure.ts'

interface Attempt {
  upstream: string
  /** Method and path, without the query. */
  call: string
  /** True once the response's headers have arrived. */
  responding: boolean
}

/** Turns an error of the HTTP client, such as a timeout, into a failure that says what happened. Leaves an `UpstreamFailure` as it is. */
export function transportFailure(error: unknown, { upstream, call, responding }: Attempt): UpstreamFailure {
  if (error instanceof UpstreamFailure) return error
  const fail = (kind: UpstreamFailure['kind'], what: string) =>
    new UpstreamFailure(upstream, kind, `${call} ${what}`, { cause: error })

  if (error instanceof errors.ConnectTimeoutError) return fail('timeout', 'connection timed out')
  if (error instanceof errors.HeadersTimeoutError) return fail('timeout', 'timed out')
  if (error instanceof errors.BodyTimeoutError) return fail('timeout', 'stopped in the middle of the response')
  if (error instanceof errors.ResponseExceededMaxSizeError)
    return fail('too-large', 'returned a body that is too large')
  if (error instanceof errors.HeadersOverflowError) return fail('too-large', 'returned headers that are too large')
  const code = error instanceof Error ? (systemCode(error) ?? error.name) : String(error)
  if (responding) return fail('dropped', `lost the connection in the middle of the response (${code})`)
  return fail('unreachable', `got no response (${code})`)
}

/** The system code, such as `ECONNREFUSED`. If several addresses were tried, only the errors inside the AggregateError have it. */
function systemCode(error: Error): string | undefined {
  const own = (error as NodeJS.ErrnoException).code
  if (own !== undefined) return own
  if (!(error instanceof AggregateError)) return undefined
  const first: unknown = error.errors[0]
  return first instanceof Error ? (first as NodeJS.ErrnoException).code : undefined
}

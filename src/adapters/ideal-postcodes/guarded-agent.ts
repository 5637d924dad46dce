import type { Client } from '@ideal-postcodes/core-node'
import type { Upstream } from '../outbound-http/upstream.ts'
import { postcodeAnswers } from './wire.ts'

/**
 * Carries the official library's requests over our guarded way out: its own transport has one time limit for everything,
 * no size limit and no breaker, and follows redirects with the key in the header. The library's `timeout` is not used,
 * as the upstream's limits hold. Throws `UpstreamFailure`; answers only what has the API's shape.
 */
export function guardedAgent(upstream: Upstream, signal: AbortSignal | undefined): Client['agent'] {
  return {
    async http(request) {
      const { pathname } = new URL(request.url)
      const headers = Object.fromEntries(
        Object.entries(request.header).map(([name, value]) => [name.toLowerCase(), value]),
      )
      // The library names the type of a body it does not send.
      delete headers['content-type']
      const { status, body } = await upstream.call({
        path: pathname,
        pathForLogs: '/v1/postcodes/{postcode}',
        ...(Object.keys(request.query).length === 0 ? {} : { query: new URLSearchParams(request.query) }),
        headers,
        answers: postcodeAnswers,
        subject: pathname,
        signal,
      })
      return { httpStatus: status, header: {}, body, httpRequest: request }
    },
  }
}

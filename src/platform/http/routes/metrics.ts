import type { FastifyInstance, FastifyRequest } from 'fastify'
import { createAddressFilter } from '../../kernel/address-filter.ts'

/** Renders the service's metrics as text. */
export interface MetricsPage {
  contentType: string
  render(): Promise<string>
}

/** Matches the headers that proxies add to the requests they pass on. */
const forwardingHeader = /^(forwarded|via|x-real-ip|x-forwarded-.+)$/

/**
 * Serves `/metrics`, without a token, to loopback clients and to addresses that the operator has allowed. All other
 * clients get a 404. Requests that came through a proxy also get a 404, because the proxy's own address may be local.
 * The log gives the reason.
 */
export function registerMetrics(app: FastifyInstance, page: MetricsPage, peers: readonly string[]): void {
  const isAllowed = createAddressFilter(peers)

  function rejection({ headers, socket }: FastifyRequest): string | undefined {
    if (Object.keys(headers).some((name) => forwardingHeader.test(name))) return 'the request came through a proxy'
    return isAllowed(socket.remoteAddress) ? undefined : 'the client is not in METRICS_ALLOW'
  }

  app.get('/metrics', async (request, reply) => {
    const reason = rejection(request)
    if (reason !== undefined) {
      request.log.info({ reason }, 'metrics request rejected')
      return reply.callNotFound()
    }
    return reply
      .header('Content-Type', page.contentType)
      .header('Cache-Control', 'no-store')
      .send(await page.render())
  })
}

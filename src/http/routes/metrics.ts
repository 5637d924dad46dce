import type { FastifyInstance, FastifyRequest } from 'fastify'
import { allowedPeers } from '../plugins/allowed-peers.ts'

/** What the service has measured, as text. */
export interface MetricsPage {
  contentType: string
  render(): Promise<string>
}

/** A proxy adds one of these to whatever it passes on. */
const forwardingHeader = /^(forwarded|via|x-real-ip|x-forwarded-.+)$/

/**
 * `/metrics`, for whoever scrapes it beside the service or from an address the operator has named, without a token. To all
 * others it is a path that does not exist, and so it is to whatever comes through a proxy: through one the peer is always
 * near. The log says why.
 */
export function registerMetrics(app: FastifyInstance, page: MetricsPage, peers: readonly string[]): void {
  const isAllowed = allowedPeers(peers)

  function refusal({ headers, socket }: FastifyRequest): string | undefined {
    if (Object.keys(headers).some((name) => forwardingHeader.test(name))) return 'the request came through a proxy'
    return isAllowed(socket.remoteAddress) ? undefined : 'the client is not in METRICS_ALLOW'
  }

  app.get('/metrics', async (request, reply) => {
    const reason = refusal(request)
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

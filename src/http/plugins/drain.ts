import type { FastifyInstance } from 'fastify'

/**
 * Counts current requests. The returned function closes the server: accepts nothing new, finishes current requests, then ends all
 * connections. Browsers open connections in advance and leave them idle; these would otherwise delay the stop.
 */
export function installDrain(app: FastifyInstance): () => Promise<void> {
  let underWay = 0
  let onDrained: (() => void) | undefined
  app.addHook('onRequest', async (_request, reply) => {
    underWay += 1
    reply.raw.once('close', () => {
      underWay -= 1
      if (underWay === 0) onDrained?.()
    })
  })
  return async () => {
    const closed = app.close()
    onDrained = () => app.server.closeAllConnections()
    if (underWay === 0) onDrained()
    await closed
  }
}

import type { FastifyInstance } from 'fastify'

/**
 * Counts requests under way. The function it returns closes the server: nothing new is accepted, what is under way is answered,
 * and then every connection still open is ended. A browser opens connections ahead of need and leaves them silent; without
 * this they would hold up the stop.
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

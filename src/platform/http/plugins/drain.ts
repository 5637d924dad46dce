import type { FastifyInstance } from 'fastify'

/**
 * Returns how to close the server without aborting requests: it accepts no new connections, waits for current requests
 * to finish, then ends all connections. Otherwise, idle connections that browsers open in advance would delay the stop.
 */
export function installDrain(app: FastifyInstance): () => Promise<void> {
  let underWay = 0
  let onDrained: (() => void) | undefined
  app.addHook('onRequest', (_request, reply, done) => {
    underWay += 1
    reply.raw.once('close', () => {
      underWay -= 1
      if (underWay === 0) onDrained?.()
    })
    done()
  })
  return async () => {
    const closed = app.close()
    onDrained = () => app.server.closeAllConnections()
    if (underWay === 0) onDrained()
    await closed
  }
}

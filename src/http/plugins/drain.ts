import { Server as NetServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'

/** Two ways of closing a server without aborting requests. */
export interface Drain {
  /**
   * Accepts no new connections, waits for current requests to finish, then ends all connections. Otherwise, idle connections that
   * browsers open in advance would delay the stop.
   */
  close(): Promise<void>
  /**
   * Accepts no new connections, and waits until clients have closed theirs: each response asks for that. So no request meets a connection
   * that is being closed. Waits as long as a connection may be idle; call `close` afterwards.
   */
  retire(): Promise<void>
}

export function installDrain(app: FastifyInstance, idleMs: number): Drain {
  let underWay = 0
  let isRetiring = false
  let onDrained: (() => void) | undefined
  app.server.prependListener('request', (_request, response) => {
    if (isRetiring) response.shouldKeepAlive = false
  })
  app.addHook('onRequest', async (_request, reply) => {
    underWay += 1
    reply.raw.once('close', () => {
      underWay -= 1
      if (underWay === 0) onDrained?.()
    })
  })
  return {
    async close() {
      const closed = app.close()
      onDrained = () => app.server.closeAllConnections()
      if (underWay === 0) onDrained()
      await closed
    },
    async retire() {
      isRetiring = true
      const { promise: closed, resolve } = Promise.withResolvers<void>()
      // The HTTP server's own method would also end idle connections, on which a request may be arriving.
      NetServer.prototype.close.call(app.server, () => resolve())
      await Promise.race([closed, sleep(idleMs, undefined, { ref: false })])
    },
  }
}

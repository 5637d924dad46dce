import type { FastifyInstance } from 'fastify'
import type { Database } from '../../db/database.ts'
import { sql } from '../../db/sql.ts'

/** `/health/live`: the process responds. `/health/ready`: it can handle requests and reach the database. */
export function registerHealthRoutes(
  app: FastifyInstance,
  { db }: { db: Database },
  { isStopping, isOutdated }: { isStopping: () => boolean; isOutdated: () => boolean },
): void {
  app.get('/health/live', () => ({ status: 'live' }))
  app.get('/health/ready', async (request, reply) => {
    if (isStopping()) return reply.code(503).send({ status: 'stopping' })
    if (isOutdated()) return reply.code(503).send({ status: 'database is newer than this version' })
    try {
      await db.query(sql`select 1`)
      return { status: 'ready' }
    } catch (error) {
      request.log.warn({ err: error }, 'not ready: the database cannot be reached')
      return reply.code(503).header('Retry-After', '2').send({ status: 'database unreachable' })
    }
  })
}

import { findFreePort, spawnServer } from '../child-service.ts'
import { type MeasuredService, startMeasuredService } from '../measured-service.ts'
import type { Run } from '../scenario.ts'
import { type Rung, referenceTables, rungs } from './reference-tables.ts'

export interface Server {
  url: string
  processId: number
}

/** The service as shipped, and the servers that it is compared with. */
export interface Servers {
  service: MeasuredService
  /** The servers of the ladder, on the service's PostgreSQL. */
  rungs: ReadonlyMap<Rung, Server>
}

/** Starts the service, which logs every request, and the servers that it is compared with. */
export async function startServers(run: Run): Promise<Servers> {
  const service = await startMeasuredService(run, { LOG_LEVEL: 'info' })
  await service.pool.query(referenceTables)
  const ladder = new Map<Rung, Server>()
  for (const rung of rungs) {
    const program = ['bench/requests/reference-server.ts', service.connectionString]
    const keys = `${service.url}/.well-known/jwks.json`
    const port = await findFreePort()
    const { processId } = await spawnServer(run, [...program, String(port), rung, keys], port)
    ladder.set(rung, { url: `http://127.0.0.1:${port}`, processId })
  }
  return { service, rungs: ladder }
}

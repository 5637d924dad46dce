import { existsSync } from 'node:fs'
import { findFreePort, type ServerProcess, spawnServer } from '../child-service.ts'
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
  /** Prism's mock of our own API document, if the peers are installed. */
  mock: Server | undefined
}

/** The peers have packages of their own: `npm install --prefix bench/peers`. */
const prism = 'bench/peers/node_modules/@stoplight/prism-cli/dist/index.js'

/** Starts the service, which logs every request, and the servers that it is compared with. */
export async function startServers(run: Run): Promise<Servers> {
  const service = await startMeasuredService(run, { LOG_LEVEL: 'info' })
  const start = async (startOn: (port: number) => Promise<ServerProcess>): Promise<Server> => {
    const port = await findFreePort()
    const { processId } = await startOn(port)
    return { url: `http://127.0.0.1:${port}`, processId }
  }
  await service.pool.query(referenceTables)
  const ladder = new Map<Rung, Server>()
  for (const rung of rungs) {
    const program = ['bench/requests/reference-server.ts', service.connectionString]
    const keys = `${service.url}/.well-known/jwks.json`
    ladder.set(rung, await start((port) => spawnServer(run, [...program, String(port), rung, keys], port)))
  }
  if (!existsSync(prism)) {
    run.say('without the mock: it needs `npm install --prefix bench/peers`')
    return { service, rungs: ladder, mock: undefined }
  }
  const options = ['mock', `${service.url}/openapi.json`, '--verboseLevel', 'silent']
  const mock = await start((port) => spawnServer(run, [prism, ...options, '--port', String(port)], port))
  return { service, rungs: ladder, mock }
}

import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { withClient } from '../../src/platform/db/hosts.ts'
import { clusterFolder, prepareHome } from '../../src/platform/private-postgres/home.ts'
import { findPostmaster } from '../../src/platform/private-postgres/postmaster.ts'
import {
  databaseName,
  socketConnectionString,
  socketFolderOf,
} from '../../src/platform/private-postgres/server-settings.ts'
import { type ServiceProcess, startServiceProcess } from '../app/process/service-process.ts'
import { killServer } from '../support/embedded-postgres-fixture.ts'
import { findFreePort } from '../support/service.ts'
import { waitFor } from '../support/wait-for.ts'

/** The processes that a crash can kill. */
export const killTargets = ['service', 'database', 'both'] as const
export type KillTarget = (typeof killTargets)[number]

const certificate = fileURLToPath(new URL('../support/test-only-receiver-certificate.pem', import.meta.url))

/**
 * The service as an operator runs it, with its private PostgreSQL and the default settings. Both can be killed without
 * losing the client's record, which is kept separately.
 */
export class Deployment {
  readonly baseUrl: string
  readonly connectionString: string
  readonly credentials = { clientId: 'sb_crash', clientSecret: 'only-for-crash-tests' }
  readonly #dataDir: string
  readonly environment = {}
  readonly config: { realm: 'sandbox'; dataDir: string }
  readonly #cluster: string
  readonly #port: number
  #service: ServiceProcess | undefined

  private constructor(dataDir: string, home: { cluster: string; connectionString: string }, port: number) {
    this.#dataDir = dataDir
    this.config = { realm: 'sandbox', dataDir }
    this.#cluster = home.cluster
    this.connectionString = home.connectionString
    this.#port = port
    this.baseUrl = `http://127.0.0.1:${port}`
  }

  static async open(): Promise<Deployment> {
    const dataDir = await mkdtemp(join(tmpdir(), 'housebill-crash-'))
    // PostgreSQL runs as another user when the test runs as root.
    await chmod(dataDir, 0o711)
    const home = await prepareHome({ dataDir, systemFolder: join(dataDir, 'system'), log: () => undefined })
    const connectionString = socketConnectionString(socketFolderOf(home), databaseName)
    const deployment = new Deployment(
      dataDir,
      { cluster: clusterFolder(home.folder), connectionString },
      await findFreePort(),
    )
    await deployment.#start()
    return deployment
  }

  async #start(): Promise<void> {
    this.#service = await startServiceProcess(
      {
        DATA_DIR: this.#dataDir,
        PORT: String(this.#port),
        PUBLIC_URL: this.baseUrl,
        SANDBOX_CLIENT_ID: this.credentials.clientId,
        SANDBOX_CLIENT_SECRET: this.credentials.clientSecret,
        WEBHOOK_ALLOW_LOOPBACK: 'true',
        RATE_LIMIT_PER_SECOND: '0',
        TOKEN_RATE_LIMIT_PER_MINUTE: '0',
        LOG_LEVEL: 'warn',
      },
      { NODE_EXTRA_CA_CERTS: certificate },
    )
  }

  /**
   * Kills the processes with kill -9 (all PostgreSQL processes at once) and then restarts the service if it was killed.
   */
  async crash(target: KillTarget): Promise<void> {
    const ends: Promise<unknown>[] = []
    if (target !== 'database') ends.push(this.#killService())
    if (target !== 'service') ends.push(this.#killDatabase())
    await Promise.all(ends)
    if (target !== 'database') await this.#start()
    await this.untilReady()
  }

  async #killService(): Promise<void> {
    this.#service?.signal('SIGKILL')
    const end = await this.#service?.ended
    if (end !== 'SIGKILL') throw new Error(`the service ended unexpectedly: ${end}`)
  }

  async #killDatabase(): Promise<void> {
    const postmaster = await findPostmaster(this.#cluster)
    if (postmaster === undefined) throw new Error('there is no PostgreSQL to kill')
    await killServer(this.connectionString, postmaster.pid)
  }

  /**
   * Waits until the service reports that it is ready. If only the database was killed, the service recovers without a
   * restart.
   */
  async untilReady(): Promise<void> {
    let end: number | NodeJS.Signals | undefined
    this.#service?.ended.then((how) => {
      end = how
    })
    await waitFor(
      'the service is ready',
      async () => {
        if (end !== undefined) throw new Error(`the service ended unexpectedly: ${end}\n${this.#words()}`)
        const response = await fetch(`${this.baseUrl}/health/ready`).catch((error: unknown) => error)
        if (!(response instanceof Response && response.status === 200)) return `${String(response)}\n${this.#words()}`
        // The service looks at its database every two seconds, so it may not have noticed yet that it was killed.
        const rejection = await withClient(this.connectionString, () => Promise.resolve()).catch(
          (error: unknown) => error,
        )
        return rejection === undefined ? 'ready' : String(rejection)
      },
      (found) => found === 'ready',
    )
  }

  #words(): string {
    const { log = [], lastWords = [] } = this.#service ?? {}
    return [...log.slice(-5).map((entry) => JSON.stringify(entry)), ...lastWords].join('\n')
  }

  async close(): Promise<void> {
    this.#service?.signal('SIGTERM')
    await this.#service?.ended
    await rm(this.#dataDir, { recursive: true, force: true })
  }
}

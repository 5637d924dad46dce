import { setTimeout as sleep } from 'node:timers/promises'
import { acquireHold, type Server } from './acquire.ts'
import { type Distribution, findDistribution } from './distribution.ts'
import { EmbeddedPostgresError, explainFolderError } from './embedded-postgres-error.ts'
import type { Hold } from './hold.ts'
import { clusterFolder, prepareHome } from './home.ts'
import { rotateLog } from './launch.ts'
import { findPostmaster, stopPostmaster } from './postmaster.ts'
import { databaseName, socketConnectionString, socketFolderOf } from './server-settings.ts'

/** The private PostgreSQL of a DATA_DIR, which this process has started or found running, and now uses. */
export interface EmbeddedPostgres {
  /**
   * For `pg` or libpq: connects to Housebill's database as the cluster's owner, over a socket that only the server's
   * user can reach.
   */
  readonly connectionString: string
  /** PostgreSQL's data directory; normally `DATA_DIR/postgres/cluster`. */
  readonly dataDirectory: string
  /**
   * PostgreSQL's main process; undefined if it is not visible from here, for example because it runs in another
   * container.
   */
  readonly pid: number | undefined
  /**
   * Call this when the process no longer needs the server, after closing the pools. If no other process uses the
   * server, also stops it (fast shutdown; after 30 s, immediate shutdown) and waits until it has ended. Repeated calls
   * return the first call's promise.
   */
  stop(): Promise<void>
}

export interface EmbeddedPostgresOptions {
  dataDir: string
  /** Called with a sentence about each action that might surprise an operator. The sentence never contains a secret. */
  log: (message: string) => void
  /** Finds the programs; by default those of the npm package. */
  distribution?: () => Distribution
  /** Where to put data that PostgreSQL's user cannot reach under DATA_DIR. Only used when running as root. */
  systemFolder?: string
  /** PostgreSQL settings that override Housebill's, for a server that this call starts. */
  settings?: Readonly<Record<string, string>>
  /** How long to wait for a running but unresponsive server. */
  patienceMs?: number
  /**
   * Called when only PostgreSQL's own programs have work to do, so that the caller may block this process meanwhile.
   */
  onLaunch?: () => void
}

/**
 * Starts the private PostgreSQL of a DATA_DIR, or shares one that is already running because another Housebill process
 * uses it or a killed one left it behind. If the server dies later, it is restarted. Throws `EmbeddedPostgresError`
 * with a remedy if no server can be started or shared.
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const { dataDir, log } = options
  const home = await prepareHome({ dataDir, log, systemFolder: options.systemFolder ?? '/var/lib/housebill' })
  const cluster = clusterFolder(home.folder)
  const server: Server = {
    home,
    log,
    distribution: options.distribution ?? (() => findDistribution()),
    settings: options.settings ?? {},
    patienceMs: options.patienceMs ?? 30_000,
    onLaunch: options.onLaunch ?? (() => undefined),
  }
  const stopping = new AbortController()
  let hold: Hold | undefined = await acquireHold(server, stopping.signal).catch((error: unknown) => {
    throw explainFolderError(home.folder, error)
  })
  let pid = (await findPostmaster(cluster))?.pid
  const supervision = supervise()
  const checks = setInterval(() => {
    rotateLog(home.folder).catch((error: unknown) =>
      log(`PostgreSQL's log could not be truncated: ${messageOf(error)}`),
    )
  }, 60_000)
  checks.unref()

  async function supervise(): Promise<void> {
    while (!stopping.signal.aborted) {
      await hold?.lost
      if (stopping.signal.aborted) return
      hold = undefined
      log('The connection to the private PostgreSQL was lost. Reconnecting.')
      try {
        hold = await acquireHold(server, stopping.signal)
        pid = (await findPostmaster(cluster))?.pid
      } catch (error) {
        if (stopping.signal.aborted) return
        log(`The private PostgreSQL is down: ${messageOf(error)}`)
        await sleep(5_000, undefined, { signal: stopping.signal }).catch(() => undefined)
      }
    }
  }

  async function stop(): Promise<void> {
    clearInterval(checks)
    stopping.abort()
    // If a reconnection is in progress, let it finish first; its result is released below.
    if (hold === undefined) await supervision
    if (hold !== undefined) await giveUp(hold)
    await supervision
  }

  async function giveUp(held: Hold): Promise<void> {
    try {
      if (await held.release()) await stopPostmaster(cluster, log)
    } catch (error) {
      if (error instanceof EmbeddedPostgresError) throw error
      const left = await findPostmaster(cluster)
      if (left !== undefined)
        log(
          `PostgreSQL could not be stopped (${messageOf(error)}). Process ${left.pid} is still running, and the next start will use it.`,
        )
    } finally {
      await held.close()
    }
  }

  let stopped: Promise<void> | undefined
  return {
    connectionString: socketConnectionString(socketFolderOf(home), databaseName),
    dataDirectory: cluster,
    get pid() {
      return pid
    },
    stop: () => {
      stopped ??= stop()
      return stopped
    },
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

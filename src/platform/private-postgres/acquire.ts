import { setTimeout as sleep } from 'node:timers/promises'
import { ensureCluster, removeAbandonedFiles } from './cluster.ts'
import type { Distribution } from './distribution.ts'
import { EmbeddedPostgresError, programFailure, useOwnServer } from './embedded-postgres-error.ts'
import { type Hold, tryToHold } from './hold.ts'
import { clusterFolder, type Home } from './home.ts'
import { type LaunchedServer, launchServer } from './launch.ts'
import { findPostmaster } from './postmaster.ts'
import { socketFolderOf } from './server-settings.ts'
import { findUsablePrograms } from './usable-distribution.ts'

export interface Server {
  home: Home
  /** Finds the programs; called only if a server must be started. */
  distribution: () => Distribution
  /** Settings for a newly started server, in addition to the fixed ones. */
  settings: Readonly<Record<string, string>>
  /** How long to wait for an unresponsive server. A server in recovery counts as responsive. */
  patienceMs: number
  log: (message: string) => void
  /** Called when only PostgreSQL's own programs have work to do: initdb or the server has been started. */
  onLaunch: () => void
}

/** How long to retry a start that is blocked by the lock files or shared memory of a stopping server. */
const relaunchForMs = 20_000
const reportEveryMs = 10_000

interface Progress {
  launched: LaunchedServer | undefined
  /** When the current wait began: at first, or when the server was started. */
  waitingSince: number
  /** When the server last responded or was started. */
  respondedAt: number
  reportedAt: number
}

/**
 * Connects to the private PostgreSQL server in `server.home`, which it starts if it is not running. If two processes
 * start the server at the same time, PostgreSQL's lock file lets only one succeed; the other process retries and finds
 * the server running. A server that was started here but turns out to be unusable is stopped.
 */
export async function acquireHold(server: Server, signal: AbortSignal): Promise<Hold> {
  const begun = performance.now()
  const progress: Progress = { launched: undefined, waitingSince: begun, respondedAt: begun, reportedAt: begun }
  try {
    for (;;) {
      signal.throwIfAborted()
      const attempt = await tryToHold(socketFolderOf(server.home), server.patienceMs)
      if (typeof attempt === 'object') return attempt
      await advance(server, attempt, progress, performance.now() - begun)
    }
  } catch (error) {
    await progress.launched?.end()
    throw error
  }
}

/** Reacts to the result of the last attempt, then waits briefly before the next one. */
async function advance(
  server: Server,
  attempt: 'absent' | 'busy' | 'silent',
  progress: Progress,
  elapsedMs: number,
): Promise<void> {
  const now = performance.now()
  if (attempt === 'busy') progress.respondedAt = now
  if (attempt === 'absent') await ensureLaunched(server, progress, elapsedMs)
  if (now - progress.respondedAt >= server.patienceMs) throw await explainSilence(server)
  if (now - progress.reportedAt > reportEveryMs) {
    server.log(`Waiting for PostgreSQL to start, recover or stop (${Math.round(elapsedMs / 1000)} s).`)
    progress.reportedAt = now
  }
  await sleep(Math.min(10 + (performance.now() - progress.waitingSince) / 20, 250))
}

async function ensureLaunched(server: Server, progress: Progress, elapsedMs: number): Promise<void> {
  const { launched } = progress
  if (launched !== undefined && !launched.hasEnded()) return
  if ((await findPostmaster(clusterFolder(server.home.folder))) !== undefined) return
  if (launched !== undefined) await rejectUnlessTransient(server.home, await launched.output(), elapsedMs)
  progress.launched = await launch(server)
  // A server that is not visible from here may be starting or stopping.
  if (progress.launched === undefined) return
  progress.waitingSince = performance.now()
  progress.respondedAt = progress.waitingSince
}

async function launch({ home, distribution, settings, log, onLaunch }: Server): Promise<LaunchedServer | undefined> {
  const found = distribution()
  await removeAbandonedFiles(home.folder)
  const programs = await findUsablePrograms({ distribution: found, user: home.user, home: home.folder, log })
  await ensureCluster(home, programs, Number.parseInt(found.version, 10), onLaunch)
  const launched = await launchServer(home, programs, settings, log)
  onLaunch()
  return launched
}

/**
 * Pauses if a retry can help, because another process has just started a server or processes of a killed server are
 * still ending. Otherwise throws.
 */
async function rejectUnlessTransient(home: Home, words: string, elapsedMs: number): Promise<void> {
  const passing = /lock file ".*" already exists|pre-existing shared memory block/.test(words)
  if (!passing || elapsedMs > relaunchForMs)
    throw programFailure(`The private PostgreSQL in ${home.folder} does not start`, words)
  await sleep(50)
}

/** Why the running server cannot be used. It may be in use, so it is left alone. */
async function explainSilence({ home }: Server): Promise<EmbeddedPostgresError> {
  const postmaster = await findPostmaster(clusterFolder(home.folder))
  return new EmbeddedPostgresError(
    postmaster === undefined
      ? `The database in ${home.folder} is in use by a PostgreSQL server that is not visible from here, for example in another container. Only one container can run it: stop the other, choose another DATA_DIR, or ${useOwnServer}.`
      : `The database in ${home.folder} is in use by a PostgreSQL server (process ${postmaster.pid}) that does not respond on its socket in ${socketFolderOf(home)}. Stop Housebill, then the server (kill -INT ${postmaster.pid}), then start again.`,
  )
}

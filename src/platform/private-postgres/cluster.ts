import { randomBytes } from 'node:crypto'
import { chown, mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { EmbeddedPostgresError, programFailure, useOwnServer } from './embedded-postgres-error.ts'
import { clusterFolder, type Home } from './home.ts'
import { runProgram } from './run-program.ts'
import { initialSettings, superuser, usableMemoryBytes } from './server-settings.ts'

/**
 * Creates the database cluster in a home folder on first use. The cluster uses UTF-8, whatever the environment's
 * locale, and PostgreSQL's own C.UTF-8 collation, so that an update of the C library cannot corrupt an index. Its
 * folder gets its final name only once the cluster is complete and synced to disk. Calls `onLaunch` when initdb has
 * been started. Throws if the folder contains a cluster of a different PostgreSQL version.
 */
export async function ensureCluster(home: Home, programs: string, major: number, onLaunch: () => void): Promise<void> {
  const cluster = clusterFolder(home.folder)
  const found = await versionOf(cluster)
  if (found === String(major)) return
  if (found !== undefined) {
    throw new EmbeddedPostgresError(
      `${cluster} was created by PostgreSQL ${found}, but this version of Housebill has PostgreSQL ${major}. Run the version of Housebill that created it and move the data (pg_dump, pg_restore), choose an empty DATA_DIR, or ${useOwnServer}.`,
    )
  }
  const unfinished = temporaryName(home.folder, 'cluster')
  try {
    await mkdir(unfinished, { mode: 0o700 })
    if (home.user !== undefined) await chown(unfinished, home.user.uid, home.user.gid)
    const created = runInitdb(programs, unfinished, home)
    onLaunch()
    await created
    await moveIntoPlace(unfinished, cluster)
  } finally {
    await rm(unfinished, { recursive: true, force: true })
  }
}

async function versionOf(cluster: string): Promise<string | undefined> {
  const text = await readFile(join(cluster, 'PG_VERSION'), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  return text?.trim()
}

async function runInitdb(programs: string, folder: string, home: Home): Promise<void> {
  const { status, output } = await runProgram(
    join(programs, 'bin', 'initdb'),
    [
      `--pgdata=${folder}`,
      '--encoding=UTF8',
      // macOS before 15 has no C.UTF-8; collation comes from PostgreSQL in any case.
      process.platform === 'darwin' ? '--locale=C' : '--locale=C.UTF-8',
      '--locale-provider=builtin',
      '--builtin-locale=C.UTF-8',
      `--username=${superuser}`,
      '--auth-local=trust',
      '--auth-host=reject',
      '--no-instructions',
      ...Object.entries(initialSettings(usableMemoryBytes())).map(([name, value]) => `--set=${name}=${value}`),
    ],
    home.user,
  )
  if (status !== 0) throw programFailure(`The private database could not be created in ${home.folder}`, output)
}

async function moveIntoPlace(unfinished: string, cluster: string): Promise<void> {
  await rename(unfinished, cluster).catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error
    // If another process has created the cluster in the meantime, use that one. If the folder contains anything else,
    // report an error.
    if ((await versionOf(cluster)) === undefined) {
      throw new EmbeddedPostgresError(
        `${cluster} contains files that are not a PostgreSQL database. Move them away, or choose another DATA_DIR.`,
      )
    }
  })
  const folder = await open(dirname(cluster), 'r')
  await folder.sync().finally(() => folder.close())
}

const prefix = '.unfinished-'
const abandonedAfterMs = 10 * 60_000

/**
 * A temporary name for a file or folder that is renamed into place once it is complete, so that a process killed
 * half-way leaves nothing that looks finished, and two processes that start at once do not collide.
 */
export function temporaryName(folder: string, purpose: string): string {
  return join(folder, `${prefix}${purpose}-${randomBytes(6).toString('hex')}`)
}

/**
 * Deletes unfinished files that killed processes left behind. Keeps files younger than ten minutes, because a process
 * may still be writing them.
 */
export async function removeAbandonedFiles(folder: string): Promise<void> {
  const names = (await readdir(folder)).filter((name) => name.startsWith(prefix))
  for (const name of names) {
    const path = join(folder, name)
    const made = await stat(path).catch(() => undefined)
    if (made !== undefined && Date.now() - made.mtimeMs > abandonedAfterMs)
      await rm(path, { recursive: true, force: true })
  }
}

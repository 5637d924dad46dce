import { createHash, randomBytes } from 'node:crypto'
import { chmod, link, lstat, readFile, realpath, rmdir, stat, unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { makeFolder } from '../kernel/make-folder.ts'
import { EmbeddedPostgresError, explainFolderError, useOwnServer } from './embedded-postgres-error.ts'
import { canEnter, findUnprivilegedUser, runsAsRoot, type ServerUser } from './server-user.ts'

/** The folder and the operating system user of a DATA_DIR's private PostgreSQL. */
export interface Home {
  /** Contains the cluster, its socket, its log and sometimes a copy of the programs. */
  folder: string
  /** The user that PostgreSQL runs as; undefined if it runs as the same user as this process. */
  user: ServerUser | undefined
}

interface HomeOptions {
  dataDir: string
  /** The folder for data that cannot be under DATA_DIR, normally `/var/lib/housebill`. */
  systemFolder: string
  log: (message: string) => void
}

/** The path of PostgreSQL's data directory inside a home folder. */
export function clusterFolder(home: string): string {
  return join(home, 'cluster')
}

/**
 * Opens the home of a DATA_DIR and creates what is missing. Normally the home is `DATA_DIR/postgres`. If Housebill runs
 * as root and PostgreSQL's user cannot reach that folder, a root-owned DATA_DIR is opened for traversal (chmod o+x) if
 * that is enough. Otherwise the home is under the system folder, and a note in DATA_DIR records its location.
 */
export async function prepareHome({ dataDir, systemFolder, log }: HomeOptions): Promise<Home> {
  try {
    await makeFolder(dataDir, runsAsRoot() ? 0o711 : 0o700)
    const dataFolder = await realpath(dataDir)
    const note = join(dataFolder, 'postgres-location')
    const noted = await readNote(note)
    const beside = noted ?? join(dataFolder, 'postgres')
    if (!runsAsRoot()) return await openAsOrdinaryUser(beside)
    const user = await userOf(beside)
    await makeTraversable(beside)
    if (await canEnter(user, beside)) return { folder: beside, user }
    if (await openDataFolder(dataFolder, beside, user, log)) return { folder: beside, user }
    if (noted !== undefined || (await ownerOf(clusterFolder(beside))) !== undefined) throw unreachable(beside, user)
    return await openElsewhere({ dataFolder, note, beside, user, systemFolder, log })
  } catch (error) {
    throw explainFolderError(dataDir, error)
  }
}

async function openAsOrdinaryUser(folder: string): Promise<Home> {
  await makeFolder(folder, 0o700)
  const owner = await ownerOf(clusterFolder(folder))
  if (owner !== undefined && owner.uid !== process.geteuid?.()) {
    throw new EmbeddedPostgresError(
      `The database in ${folder} belongs to the user with uid ${owner.uid}. Start Housebill in the same way as before (as that user, or as root), or choose a different DATA_DIR.`,
    )
  }
  return { folder, user: undefined }
}

/**
 * Which user PostgreSQL runs as: the owner of the existing cluster, or any unprivileged user if there is no cluster
 * yet. Users who are added to the system later therefore make no difference.
 */
async function userOf(folder: string): Promise<ServerUser> {
  const owner = await ownerOf(clusterFolder(folder))
  if (owner === undefined) return findUnprivilegedUser()
  if (owner.uid === 0) {
    throw new EmbeddedPostgresError(
      `The database in ${folder} belongs to root, but PostgreSQL does not run as root. Give it to an unprivileged user (chown -R nobody ${clusterFolder(folder)}), or ${useOwnServer}.`,
    )
  }
  return { name: `number ${owner.uid}`, ...owner }
}

async function openDataFolder(
  dataFolder: string,
  home: string,
  user: ServerUser,
  log: (message: string) => void,
): Promise<boolean> {
  const { uid, mode } = await stat(dataFolder)
  if (uid !== 0) return false
  // `closed` is false if another process has just opened the folder. In that case, this only checks again whether
  // `user` can enter it.
  const closed = (mode & 0o001) === 0
  if (closed) await chmod(dataFolder, (mode & 0o7777) | 0o001)
  const enough = await canEnter(user, home)
  if (closed && !enough) await chmod(dataFolder, mode & 0o7777)
  if (closed && enough) {
    log(
      `Gave all users permission to traverse ${dataFolder} (chmod o+x), because PostgreSQL cannot run as root and runs as the user ${user.name}.`,
    )
  }
  return enough
}

interface Elsewhere {
  dataFolder: string
  note: string
  beside: string
  user: ServerUser
  systemFolder: string
  log: (message: string) => void
}

async function openElsewhere({ dataFolder, note, beside, user, systemFolder, log }: Elsewhere): Promise<Home> {
  const folder = await noteFolder(dataFolder, note, systemFolder)
  const owner = await userOf(folder)
  if (!(await canEnter(owner, folder))) throw unreachable(folder, owner)
  // Remove the folder that this call created but PostgreSQL cannot use. If it is not empty, leave it.
  await rmdir(beside).catch(() => undefined)
  log(
    `The database is in ${folder}, because PostgreSQL cannot run as root and the user ${user.name} cannot reach ${beside}: a folder above ${dataFolder} does not allow access. ${note} records the location.`,
  )
  return { folder, user: owner }
}

/**
 * Creates a uniquely named folder and records its path in a note in DATA_DIR. As a result, a DATA_DIR that has been
 * deleted and recreated starts with an empty database, as usual. If two processes start at once, whichever writes the
 * note first decides the folder for both.
 */
async function noteFolder(dataFolder: string, note: string, systemFolder: string): Promise<string> {
  const folderHash = createHash('sha256').update(dataFolder).digest('hex').slice(0, 12)
  const folder = join(systemFolder, `${folderHash}-${randomBytes(4).toString('hex')}`)
  await makeTraversable(systemFolder)
  await makeTraversable(folder)
  // Write the note under a temporary name, then link it, so that no process reads an incomplete note.
  const draft = `${note}.${process.pid}`
  await writeFile(draft, `${folder}\n`, { mode: 0o644, flush: true })
  try {
    await link(draft, note)
    return folder
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    await rmdir(folder)
    return (await readNote(note)) ?? folder
  } finally {
    await unlink(draft)
  }
}

async function readNote(note: string): Promise<string | undefined> {
  const text = await readFile(note, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  if (text === undefined) return undefined
  const folder = text.trim()
  const exists = await stat(folder).catch(() => undefined)
  if (exists !== undefined) return folder
  throw new EmbeddedPostgresError(
    `${note} says that the database is in ${folder}, which does not exist. Restore that folder, or delete ${note} to start with an empty database.`,
  )
}

/** Creates a root-owned folder that others can traverse but not list, whatever the umask. */
async function makeTraversable(folder: string): Promise<void> {
  await makeFolder(folder, 0o711)
  const { uid, mode } = await stat(folder)
  if (uid === 0 && (mode & 0o001) === 0) await chmod(folder, (mode & 0o7777) | 0o001)
}

async function ownerOf(path: string): Promise<{ uid: number; gid: number } | undefined> {
  const found = await lstat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  return found === undefined ? undefined : { uid: found.uid, gid: found.gid }
}

function unreachable(folder: string, user: ServerUser): EmbeddedPostgresError {
  return new EmbeddedPostgresError(
    `PostgreSQL cannot run as root, and the user ${user.name} cannot reach ${folder}. Allow all users to traverse the folders above it (chmod o+x), move DATA_DIR to a folder that all users can reach, or ${useOwnServer}.`,
  )
}

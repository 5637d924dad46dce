import { createHash } from 'node:crypto'
import { chmod, chown, lstat, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { EmbeddedPostgresError, useOwnServer } from './embedded-postgres-error.ts'
import type { Home } from './home.ts'

/** Used only in the socket's file name, because the server does not listen on TCP. */
export const socketPort = 54320

/** The kernel's limit for the path of a Unix socket, in bytes, without the terminating zero byte. */
const maxSocketPath = process.platform === 'darwin' ? 103 : 107

/**
 * The folder of the server's socket, the same for every process. It is inside the home folder or, if that path is too
 * long for a socket, under /tmp with a name derived from the home folder's path. ($TMPDIR is not used, because it may
 * differ between commands.)
 */
export function socketFolderOf(home: Home): string {
  const inside = join(home.folder, 'socket')
  if (Buffer.byteLength(socketFile(inside)) <= maxSocketPath) return inside
  const name = createHash('sha256').update(home.folder).digest('hex').slice(0, 16)
  return `/tmp/housebill-${ownerOf(home)}-${name}`
}

/** The path of the socket in its folder. */
export function socketFile(folder: string): string {
  return join(folder, `.s.PGSQL.${socketPort}`)
}

/**
 * Creates the socket's folder, accessible only to the server's user (and root). Access to this folder is the only
 * authentication: the server asks for no password.
 */
export async function prepareSocketFolder(home: Home): Promise<void> {
  const folder = socketFolderOf(home)
  const made = await mkdir(folder, { mode: 0o700 }).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'EEXIST') return false
      throw error
    },
  )
  const found = await lstat(folder)
  // Anyone can create folders under /tmp: accept neither a link nor another user's folder.
  if (!found.isDirectory() || (!made && found.uid !== ownerOf(home))) {
    throw new EmbeddedPostgresError(
      `The database's socket needs the folder ${folder}, but it belongs to another user. Remove it, choose a DATA_DIR with a shorter path, or ${useOwnServer}.`,
    )
  }
  if (made && home.user !== undefined) await chown(folder, home.user.uid, home.user.gid)
  await chmod(folder, 0o700)
}

function ownerOf(home: Home): number {
  return home.user?.uid ?? process.geteuid?.() ?? 0
}

/** A connection string for `pg` and libpq, for one database of the server behind a socket. */
export function socketConnectionString(folder: string, database: string): string {
  return `postgresql://housebill@localhost:${socketPort}/${encodeURIComponent(database)}?host=${encodeURIComponent(folder)}&sslmode=disable`
}

import { createHash } from 'node:crypto'
import { chmod, chown, lstat, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { EmbeddedPostgresError, useOwnServer } from './embedded-postgres-error.ts'
import type { Home } from './home.ts'

/** Part of the socket's file name only: the server listens on no TCP port at all. */
export const socketPort = 54320

/** The kernel's limit for the path of a Unix socket, in bytes, without the closing zero. */
const longestSocketPath = process.platform === 'darwin' ? 103 : 107

/**
 * The folder of a cluster's socket, the same for every process that asks: inside the home, or where that path is too
 * long for a socket, a folder under /tmp (not $TMPDIR, which may differ between two commands) named for the home.
 */
export function socketFolderOf(home: Home): string {
  const inside = join(home.folder, 'socket')
  if (Buffer.byteLength(socketFile(inside)) <= longestSocketPath) return inside
  const name = createHash('sha256').update(home.folder).digest('hex').slice(0, 16)
  return `/tmp/housebill-${ownerOf(home)}-${name}`
}

/** The socket itself. */
export function socketFile(folder: string): string {
  return join(folder, `.s.PGSQL.${socketPort}`)
}

/**
 * Makes the socket's folder and closes it for everyone but the server's user (and root): being let into this folder
 * is what authenticates, so the server asks for no password, and there is none to keep or to lose.
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
  // Under /tmp anyone may have been there first: neither a link nor somebody else's folder is taken.
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

/** A `pg` and libpq connection string for one database behind a socket. */
export function socketConnectionString(folder: string, database: string): string {
  return `postgresql://housebill@localhost:${socketPort}/${encodeURIComponent(database)}?host=${encodeURIComponent(folder)}&sslmode=disable`
}

import { createHash } from 'node:crypto'
import { chmod, chown, lstat, mkdir } from 'node:fs/promises'
import { totalmem } from 'node:os'
import { join } from 'node:path'
import { EmbeddedPostgresError, useOwnServer } from './embedded-postgres-error.ts'
import type { Home } from './home.ts'

/** The role that owns the cluster. */
export const superuser = 'housebill'

/** The database that contains Housebill's tables. */
export const databaseName = 'housebill'

const mebibyte = 1_024 * 1_024
/**
 * The size of PostgreSQL's page cache. Pages that do not fit come from the kernel's cache, at the cost of a system call
 * and a copy.
 */
const buffers = { share: 1 / 8, minMiB: 128, maxMiB: 512 }

/** Files below the cluster: /dev/shm may be small or full, and systemd empties it when a user logs out (RemoveIPC). */
const sharedMemory = { dynamic_shared_memory_type: 'mmap' }

/**
 * The settings written into `postgresql.conf` when the cluster is created; an operator may change them there. The page
 * cache is an eighth of the memory this process may use, between 128 and 512 MB. Everything else keeps its default:
 * fsync, full_page_writes and synchronous_commit stay on.
 */
export function initialSettings(memoryBytes: number): Record<string, string> {
  const wantedMiB = Math.floor((memoryBytes * buffers.share) / mebibyte)
  return {
    max_connections: '100',
    shared_buffers: `${Math.min(buffers.maxMiB, Math.max(buffers.minMiB, wantedMiB))}MB`,
    timezone: 'UTC',
    log_timezone: 'UTC',
    // Tables grow fastest when they are new: PostgreSQL looks every ten seconds whether one has.
    autovacuum_naptime: '10s',
    ...sharedMemory,
  }
}

/** The memory this process may use, in bytes: the machine's, or less if a container limits it. */
export function usableMemoryBytes(): number {
  // Zero if there is no limit or it is unknown.
  const limit = process.constrainedMemory()
  return limit > 0 ? Math.min(totalmem(), limit) : totalmem()
}

/**
 * The settings given on the command line at every start, so that no file can override them: no TCP, a private socket,
 * and a log without the data of partners and customers. Messages of statement errors can quote values (`invalid input
 * syntax`, `Key (email)=(…) already exists`), so only Housebill's own log records those errors.
 */
export function fixedSettings(socketFolder: string, port: number): Record<string, string> {
  return {
    listen_addresses: '',
    port: String(port),
    // This setting is a list, so the path is quoted: it may contain commas or spaces.
    unix_socket_directories: `"${socketFolder.replaceAll('"', '""')}"`,
    unix_socket_permissions: '0700',
    ...sharedMemory,
    logging_collector: 'off',
    log_destination: 'stderr',
    log_min_messages: 'log',
    log_min_error_statement: 'panic',
    log_error_verbosity: 'terse',
    log_statement: 'none',
    log_min_duration_statement: '-1',
    log_parameter_max_length: '0',
    log_parameter_max_length_on_error: '0',
    log_checkpoints: 'off',
    log_connections: '',
    log_autovacuum_min_duration: '-1',
  }
}

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

import { totalmem } from 'node:os'

/** The role that owns the cluster. */
export const superuser = 'housebill'

/** The database that Housebill's tables are in. */
export const databaseName = 'housebill'

const mebibyte = 1_024 * 1_024
/** Pages of PostgreSQL's own; what does not fit goes by way of the kernel's, which costs a call and a copy each time. */
const buffers = { share: 1 / 8, leastMiB: 128, mostMiB: 512 }

/**
 * Written into `postgresql.conf` when the cluster is made, from where an operator may change them: PostgreSQL is given an eighth of
 * this machine's memory (or of what this process may use of it), between 128 and 512 MB. What is not named keeps PostgreSQL's
 * default: fsync, full_page_writes and synchronous_commit stay on.
 */
export function initialSettings(memoryBytes: number): Record<string, string> {
  const wantedMiB = Math.floor((memoryBytes * buffers.share) / mebibyte)
  return {
    max_connections: '100',
    shared_buffers: `${Math.min(buffers.mostMiB, Math.max(buffers.leastMiB, wantedMiB))}MB`,
    timezone: 'UTC',
    log_timezone: 'UTC',
  }
}

/** Memory that this process may use at most, in bytes: the machine's, or less in a container. */
export function usableMemoryBytes(): number {
  // Zero where there is no limit, or nothing that tells of one.
  const limit = process.constrainedMemory()
  return limit > 0 ? Math.min(totalmem(), limit) : totalmem()
}

/**
 * Given on the command line at every start, where no file can undo them: no TCP, a closed socket, and a log without
 * what partners and customers entered. Not only parameters: the message of a failed statement can quote a value
 * (`invalid input syntax`, `Key (email)=(…) already exists`), so statement errors are left to Housebill's own log.
 */
export function fixedSettings(socketFolder: string, port: number): Record<string, string> {
  return {
    listen_addresses: '',
    port: String(port),
    // A list: quoted, since a path may hold a comma or a space.
    unix_socket_directories: `"${socketFolder.replaceAll('"', '""')}"`,
    unix_socket_permissions: '0700',
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

import { access, constants, lstat, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { CommandError } from '../kernel/command-error.ts'
import { makeFolder } from '../kernel/make-folder.ts'

/** Creates DATA_DIR if it does not exist. Throws `CommandError` if this user cannot create it or write to it. */
export async function openDataFolder(folder: string): Promise<void> {
  try {
    // If we run as root, others must be able to traverse the folder: the private PostgreSQL runs as another user.
    await makeFolder(folder, process.geteuid?.() === 0 ? 0o711 : 0o700)
    await access(folder, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (error) {
    throw explainDataFolderError(error, folder)
  }
}

/** Throws `CommandError` unless DATA_DIR contains the private database of a service. Creates nothing. */
export async function requireDataFolder(folder: string): Promise<void> {
  try {
    const found = await stat(folder).catch(undefinedIfMissing)
    if (found?.isDirectory() === false) throw Object.assign(new Error('not a folder'), { code: 'EEXIST', path: folder })
    for (const name of ['postgres/cluster/PG_VERSION', 'postgres-location'])
      if ((await lstat(join(folder, name)).catch(undefinedIfMissing)) !== undefined) return
  } catch (error) {
    // Root may have closed the folders of PostgreSQL's user. What is there is not empty.
    if ((error as NodeJS.ErrnoException).code === 'EACCES') return
    throw explainDataFolderError(error, folder)
  }
  throw new CommandError(
    'no_database',
    `There is no database in DATA_DIR (${folder}), and DATABASE_URL is not set. Commands never create one. Run the command with the environment of the service (see "Commands" in docs/installing.md); "housebill serve" creates a new sandbox.`,
  )
}

function undefinedIfMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code === 'ENOENT') return undefined
  throw error
}

const reasons: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
  EEXIST: 'a file with this name exists',
  ENOTDIR: 'part of the path is a file',
  ENOENT: 'this folder cannot be created',
  ENAMETOOLONG: 'the name is too long',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
}

/**
 * Turns a file system error under DATA_DIR into a one-line message for the operator; returns other errors unchanged.
 */
export function explainDataFolderError(error: unknown, folder: string): unknown {
  const { code = '', path = folder } = error instanceof Error ? (error as NodeJS.ErrnoException) : {}
  const reason = reasons[code]
  if (reason === undefined) return error
  return new CommandError(
    'data_folder',
    `DATA_DIR cannot be used: ${path}: ${reason}. Set DATA_DIR to a folder that this user can write to.`,
  )
}

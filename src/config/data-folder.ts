import { access, constants, mkdir } from 'node:fs/promises'
import { CommandError } from '../kernel/command-error.ts'

/** Creates DATA_DIR if it does not exist. Throws `CommandError` if this user cannot create it or write to it. */
export async function openDataFolder(folder: string): Promise<void> {
  try {
    // If we run as root, others must be able to traverse the folder: the private PostgreSQL runs as another user.
    await mkdir(folder, { recursive: true, mode: process.geteuid?.() === 0 ? 0o711 : 0o700 })
    await access(folder, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (error) {
    throw explainDataFolderError(error, folder)
  }
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

/** Turns a file system error under DATA_DIR into a one-line message for the operator; returns other errors unchanged. */
export function explainDataFolderError(error: unknown, folder: string): unknown {
  const { code = '', path = folder } = error instanceof Error ? (error as NodeJS.ErrnoException) : {}
  const reason = reasons[code]
  if (reason === undefined) return error
  return new CommandError(
    'data_folder',
    `DATA_DIR cannot be used: ${path}: ${reason}. Set DATA_DIR to a folder that this user can write to.`,
  )
}

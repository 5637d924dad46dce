import { access, constants, mkdir } from 'node:fs/promises'
import { Refused } from '../kernel/refused.ts'

/** Creates DATA_DIR where it is missing. Throws `Refused` where this user cannot create it or write to it. */
export async function openDataFolder(folder: string): Promise<void> {
  try {
    // As root others must be able to pass through: the private PostgreSQL runs as another user.
    await mkdir(folder, { recursive: true, mode: process.geteuid?.() === 0 ? 0o711 : 0o700 })
    await access(folder, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (error) {
    throw dataFolderFailure(error, folder)
  }
}

const reasons: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
  EEXIST: 'a file has this name',
  ENOTDIR: 'a part of this path is a file',
  ENOENT: 'this folder cannot be created',
  ENAMETOOLONG: 'the name is too long',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
}

/** Turns the file system's refusal under DATA_DIR into one line for the operator; returns any other error unchanged. */
export function dataFolderFailure(error: unknown, folder: string): unknown {
  const { code = '', path = folder } = error instanceof Error ? (error as NodeJS.ErrnoException) : {}
  const reason = reasons[code]
  if (reason === undefined) return error
  return new Refused(
    'data_folder',
    `DATA_DIR cannot be used: ${path}: ${reason}. Set DATA_DIR to a folder that this user can write to.`,
  )
}

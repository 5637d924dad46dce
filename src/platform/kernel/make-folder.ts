import { mkdir, stat } from 'node:fs/promises'
import { dirname } from 'node:path'

/**
 * Creates a folder and those above it, if they do not exist. Throws the file system's error, with `EEXIST` for a file.
 * (The recursive mkdir of Node never ends in a file system that says "no such folder" to every new one, as /proc does.)
 */
export async function makeFolder(folder: string, mode?: number): Promise<void> {
  const found = await stat(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  if (found?.isDirectory() === true) return
  if (found !== undefined) throw Object.assign(new Error('not a folder'), { code: 'EEXIST', path: folder })
  if (dirname(folder) !== folder) await makeFolder(dirname(folder), mode)
  await mkdir(folder, { mode }).catch((error: NodeJS.ErrnoException) => {
    // Another process has created it in the meantime.
    if (error.code !== 'EEXIST') throw error
  })
}

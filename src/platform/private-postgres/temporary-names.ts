import { randomBytes } from 'node:crypto'
import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'

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

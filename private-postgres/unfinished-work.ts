import { randomBytes } from 'node:crypto'
import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'

const prefix = '.unfinished-'
const abandonedAfterMs = 10 * 60_000

/**
 * A name under which something is made before it is renamed into place whole, so that a start that was killed half-way
 * leaves nothing that looks finished, and two starts at once do not meet.
 */
export function unfinishedName(folder: string, purpose: string): string {
  return join(folder, `${prefix}${purpose}-${randomBytes(6).toString('hex')}`)
}

/** Deletes what starts killed half-way have left; what is younger than ten minutes may still be in the making. */
export async function removeAbandoned(folder: string): Promise<void> {
  const names = (await readdir(folder)).filter((name) => name.startsWith(prefix))
  for (const name of names) {
    const path = join(folder, name)
    const made = await stat(path).catch(() => undefined)
    if (made !== undefined && Date.now() - made.mtimeMs > abandonedAfterMs)
      await rm(path, { recursive: true, force: true })
  }
}

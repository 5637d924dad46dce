import { chown, copyFile, open, stat, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import type { Home } from './home.ts'

const maxBytes = 5_000_000

/** PostgreSQL's own log of starts, stops, recoveries and crashes. It contains no statements and no values. */
function logFileIn(home: string): string {
  return join(home, 'postgres.log')
}

/**
 * Moves a log larger than 5 MB aside, replacing the previous one, so there are never more than two. Copies and
 * truncates instead of renaming, because the server keeps the file open for appending.
 */
export async function rotateLog(home: string): Promise<void> {
  const file = logFileIn(home)
  const found = await stat(file).catch(() => undefined)
  if (found === undefined || found.size <= maxBytes) return
  await copyFile(file, `${file}.1`)
  await truncate(file)
}

/** Opens the log for a new server and returns where its entries will begin. The caller closes the handle. */
export async function openLog(home: Home): Promise<{ handle: Awaited<ReturnType<typeof open>>; start: number }> {
  await rotateLog(home.folder)
  const handle = await open(logFileIn(home.folder), 'a', 0o600)
  if (home.user !== undefined) await chown(logFileIn(home.folder), home.user.uid, home.user.gid)
  return { handle, start: (await handle.stat()).size }
}

/** The log since `start`, at most its last 20,000 bytes. */
export async function readLogSince(home: string, start: number): Promise<string> {
  const handle = await open(logFileIn(home), 'r')
  try {
    const { size } = await handle.stat()
    const from = Math.max(Math.min(start, size), size - 20_000)
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(size - from), 0, size - from, from)
    return buffer.toString('utf8', 0, bytesRead)
  } finally {
    await handle.close()
  }
}

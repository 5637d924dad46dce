import type { PoolClient } from 'pg'

/**
 * Sends everything that is written to this connection before the current turn of the event loop ends in one write. Each write costs a system
 * call and wakes the PostgreSQL process.
 */
export function writeTogether({ connection: { stream } }: PoolClient): void {
  if (stream.writableCorked > 0) return
  stream.cork()
  process.nextTick(() => stream.uncork())
}

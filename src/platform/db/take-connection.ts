import { setTimeout as sleep } from 'node:timers/promises'
import { DatabaseError, type Pool, type PoolClient } from 'pg'
import { connectWithinMs, tryHosts } from './hosts.ts'

/** SQLSTATE: PostgreSQL, the role or the database has no connection left. */
const tooManyConnections = '53300'
const retryAfterMs = 100

/** Those who write with connections of one pool, or wait to do so. */
interface Writers {
  count: number
  waiting: (() => void)[]
}

const writersOf = new WeakMap<Pool, Writers>()

/** How many callers wait because the connections for writing are in use. */
export function countWaitingWriters(pool: Pool): number {
  return writersOf.get(pool)?.waiting.length ?? 0
}

/**
 * Takes a connection from the pool, and returns it with the function that gives it back. While PostgreSQL has no
 * connection left, tries again for as long as a connection may take. Writers leave a third of a pool to reads, which
 * then go on while every commit waits for a standby. Throws the driver's error.
 */
export async function takeConnection(
  pool: Pool,
  isWriting: boolean,
): Promise<{ client: PoolClient; release(broken?: Error): void }> {
  const deadline = performance.now() + connectWithinMs
  const leave = isWriting ? await takeTurn(pool) : () => undefined
  try {
    const client = await connect(pool, deadline)
    return {
      client,
      release(broken) {
        client.release(broken)
        leave()
      },
    }
  } catch (error) {
    leave()
    throw error
  }
}

async function connect(pool: Pool, deadline: number): Promise<PoolClient> {
  const { connectionString = '' } = pool.options
  for (;;) {
    try {
      return await tryHosts(connectionString, () => pool.connect())
    } catch (error) {
      const mayPass = error instanceof DatabaseError && error.code === tooManyConnections
      if (!mayPass || performance.now() > deadline) throw error
      await sleep(retryAfterMs)
    }
  }
}

/** Waits until fewer callers write than may, and returns the function that ends the turn. */
async function takeTurn(pool: Pool): Promise<() => void> {
  const { max } = pool.options
  const mostWriters = max < 4 ? max : max - Math.floor(max / 3)
  const writers = writersOf.get(pool) ?? { count: 0, waiting: [] }
  writersOf.set(pool, writers)
  const leave = () => {
    const next = writers.waiting.shift()
    if (next === undefined) writers.count -= 1
    else next()
  }
  if (writers.count < mostWriters) {
    writers.count += 1
    return leave
  }
  const turn = Promise.withResolvers<void>()
  writers.waiting.push(turn.resolve)
  const timer = setTimeout(() => {
    writers.waiting = writers.waiting.filter((each) => each !== turn.resolve)
    turn.reject(new Error('timeout exceeded when trying to connect'))
  }, connectWithinMs)
  await turn.promise.finally(() => clearTimeout(timer))
  return leave
}

/**
 * Whether a statement may write or lock, and so may wait at its commit. PostgreSQL rejects a function that writes in a
 * statement for which this is false: name it with one of these verbs.
 */
export function mayWrite(text: string): boolean {
  return /\b(?:insert\w*|maintain_\w+|probe_\w+|update|delete|truncate|merge|nextval|set_config)\b/i.test(text)
}

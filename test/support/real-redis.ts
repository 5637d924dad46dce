import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { isFullSize } from './campaign-size.ts'
import { findFreePort } from './service.ts'

/** A real Redis server, as opposed to the minimal one in `redis.ts`. */
export interface RealRedis {
  url: string
  stop(): Promise<void>
}

/**
 * The Redis at `REDIS_TEST_URL`. Without that variable, starts a server that stores nothing on disk, if tests run at
 * full size and
 * `redis-server` is installed. Otherwise undefined.
 */
export async function findRealRedis(): Promise<RealRedis | undefined> {
  const url = process.env.REDIS_TEST_URL
  if (url !== undefined) return { url, stop: async () => undefined }
  return isFullSize ? startRedisServer() : undefined
}

async function startRedisServer(): Promise<RealRedis | undefined> {
  const port = await findFreePort()
  const settings = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no']
  const server = spawn('redis-server', settings, { stdio: ['ignore', 'pipe', 'inherit'] })
  const isInstalled = await new Promise<boolean>((resolve, reject) => {
    server.once('spawn', () => resolve(true))
    server.once('error', (error: NodeJS.ErrnoException) => (error.code === 'ENOENT' ? resolve(false) : reject(error)))
  })
  if (!isInstalled) return undefined
  for await (const line of createInterface(server.stdout)) {
    if (line.includes('Ready to accept connections')) break
  }
  server.stdout.resume()
  return {
    url: `redis://127.0.0.1:${port}`,
    stop: async () => {
      if (server.exitCode !== null) throw new Error('redis-server ended before it was stopped')
      server.kill()
      await once(server, 'exit')
    },
  }
}

import { execFile } from 'node:child_process'
import { url as debuggerUrl } from 'node:inspector'
import { Worker } from 'node:worker_threads'
import type { Logger } from 'pino'

/** How long the event loop may hang. The unit in deploy/systemd has the same limit (`WatchdogSec`). */
const longestHangMs = 30_000

/**
 * Has whoever hears nothing from this process's event loop for 30 seconds end the process, so that its supervisor starts
 * it again. That is systemd, if `environment` says that it waits for notifications, and otherwise a thread, unless a
 * debugger may stop the event loop.
 */
export function watchEventLoop(
  environment: { NOTIFY_SOCKET?: string | undefined; WATCHDOG_USEC?: string | undefined },
  log: Pick<Logger, 'error'>,
  limitMs = longestHangMs,
): void {
  const isWatchedBySystemd = environment.NOTIFY_SOCKET !== undefined && environment.WATCHDOG_USEC !== undefined
  if (!isWatchedBySystemd && debuggerUrl() !== undefined) return
  const beat = isWatchedBySystemd ? () => notifySystemd(log) : startThread(log, limitMs)
  beat()
  setInterval(beat, limitMs / 3).unref()
}

/** Node itself cannot write to a datagram socket of Unix. */
function notifySystemd(log: Pick<Logger, 'error'>): void {
  execFile('systemd-notify', ['WATCHDOG=1'], (error) => {
    if (error !== null) log.error({ err: error }, 'systemd cannot be notified, so it will restart this process')
  })
}

/** Returns how the event loop is heard. */
function startThread(log: Pick<Logger, 'error'>, limitMs: number): () => void {
  const heartbeats = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
  const program = new URL('./event-loop-thread.ts', import.meta.url)
  const thread = new Worker(program, { env: {}, execArgv: [], workerData: { heartbeats, limitMs } })
  thread.unref()
  thread.on('error', (error) => log.error({ err: error }, 'nobody watches the event loop'))
  return () => {
    Atomics.add(heartbeats, 0, 1)
    Atomics.notify(heartbeats, 0)
  }
}

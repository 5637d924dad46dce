import assert from 'node:assert/strict'
import { setImmediate } from 'node:timers/promises'
import { pino } from 'pino'
import { startLoop } from '../../src/platform/jobs/loop.ts'
import type { ScheduledJob } from '../../src/platform/jobs/scheduler.ts'

/**
 * Runs a scheduled job every 20 ms instead of every minute. The returned `said(text)` counts the log lines that contain
 * the text.
 */
export function runEvery20Ms(createJob: (log: pino.Logger) => ScheduledJob) {
  const logged: { level: number; msg: string }[] = []
  const log = pino({}, { write: (line: string) => void logged.push(JSON.parse(line)) })
  const job = createJob(log)
  const stopping = new AbortController()
  const minutes = startLoop({
    steps: {
      async job() {
        await job.run(stopping.signal)
        return []
      },
    },
    onError: (_, error) => log.error({ err: error }, 'a run failed'),
    shortestPauseMs: 20,
    longestPauseMs: () => 20,
    errorPauseMs: 20,
  })
  const worker = {
    stop: () => {
      stopping.abort()
      return minutes.stop()
    },
  }
  return { worker, said: (text: string) => logged.filter(({ msg }) => msg.includes(text)).length }
}

/** Tells the worker to stop during a call. Asserts that it keeps running until the call is released, and then stops. */
export async function stopDuringCall(worker: { stop(): Promise<void> }, call: { release(): void }): Promise<void> {
  let hasStopped = false
  const stopped = worker.stop().then(() => {
    hasStopped = true
  })
  // A worker that does not wait for the call stops within this many turns of the event loop.
  for (let turn = 0; turn < 20; turn += 1) await setImmediate()
  assert.equal(hasStopped, false)
  call.release()
  await stopped
}

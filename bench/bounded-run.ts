import { execFileSync } from 'node:child_process'
import { cpus, loadavg } from 'node:os'
import { join } from 'node:path'
import { findDistribution } from '../src/platform/private-postgres/distribution.ts'

/** What a run has to say, and what it has to stop. */
export interface Steps {
  /** Adds something to stop when the run ends, however it ends. The last added is stopped first. */
  atEnd(stop: () => Promise<unknown>): void
  /** Prints how far the run is. */
  say(what: string): void
}

/**
 * Does the work, and afterwards stops what it started: also if it fails, takes longer than `maxMinutes`, or is
 * interrupted. Then throws.
 */
export async function runBounded<Result>(
  name: string,
  maxMinutes: number,
  work: (steps: Steps) => Promise<Result>,
): Promise<Result> {
  const begun = performance.now()
  const stops: (() => Promise<unknown>)[] = []
  let isEnding = false
  const { promise: interrupted, reject } = Promise.withResolvers<never>()
  const tooLong = new Error(`${name} has not ended after ${maxMinutes} minutes: the machine is too busy`)
  const timer = setTimeout(() => reject(tooLong), maxMinutes * 60_000)
  const onSignal = (signal: string) => reject(new Error(signal))
  process.on('SIGINT', onSignal).on('SIGTERM', onSignal).on('uncaughtException', reject)
  try {
    const steps: Steps = {
      // What starts while the run is being ended is stopped at once.
      atEnd: (stop) => void (isEnding ? stop() : stops.push(stop)),
      say: (what) => console.error(`${((performance.now() - begun) / 1_000).toFixed(0).padStart(4)} s  ${what}`),
    }
    return await Promise.race([work(steps), interrupted])
  } finally {
    clearTimeout(timer)
    isEnding = true
    for (const stop of stops.reverse()) {
      await stop().catch((error: unknown) => {
        console.error(error)
        process.exitCode = 1
      })
    }
    // Until here, an error of what is being stopped must not end the process.
    process.off('SIGINT', onSignal).off('SIGTERM', onSignal).off('uncaughtException', reject)
  }
}

/** The load average of the last minute. */
export function load(): string {
  return (loadavg()[0] ?? 0).toFixed(1)
}

/** The machine and the versions, in a sentence. */
export function aboutMachine(): string {
  const postgres = join(findDistribution().folder, 'bin', 'postgres')
  const [version = ''] = /[\d.]+$/m.exec(execFileSync(postgres, ['--version'], { encoding: 'utf8' }).trim()) ?? []
  const [processor] = cpus()
  return `${cpus().length} cores, ${processor?.model.trim()}; Node ${process.versions.node}, PostgreSQL ${version}.`
}

import { invocation } from './invocation.ts'
import { formatCount } from './table.ts'

/** A terminal, or another stream that a command writes to. */
export interface ProgressStream {
  isTTY?: boolean
  write(text: string): unknown
}

/**
 * Shows how far a long command has come: on one line of a terminal, and as a line every ten seconds on any other
 * stream.
 */
export interface Progress {
  /** `count`: how many are done. `done`: the share of the whole work, from 0 to 1; undefined if nobody knows. */
  update(count: number, done: number | undefined): void
  /** Removes the line. */
  clear(): void
}

const betweenLinesMs = { terminal: 100, other: 10_000 }

/** `unit` is what is counted, such as `rows`. `nowMs` is a clock that only goes forward. */
export function createProgress(
  unit: string,
  stream: ProgressStream = invocation().stderr,
  nowMs: () => number = () => performance.now(),
): Progress {
  let first: { at: number; count: number; done: number } | undefined
  const isTerminal = stream.isTTY === true
  const pauseMs = isTerminal ? betweenLinesMs.terminal : betweenLinesMs.other
  // Work that ends within the first pause is not worth a line in a log.
  let shownAt = isTerminal ? Number.NEGATIVE_INFINITY : nowMs()
  return {
    update(count, done) {
      const at = nowMs()
      // A command that continues earlier work starts with much of it done, which says nothing about its speed.
      first ??= { at, count, done: done ?? 0 }
      if (at - shownAt < pauseMs) return
      shownAt = at
      const seconds = (at - first.at) / 1_000
      const parts = [
        done === undefined ? undefined : `${Math.floor(done * 100)} %`,
        `${formatCount(count)} ${unit}`,
        seconds === 0 ? undefined : `${formatCount(Math.round((count - first.count) / seconds))}/s`,
        done === undefined || done <= first.done
          ? undefined
          : `${formatDuration((seconds * (1 - done)) / (done - first.done))} left`,
      ]
      const line = parts.filter((part) => part !== undefined).join('  ')
      stream.write(isTerminal ? `\r\u001b[K${line}` : `${line}\n`)
    },
    clear() {
      if (isTerminal && shownAt !== Number.NEGATIVE_INFINITY) stream.write('\r\u001b[K')
    },
  }
}

/** Prints progress for programs, to standard error, so that standard output contains only the result. */
export function writeProgress(progress: object | string): void {
  invocation().stderr.write(`${JSON.stringify({ progress })}\n`)
}

function formatDuration(seconds: number): string {
  const whole = Math.ceil(seconds)
  if (whole < 60) return `${whole} s`
  const minutes = Math.floor(whole / 60)
  return minutes < 60 ? `${minutes} min ${whole % 60} s` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}

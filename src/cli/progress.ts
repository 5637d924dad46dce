import { formatCount } from './table.ts'

/** A terminal, or another stream that a command writes to. */
export interface ProgressStream {
  isTTY?: boolean
  write(text: string): unknown
}

/** Shows how far a long command has come, on one line of a terminal. Writes nothing to any other stream. */
export interface Progress {
  /** `count`: how many are done. `done`: the share of the whole work, from 0 to 1; undefined if nobody knows. */
  update(count: number, done: number | undefined): void
  /** Removes the line. */
  clear(): void
}

const betweenLinesMs = 100

/** `unit` is what is counted, such as `rows`. `nowMs` is a clock that only goes forward. */
export function createProgress(
  unit: string,
  stream: ProgressStream = process.stderr,
  nowMs: () => number = () => performance.now(),
): Progress {
  let first: { at: number; count: number; done: number } | undefined
  let shownAt = Number.NEGATIVE_INFINITY
  return {
    update(count, done) {
      const at = nowMs()
      // A command that continues earlier work starts with much of it done, which says nothing about its speed.
      first ??= { at, count, done: done ?? 0 }
      if (stream.isTTY !== true || at - shownAt < betweenLinesMs) return
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
      stream.write(`\r\u001b[K${parts.filter((part) => part !== undefined).join('  ')}`)
    },
    clear() {
      if (stream.isTTY === true && shownAt !== Number.NEGATIVE_INFINITY) stream.write('\r\u001b[K')
    },
  }
}

function formatDuration(seconds: number): string {
  const whole = Math.ceil(seconds)
  if (whole < 60) return `${whole} s`
  const minutes = Math.floor(whole / 60)
  return minutes < 60 ? `${minutes} min ${whole % 60} s` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}

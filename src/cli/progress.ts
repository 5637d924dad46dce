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
  const isTerminal = stream.isTTY === true
  const pauseMs = isTerminal ? betweenLinesMs.terminal : betweenLinesMs.other
  // Work that ends within the first pause is not worth a line in a log.
  let shownAt = isTerminal ? Number.NEGATIVE_INFINITY : nowMs()
  return {
    update(count, done) {
      if (nowMs() - shownAt < pauseMs) return
      shownAt = nowMs()
      const line = `${done === undefined ? '' : `${Math.floor(done * 100)} %  `}${formatCount(count)} ${unit}`
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

import { setTimeout as sleep } from 'node:timers/promises'

/** `more`: there may be more to do at once. `idle`: nothing found. */
export type RunResult = 'more' | 'idle'

export interface Loop {
  /** Something may have happened: run as soon as the current run has ended, and look again soon after. */
  wake(): void
  /** No run begins after this; resolves when the current one has ended. */
  stop(): Promise<void>
}

export interface LoopOptions {
  run(): Promise<RunResult>
  /** The run failed; it is tried again after the longest pause. */
  onError(error: unknown): void
  shortestPauseMs?: number
  longestPauseMs?: number
  /** Between the beginnings of two runs at least, so that what comes in quick succession is one run's work. Asked before each. */
  restMs?(): number
}

/**
 * Repeats `run`, never two at a time: at once while there is more, and otherwise after a pause that doubles from the
 * shortest to the longest. Waking starts over with the shortest: whoever woke us may not have been the last, and the
 * look soon after finds what became visible a moment later. The longest pause is the poll that needs nobody to wake us.
 */
export function startLoop({
  run,
  onError,
  shortestPauseMs = 20,
  longestPauseMs = 1_000,
  restMs = () => 0,
}: LoopOptions): Loop {
  let stopped = false
  let woken = false
  let pauseMs = shortestPauseMs
  let begunAt = Number.NEGATIVE_INFINITY
  let endPause: (() => void) | undefined

  const pause = (ms: number) =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms)
      endPause = () => {
        clearTimeout(timer)
        resolve()
      }
    })

  async function repeat(): Promise<void> {
    while (!stopped) {
      const restingMs = begunAt + restMs() - performance.now()
      if (restingMs > 0) await sleep(restingMs)
      begunAt = performance.now()
      woken = false
      try {
        if ((await run()) === 'more') {
          pauseMs = shortestPauseMs
          continue
        }
      } catch (error) {
        onError(error)
        pauseMs = longestPauseMs
      }
      if (woken) pauseMs = shortestPauseMs
      else if (!stopped) await pause(pauseMs)
      pauseMs = woken ? shortestPauseMs : Math.min(pauseMs * 2, longestPauseMs)
    }
  }

  const ended = repeat()
  return {
    wake() {
      woken = true
      endPause?.()
    },
    async stop() {
      stopped = true
      endPause?.()
      await ended
    },
  }
}

export interface Loop<Kind extends string> {
  /**
   * Tells the loop that there is work of these kinds. It does that work next, and checks for work of every kind soon
   * afterwards.
   */
  wake(kinds: Iterable<Kind>): void
  /** Stops the loop: no further round starts. Resolves when the current round has ended. */
  stop(): Promise<void>
}

export interface LoopOptions<Kind extends string> {
  /**
   * How to do each kind of work. A round runs the steps in the order in which they are listed here. Each step returns
   * the kinds that may have new work because of it.
   */
  steps: Record<Kind, () => Promise<Iterable<Kind>>>
  /** Called when a step has failed; everything is checked again after `errorPauseMs`. */
  onError(kind: Kind, error: unknown): void
  /** The longest pause between rounds. When it ends, everything is checked, even if nothing has woken the loop. */
  longestPauseMs(): number
  shortestPauseMs?: number
  errorPauseMs?: number
  /**
   * The minimum time from the start of one round to the start of the next, so that work announced in quick succession
   * shares one round.
   */
  restMs?: number
}

/**
 * Starts a loop that repeatedly runs the steps whose work was announced, one after another. When nothing is left to do,
 * the loop pauses, each time twice as long as before, and then runs every step. After being woken, it starts again with
 * the shortest pause, so that it soon finds work that became visible a moment later.
 */
export function startLoop<Kind extends string>(options: LoopOptions<Kind>): Loop<Kind> {
  const { steps, onError, longestPauseMs, shortestPauseMs = 20, errorPauseMs = 1_000, restMs = 0 } = options
  // This cast is safe: `steps` has exactly these members.
  const kinds = Object.keys(steps) as Kind[]
  const woken = new Set<Kind>(kinds)
  let stopped = false
  let interrupt: { endsByWake: boolean; end(): void } | undefined

  const pause = (ms: number, endsByWake: boolean) =>
    new Promise<void>((resolve) => {
      if (stopped) return resolve()
      const end = () => {
        clearTimeout(timer)
        resolve()
      }
      const timer = setTimeout(end, ms)
      interrupt = { endsByWake, end }
    })

  /**
   * Runs one round and returns whether every step succeeded. New work for a step that has already run waits for the
   * next round.
   */
  async function runRound(): Promise<boolean> {
    let isSound = true
    for (const kind of kinds) {
      if (!woken.delete(kind)) continue
      try {
        for (const next of await steps[kind]()) woken.add(next)
      } catch (error) {
        isSound = false
        onError(kind, error)
      }
    }
    return isSound
  }

  function lookForAll(): void {
    for (const kind of kinds) woken.add(kind)
  }

  async function repeat(): Promise<void> {
    let pauseMs = shortestPauseMs
    while (!stopped) {
      const begunAt = performance.now()
      const isSound = await runRound()
      const isIdle = isSound && woken.size === 0
      if (isIdle) await pause(Math.min(pauseMs, longestPauseMs()), true)
      if (!isSound) await pause(errorPauseMs, false)
      pauseMs = isIdle && woken.size === 0 ? Math.min(pauseMs, longestPauseMs()) * 2 : shortestPauseMs
      if (woken.size === 0 || !isSound) lookForAll()
      const restingMs = begunAt + restMs - performance.now()
      if (restingMs > 0) await pause(restingMs, false)
    }
  }

  const ended = repeat()
  return {
    wake(more) {
      for (const kind of more) woken.add(kind)
      if (interrupt?.endsByWake) interrupt.end()
    },
    async stop() {
      stopped = true
      interrupt?.end()
      await ended
    },
  }
}

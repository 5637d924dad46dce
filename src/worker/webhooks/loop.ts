export interface Loop<Kind extends string> {
  /** There may be work of these kinds: it is looked for as soon as the current turn has ended, and again soon after. */
  wake(kinds: Iterable<Kind>): void
  /** No turn begins after this; resolves when the current one has ended. */
  stop(): Promise<void>
}

export interface LoopOptions<Kind extends string> {
  /** What each kind of work does, in the order of a turn. Returns the kinds that may have something to do because of it. */
  steps: Record<Kind, () => Promise<Iterable<Kind>>>
  /** A step failed; everything is looked for again after `errorPauseMs`. */
  onError(kind: Kind, error: unknown): void
  /** The pause at which everything is looked for although nobody woke us. */
  longestPauseMs(): number
  shortestPauseMs?: number
  errorPauseMs?: number
  /** At least so long between the beginnings of two turns, so that what comes in quick succession is one turn's work. */
  restMs?: number
}

/**
 * Repeats turns, never two at a time. A turn does the kinds of work it was woken for. Where nothing is left to do it pauses, each pause
 * twice as long as the one before, and then looks for everything. A wake starts over with the shortest pause: the look after it
 * finds what became visible a moment later.
 */
export function startLoop<Kind extends string>(options: LoopOptions<Kind>): Loop<Kind> {
  const { steps, onError, longestPauseMs, shortestPauseMs = 20, errorPauseMs = 1_000, restMs = 0 } = options
  // Safe: `steps` has exactly these members.
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

  /** Whether all went well. What a step leaves to a kind before it is for the next turn. */
  async function turn(): Promise<boolean> {
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
      const isSound = await turn()
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

import { monitorEventLoopDelay } from 'node:perf_hooks'

/** The results of requests. */
export interface LoadResult {
  /** How many milliseconds it took until each response was read completely. Unexpected responses are left out. */
  times: number[]
  /** The number of requests without a response or with an unexpected one. */
  errors: number
  /** The p99 of how late the sender itself was, in milliseconds: no response can be timed more exactly. */
  senderLagP99Ms: number
}

const tickMs = 5

/**
 * Calls `send` at a steady rate, however long responses take, so a slow server gets no less load. Returns after the
 * last response. `send` throws if the response is unexpected.
 */
export async function runSteadyLoad(
  perSecond: number,
  seconds: number,
  send: (index: number) => Promise<unknown>,
): Promise<LoadResult> {
  const outcome = { times: [] as number[], errors: 0 }
  // Counted rather than kept: hundreds of thousands of promises would make the sender pause for its own memory.
  let [sent, ended] = [0, 0]
  const lag = monitorEventLoopDelay({ resolution: 1 })
  lag.enable()
  const total = Math.ceil(perSecond * seconds)
  const startedAt = performance.now()

  const sendOne = async (index: number) => {
    const sentAt = performance.now()
    try {
      await send(index)
      outcome.times.push(performance.now() - sentAt)
    } catch (error) {
      if (outcome.errors === 0) console.error(String(error))
      outcome.errors += 1
    }
    ended += 1
  }
  await new Promise<void>((resolve) => {
    const timer = setInterval(() => {
      const due = Math.min(total, Math.floor(((performance.now() - startedAt) * perSecond) / 1_000))
      for (; sent < due; sent += 1) void sendOne(sent)
      if (ended < total) return
      clearInterval(timer)
      resolve()
    }, tickMs)
  })
  lag.disable()
  return { ...outcome, senderLagP99Ms: lag.percentile(99) / 1e6 }
}

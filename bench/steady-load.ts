/** The results of requests. */
export interface LoadResult {
  /** How many milliseconds it took until each response was read completely. Unexpected responses are left out. */
  times: number[]
  /** The number of requests without a response or with an unexpected one. */
  errors: number
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
  const outcome: LoadResult = { times: [], errors: 0 }
  const underWay: Promise<void>[] = []
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
  }
  await new Promise<void>((resolve) => {
    const timer = setInterval(() => {
      const due = Math.min(total, Math.floor(((performance.now() - startedAt) * perSecond) / 1_000))
      while (underWay.length < due) underWay.push(sendOne(underWay.length))
      if (underWay.length < total) return
      clearInterval(timer)
      resolve()
    }, tickMs)
  })
  await Promise.all(underWay)
  return outcome
}

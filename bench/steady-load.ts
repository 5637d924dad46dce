/** The results for one kind of request while the load runs. */
export interface LoadResult {
  /** How many milliseconds it took until each response was read completely. Unexpected responses are left out. */
  times: number[]
  /** The number of requests without a response or with an unexpected one. */
  errors: number
}

interface SteadyLoad<Kind extends string> {
  requestsPerSecond: number
  seconds: number
  /** Chooses the kind of the nth request. */
  kindOf: (index: number) => Kind
  /** Sends one request of this kind; throws if the response is unexpected. */
  send: (kind: Kind) => Promise<unknown>
}

const tickMs = 5

/** Sends requests at a steady rate, however long responses take, so a slow server gets no less load. Returns after the last response. */
export async function runSteadyLoad<Kind extends string>({
  requestsPerSecond,
  seconds,
  kindOf,
  send,
}: SteadyLoad<Kind>): Promise<Map<Kind, LoadResult>> {
  const outcomes = new Map<Kind, LoadResult>()
  const underWay: Promise<void>[] = []
  const total = requestsPerSecond * seconds
  const startedAt = performance.now()

  const sendOne = async (kind: Kind) => {
    const outcome = outcomes.get(kind) ?? { times: [], errors: 0 }
    outcomes.set(kind, outcome)
    const sentAt = performance.now()
    try {
      await send(kind)
      outcome.times.push(performance.now() - sentAt)
    } catch (error) {
      if (outcome.errors === 0) console.error(String(error))
      outcome.errors += 1
    }
  }
  await new Promise<void>((resolve) => {
    const timer = setInterval(() => {
      const due = Math.min(total, Math.floor(((performance.now() - startedAt) * requestsPerSecond) / 1_000))
      while (underWay.length < due) underWay.push(sendOne(kindOf(underWay.length)))
      if (underWay.length < total) return
      clearInterval(timer)
      resolve()
    }, tickMs)
  })
  await Promise.all(underWay)
  return outcomes
}

import type { ApiClient } from '../api-client.ts'
import { percentile } from '../percentile.ts'
import { runSteadyLoad } from '../steady-load.ts'
import { type StepName, stepNames, type TakeStep, walkJourney } from './walk.ts'

/** How many journeys are under way at full speed. More acceptances at once than a partner may have waiting are turned away. */
const atOnce = 8

export interface StepTimes {
  step: StepName
  count: number
  p50Ms: number
  p99Ms: number
}

/** Begins a journey whenever one ends. Returns how many ended a second, until the last one has. */
export async function walkAtFullSpeed(api: ApiClient, seconds: number): Promise<{ perSecond: number }> {
  const startedAt = performance.now()
  const isOver = () => performance.now() - startedAt >= seconds * 1_000
  let journeys = 0
  const lane = async () => {
    while (!isOver()) {
      await walkJourney(api)
      journeys += 1
    }
  }
  await Promise.all(Array.from({ length: atOnce }, lane))
  return { perSecond: (journeys * 1_000) / (performance.now() - startedAt) }
}

/** Begins journeys at this rate, whether or not earlier ones have ended, and times their steps. Throws if a step fails. */
export async function walkSteadily(
  api: ApiClient,
  journeysPerSecond: number,
  seconds: number,
): Promise<{ journeysPerSecond: number; steps: StepTimes[] }> {
  const times = new Map<StepName, number[]>(stepNames.map((name) => [name, []]))
  const take: TakeStep = async (name, send) => {
    const startedAt = performance.now()
    const reply = await send()
    times.get(name)?.push(performance.now() - startedAt)
    return reply
  }
  const outcomes = await runSteadyLoad({
    requestsPerSecond: journeysPerSecond,
    seconds,
    kindOf: () => 'journey' as const,
    send: () => walkJourney(api, take),
  })
  const failed = outcomes.get('journey')?.errors ?? 0
  if (failed > 0) throw new Error(`${failed} journeys failed`)
  const steps = [...times].map(([step, took]) => ({
    step,
    count: took.length,
    p50Ms: percentile(took, 50),
    p99Ms: percentile(took, 99),
  }))
  return { journeysPerSecond, steps }
}

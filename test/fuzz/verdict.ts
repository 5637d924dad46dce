import type { CampaignReport, Finding } from './campaign.ts'
import { operations } from './document.ts'
import { statesMetBy } from './households.ts'
import type { MemoryInUse } from './service-process.ts'

/**
 * How many of the first samples are ignored: during them, code is still being compiled, and caches and pools are being
 * filled.
 */
const warmUpSamples = 4
/**
 * Memory growth up to this size does not count as a leak: bounded caches are still filling, and garbage collections
 * come at any time.
 */
const maxGrowthBytes = 8 * 1024 * 1024
/** Runs with fewer requests end during the warm-up, so their memory growth means nothing. */
const enoughToWarmUp = 10_000
/** With at least this many requests, every operation is sent several times in every state. */
const enoughForAllStates = 10_000

/** The problems of a campaign as a whole: memory growth, and states in which some operation was never sent. */
export function campaignProblems(report: CampaignReport): string[] {
  const found: string[] = []
  const growth = calculateMemoryGrowth(report.memory)
  if (report.sent >= enoughToWarmUp && growth > maxGrowthBytes)
    found.push(`memory grew by ${inMiB(growth)} after warming up; ${inMiB(maxGrowthBytes)} is allowed`)
  if (report.sent >= enoughForAllStates) {
    const missed = wantedMeetings().filter((meeting) => !report.met.has(meeting))
    if (missed.length > 0) found.push(`combinations that never occurred: ${missed.join('; ')}`)
  }
  return found
}

/**
 * The combinations that must occur: every operation that takes a quote's or customer's id, in every state that it
 * meets.
 */
function wantedMeetings(): string[] {
  const about = operations.filter(({ idOf }) => idOf === 'quoteId' || idOf === 'customerId')
  return about.flatMap((operation) => statesMetBy(operation).map((state) => `${operation.operationId}, when ${state}`))
}

/** Growth from the mean of the first samples after the warm-up to the mean of the last ones. */
export function calculateMemoryGrowth(samples: readonly MemoryInUse[]): number {
  const warm = samples.slice(warmUpSamples)
  const third = Math.max(1, Math.floor(warm.length / 3))
  return mean(warm.slice(-third)) - mean(warm.slice(0, third))
}

function mean(samples: readonly MemoryInUse[]): number {
  return samples.reduce((sum, { heap, external }) => sum + heap + external, 0) / Math.max(1, samples.length)
}

export function describeReport({ sent, seconds, statuses, met, memory }: CampaignReport): string {
  const byStatus = Object.entries(statuses).map(([status, count]) => `${status}: ${count}`)
  const inUse = memory.map((sample) => inMiB(mean([sample])))
  return [
    `${sent} requests in ${seconds.toFixed(1)} s (${Math.round(sent / seconds)} a second); ${met.size} combinations of operation and state`,
    `responses by status: ${byStatus.join(', ')}`,
    `memory in use after garbage collection: ${inUse.join(', ')}`,
  ].join('\n')
}

export function describeFinding({ number, complaints, state, curl, answer }: Finding, seed: number): string {
  return [
    '',
    `request ${number}, to a household "${state}": ${complaints.join('; ')}`,
    `  answered: ${answer}`,
    `  again:    SEED=${seed} ONLY=${number} node scripts/tests.ts test/fuzz/campaign.full.test.ts`,
    `  by hand:  ${curl}`,
  ].join('\n')
}

function inMiB(bytes: number): string {
  return `${(bytes / 1_048_576).toFixed(1)} MiB`
}

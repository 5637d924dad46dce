import type { CampaignReport, Finding } from './campaign.ts'
import { operations } from './document.ts'
import { statesMetBy } from './households.ts'

/** With at least this many requests, every operation is sent several times in every state. */
const enoughForAllStates = 10_000

/** The problems of a campaign as a whole: states in which some operation was never sent. */
export function campaignProblems(report: CampaignReport): string[] {
  const found: string[] = []
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

export function describeReport({ sent, seconds, statuses, met }: CampaignReport): string {
  const byStatus = Object.entries(statuses).map(([status, count]) => `${status}: ${count}`)
  return [
    `${sent} requests in ${seconds.toFixed(1)} s (${Math.round(sent / seconds)} a second); ${met.size} combinations of operation and state`,
    `responses by status: ${byStatus.join(', ')}`,
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

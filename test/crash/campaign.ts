import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { eventTypes } from '../../src/events/event.ts'
import { BackOffice } from '../back-office/back-office.ts'
import { installLockedQuoteTriggers } from '../state/locked-quotes.ts'
import { connectPartner } from '../support/client.ts'
import { findProperty } from '../support/household.ts'
import { succeeded } from '../support/responses.ts'
import { startReceiver } from '../webhooks/receiver-fixture.ts'
import { Deployment, type KillTarget, killTargets } from './deployment.ts'
import { goThroughJourney, type Journey } from './household-journey.ts'
import { Ledger } from './ledger.ts'
import { PersistentPartner } from './persistent-partner.ts'
import { findDeliveryFaults, findLostWrites, findStateFaults, readRecordedEvents, untilArrived } from './verdict.ts'

export interface CrashPlan {
  rounds: number
  /** How many households start in each round; those of earlier rounds continue. */
  householdsPerRound: number
  /**
   * A process that dies leaves the idempotency key of an unfinished request claimed for a minute. Says whether retries
   * wait for that minute, or whether the campaign ends the claim at once, as if the minute had passed.
   */
  claims: 'last a minute' | 'lapse at once'
  log: (line: string) => void
}

export interface CrashReport {
  kills: Record<KillTarget, number>
  households: number
  acknowledged: number
  lost: number
  retries: number
  unanswered: number
  events: number
  deliveries: number
  /** How many contracts the example back office followed. */
  contracts: number
  statuses: Record<string, number>
  ledgerFile: string
  /** Every fault found, described in one sentence each. */
  broken: string[]
}

/**
 * Runs several rounds of load and, in each, kills the service, PostgreSQL or both with `kill -9`. Checks everything at
 * the end.
 */
export async function runCrashes({ rounds, householdsPerRound, claims, log }: CrashPlan): Promise<CrashReport> {
  const ledgerFile = join(await mkdtemp(join(tmpdir(), 'housebill-ledger-')), 'acknowledged.jsonl')
  const ledger = new Ledger(ledgerFile)
  const cleanups: (() => unknown)[] = []
  try {
    const deployment = await Deployment.open()
    cleanups.push(() => deployment.close())
    const { baseUrl, connectionString } = deployment
    await installLockedQuoteTriggers(connectionString)
    const receiver = await startReceiver({ after: (cleanup) => cleanups.push(cleanup as () => unknown) })
    const connected = await connectPartner(baseUrl, deployment.credentials)
    succeeded(await connected.post('/Webhooks', { url: `https://localhost:${receiver.port}/`, events: eventTypes }))
    const addressUid = await findProperty(connected, 'NR4 7TJ')
    const partner = new PersistentPartner(baseUrl, connected.token, ledger)

    const backOffice = await BackOffice.open(deployment)
    cleanups.push(() => backOffice.close())
    const journeys: Promise<Journey>[] = []
    const failures: string[] = []
    const kills: Record<KillTarget, number> = { service: 0, database: 0, both: 0 }
    for (let round = 0; round < rounds; round += 1) {
      for (let count = 0; count < householdsPerRound; count += 1) {
        const journey = goThroughJourney(partner, addressUid, journeys.length)
        journey.catch((error: unknown) => failures.push(String(error)))
        journeys.push(journey)
      }
      await someLoad(ledger)
      const target = killTargets[round % killTargets.length] ?? 'service'
      const before = ledger.acknowledged.length
      const begun = performance.now()
      await Promise.all([deployment.crash(target), backOffice.kill()])
      backOffice.start()
      kills[target] += 1
      if (claims === 'lapse at once') await expireClaims(connectionString)
      log(
        `${round + 1}/${rounds} ${target} killed after ${before} acknowledged writes, ready again after ${Math.round(performance.now() - begun)} ms`,
      )
    }
    const ended = await Promise.allSettled(journeys)
    const households = ended.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []))
    const events = await readRecordedEvents(connectionString)
    const arrived = () => new Set(receiver.events().map(({ message }) => message.id)).size
    await untilArrived(arrived, events.length)
    const contracts = await backOffice.untilComplete().catch((error: unknown) => {
      failures.push(String(error))
      return []
    })
    const lost = await findLostWrites(partner, ledger)
    return {
      kills,
      households: households.length,
      acknowledged: ledger.acknowledged.length,
      lost: lost.length,
      retries: ledger.retries,
      unanswered: ledger.unanswered,
      events: events.length,
      deliveries: receiver.events().length,
      contracts: contracts.length,
      statuses: Object.fromEntries(ledger.statuses),
      ledgerFile,
      broken: [
        ...failures,
        ...lost.map(({ key, path }) => `lost: ${path} with ${key}`),
        ...(await findStateFaults(connectionString, households)),
        ...findDeliveryFaults(events, receiver.events()),
      ],
    }
  } finally {
    for (const cleanup of cleanups.reverse()) await cleanup()
  }
}

/**
 * Waits until more writes have been acknowledged, but at most 5 s, because most requests may be waiting for idempotency
 * keys that a killed process had claimed.
 */
async function someLoad({ acknowledged }: Ledger): Promise<void> {
  const enough = acknowledged.length + 5 + Math.random() * 35
  const deadline = performance.now() + 5_000
  while (acknowledged.length < enough && performance.now() < deadline) await sleep(5)
  await sleep(Math.random() * 50)
}

/**
 * Expires the claims that unfinished requests hold on their idempotency keys, as if their processes had died a minute
 * ago.
 */
export async function expireClaims(connectionString: string): Promise<void> {
  const client = new Client({ connectionString })
  await client.connect()
  try {
    await client.query('update idempotency_keys set claimed_until = now() where response_encrypted is null')
  } finally {
    await client.end()
  }
}

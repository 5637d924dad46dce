import { setTimeout as sleep } from 'node:timers/promises'
import { goThroughJourney, type Journey } from '../test/crash/household-journey.ts'

interface Traffic {
  /** The households that have come to their end so far. */
  journeys: readonly Journey[]
  /** What went wrong with the others. */
  faults: readonly string[]
  /** Begins no more, and waits for those that are on their way. */
  end(): Promise<void>
}

/**
 * Sends households from quote to contract, so many at a time, and reads beside them, until `end` is called. `read` is
 * given the quote of the household that ended last.
 */
export function startHouseholdTraffic(
  partner: Parameters<typeof goThroughJourney>[0],
  {
    addressUid,
    lanes,
    read,
  }: {
    addressUid: string
    lanes: { households: number; readers: number }
    read(quoteId: string | undefined): Promise<unknown>
  },
): Traffic {
  const journeys: Journey[] = []
  const faults: string[] = []
  let next = 1
  let isOver = false
  const sendHouseholds = async () => {
    while (!isOver) {
      const number = next
      next += 1
      await goThroughJourney(partner, addressUid, number).then(
        (journey) => journeys.push(journey),
        (error: unknown) => faults.push(String(error)),
      )
    }
  }
  const readOn = async () => {
    while (!isOver) {
      await read(journeys.at(-1)?.quoteId)
      await sleep(50)
    }
  }
  const all = [
    ...Array.from({ length: lanes.households }, sendHouseholds),
    ...Array.from({ length: lanes.readers }, readOn),
  ]
  return {
    journeys,
    faults,
    async end() {
      isOver = true
      await Promise.all(all)
    },
  }
}

import { countInWords } from '../../contracts/in-words.ts'

/** A webhook is disabled after so many days of nothing but failures (docs/webhooks.md#retries). */
export const maxFailingDays = 5
const maxFailingMs = maxFailingDays * 86_400_000

/** A webhook's current streak of failed attempts; both null while there is none. */
export interface FailureStreak {
  failingSince: Date | null
  lastFailedAt: Date | null
}

/**
 * The streak after one more failed attempt. A silence of more than five days ends a streak: nothing sent is not
 * "nothing but failures", and a lone failure months later must not disable a webhook at once.
 */
export function afterFailure(streak: FailureStreak, now: Date): { failingSince: Date; lastFailedAt: Date } {
  const { failingSince, lastFailedAt } = streak
  const goesOn =
    failingSince !== null && lastFailedAt !== null && now.getTime() - lastFailedAt.getTime() <= maxFailingMs
  return { failingSince: goesOn ? failingSince : now, lastFailedAt: now }
}

/** After five days of nothing but failures a webhook is disabled (docs/webhooks.md#retries). */
export function hasFailedTooLong(streak: { failingSince: Date; lastFailedAt: Date }): boolean {
  return streak.lastFailedAt.getTime() - streak.failingSince.getTime() >= maxFailingMs
}

export const disabledReasons = {
  gone: 'The receiver responded with 410 Gone.',
  failing: `Every delivery failed for ${countInWords(maxFailingDays)} days.`,
  byPartner: 'You disabled it.',
} as const

const hour = 3_600_000

/** How long a request's uid, a check and an upstream's response are valid (docs/api-behaviour.md#availability-checks). */
export const availabilityLifeMs = 24 * hour

/** A partner's request to check which broadband a property can have. */
export interface AvailabilityRequest {
  uid: string
  addressUid: string
  /** `completed` after the first check; the check may be repeated. */
  status: 'pending' | 'completed'
  createdAt: Date
  /** From this time on, the uid is unknown. */
  expiresAt: Date
}

/**
 * Whether the text has the form of an availability request's uid. If not, no lookup is needed, and PostgreSQL might reject the
 * text.
 */
export function isAvailabilityUid(text: string): boolean {
  return /^availability_[0-7][0-9a-z]{25}$/.test(text)
}

export function newAvailabilityRequest(uid: string, addressUid: string, now: Date): AvailabilityRequest {
  const expiresAt = new Date(now.getTime() + availabilityLifeMs)
  return { uid, addressUid, status: 'pending', createdAt: now, expiresAt }
}

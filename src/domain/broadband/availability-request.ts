const hour = 3_600_000

/**
 * How long a request's uid is valid, and how long results and checks count (docs/api-behaviour.md#availability-checks).
 */
export const availabilityLifeMs = 24 * hour

/** A partner's wish to have broadband at a home looked up. */
export interface AvailabilityRequest {
  uid: string
  addressUid: string
  /** `completed` once a check has been run for it; it may be run again. */
  status: 'pending' | 'completed'
  createdAt: Date
  /** From this moment on the uid is unknown. */
  expiresAt: Date
}

/** Whether the text could be an availability request's uid: anything else need not, and partly cannot, be looked for. */
export function isAvailabilityUid(text: string): boolean {
  return /^availability_[0-7][0-9a-z]{25}$/.test(text)
}

export function newAvailabilityRequest(uid: string, addressUid: string, now: Date): AvailabilityRequest {
  const expiresAt = new Date(now.getTime() + availabilityLifeMs)
  return { uid, addressUid, status: 'pending', createdAt: now, expiresAt }
}

import { availabilityLifetimeMs } from '../quote-limits.ts'

/** A partner's request to check what broadband a property can have. */
export interface AvailabilityRequest {
  uid: string
  addressUid: string
  /** The status is `completed` after the first check, but the check may be repeated. */
  status: 'pending' | 'completed'
  createdAt: Date
  /** From this time on, the uid is treated as unknown. */
  expiresAt: Date
}

/**
 * Whether the text has the form of an availability request's uid. Any other text needs no lookup, and PostgreSQL might
 * reject it.
 */
export function isAvailabilityUid(text: string): boolean {
  return /^availability_[0-7][0-9a-z]{25}$/.test(text)
}

export function newAvailabilityRequest(uid: string, addressUid: string, now: Date): AvailabilityRequest {
  const expiresAt = new Date(now.getTime() + availabilityLifetimeMs)
  return { uid, addressUid, status: 'pending', createdAt: now, expiresAt }
}

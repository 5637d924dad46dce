/** The source of the current time: the system clock in production, a clock under control in tests. */
export interface Clock {
  now(): Date
}

export const systemClock: Clock = { now: () => new Date() }

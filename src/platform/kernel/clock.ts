/** The source of the current time: the system clock in production, a controllable clock in tests. */
export interface Clock {
  now(): Date
}

export const systemClock: Clock = { now: () => new Date() }

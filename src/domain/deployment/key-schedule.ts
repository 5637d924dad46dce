/**
 * Which keys of one kind are in use: the current one signs; the next one, if it is announced, is about to; each previous one verifies what
 * it signed `until` the last of it has expired. Times are ISO 8601 instants.
 */
export interface KeySchedule {
  current: string
  next?: { id: string; since: string }
  previous: { id: string; until: string }[]
}

/** How long a key is announced before it is used: more than twice the time in which every process notices it. */
const announcementSeconds = 5

export function readSchedule(text: string): KeySchedule {
  return JSON.parse(text) as KeySchedule
}

/** Announces the key, in place of one that was announced before. */
export function announce(schedule: KeySchedule, id: string, now: Date): KeySchedule {
  return { ...schedule, next: { id, since: now.toISOString() } }
}

/** When the announced key may come into use. Undefined if none is announced. */
export function promotableAt({ next }: KeySchedule): Date | undefined {
  return next === undefined ? undefined : new Date(Date.parse(next.since) + announcementSeconds * 1000)
}

/** Makes the announced key the current one. The replaced key verifies for `overlapSeconds` more; with 0, no earlier key verifies. */
export function promote(schedule: KeySchedule, overlapSeconds: number, now: Date): KeySchedule {
  const { current, next, previous } = schedule
  if (next === undefined) return schedule
  const until = new Date(now.getTime() + overlapSeconds * 1000).toISOString()
  const kept = previous.filter((each) => Date.parse(each.until) > now.getTime())
  return { current: next.id, previous: overlapSeconds === 0 ? [] : [{ id: current, until }, ...kept] }
}

/** Every previous key verifies for at most `overlapSeconds` more. Leaves out those that then verify nothing. */
export function endPreviousWithin(schedule: KeySchedule, overlapSeconds: number, now: Date): KeySchedule {
  const latest = new Date(now.getTime() + overlapSeconds * 1000).toISOString()
  const previous = schedule.previous
    .map(({ id, until }) => ({ id, until: until < latest ? until : latest }))
    .filter(({ until }) => Date.parse(until) > now.getTime())
  return { ...schedule, previous }
}

/** The ids of the keys that verify now, the current one first. */
export function acceptedKeys({ current, next, previous }: KeySchedule, now: Date): string[] {
  const kept = previous.filter((each) => Date.parse(each.until) > now.getTime())
  return [current, ...(next === undefined ? [] : [next.id]), ...kept.map(({ id }) => id)]
}

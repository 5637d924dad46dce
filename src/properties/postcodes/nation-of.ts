import { type Nation, nations } from '../property.ts'

/** Converts a stored `country` to a nation. Older rows may hold other text, which counts as England. */
export function nationOf(country: string): Nation {
  return nations.find((nation) => nation === country) ?? 'England'
}

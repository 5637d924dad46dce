import { type Nation, nations } from '../property.ts'

/** The nation a stored country names; England where an older row says something else. */
export function nationOf(country: string): Nation {
  return nations.find((nation) => nation === country) ?? 'England'
}

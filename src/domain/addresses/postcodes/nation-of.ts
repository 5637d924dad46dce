import { type Nation, nations } from '../property.ts'

/** The nation of a stored country; England if an older row holds anything else. */
export function nationOf(country: string): Nation {
  return nations.find((nation) => nation === country) ?? 'England'
}

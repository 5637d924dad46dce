import { createHash } from 'node:crypto'
import { generateSpecialCases } from '../samples/sample-properties.ts'
import type { SpecialCase } from '../samples/special-case.ts'

/** Finds the special case that a property simulates; null for an ordinary property. */
export type FindSpecialCase = (uprn: string) => SpecialCase | null

/** Returns a function that finds the special cases among the sandbox's sample properties. */
export function createSampleSpecialCaseFinder(): FindSpecialCase {
  const byUprn = new Map(generateSpecialCases().map((property) => [property.uprn, property.specialCase]))
  return (uprn) => byUprn.get(uprn) ?? null
}

/** A number from 0 to 255 that is always the same for the same property and purpose. */
export function deriveStableByte(uprn: string, purpose: string): number {
  return createHash('sha256').update(`${purpose} ${uprn}`).digest().readUInt8(0)
}

/** The fastest download speed at a property, in Mbps. It is the same in both simulators. */
export function networkSpeedMbps(uprn: string): number {
  return deriveStableByte(uprn, 'network') < 128 ? 1_000 : 550
}

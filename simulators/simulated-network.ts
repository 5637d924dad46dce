import { createHash } from 'node:crypto'
import { generateSpecialCases } from '../src/domain/addresses/samples/sample-properties.ts'
import type { SpecialCase } from '../src/domain/addresses/samples/special-case.ts'

/** Looks up what is special about a home; null for every ordinary one, known to the sandbox or not. */
export type SpecialCaseOf = (uprn: string) => SpecialCase | null

/** Those of the properties a sandbox ships with. */
export function sampleSpecialCases(): SpecialCaseOf {
  const byUprn = new Map(generateSpecialCases().map((property) => [property.uprn, property.specialCase]))
  return (uprn) => byUprn.get(uprn) ?? null
}

/** A number from 0 to 255 that is always the same for a home and a purpose. */
export function fateOf(uprn: string, purpose: string): number {
  return createHash('sha256').update(`${purpose} ${uprn}`).digest().readUInt8(0)
}

/** The fastest download the invented networks carry at a home, in Mbps: both simulators tell the same tale. */
export function networkSpeedMbps(uprn: string): number {
  return fateOf(uprn, 'network') < 128 ? 1_000 : 550
}

import type { Property } from '../../src/domain/addresses/property.ts'
import { generateSampleProperties } from '../../src/domain/addresses/samples/sample-properties.ts'
import type { SpecialCase } from '../../src/domain/addresses/samples/special-case.ts'

const samples = generateSampleProperties()

/** One of the homes a sandbox ships with about which nothing is special; the first ones lie in England. */
export function ordinaryProperty(index = 0): Property {
  return theOne(samples.filter((property) => property.specialCase === null)[index], `ordinary home ${index}`)
}

/** The home of postcode TE5 7AA with this special case. */
export function specialProperty(specialCase: SpecialCase): Property {
  return theOne(
    samples.find((property) => property.specialCase === specialCase),
    specialCase,
  )
}

function theOne(property: Property | undefined, wish: string): Property {
  if (property === undefined) throw new Error(`no such sample property: ${wish}`)
  return property
}

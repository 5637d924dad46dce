import type { Property } from '../../src/properties/property.ts'
import { generateSampleProperties } from '../../src/sandbox/samples/sample-properties.ts'
import type { SpecialCase } from '../../src/sandbox/samples/special-case.ts'

const samples = generateSampleProperties()

/** A sample property without a special case. The properties with low indexes are in England. */
export function ordinaryProperty(index = 0): Property {
  return required(samples.filter((property) => property.specialCase === null)[index], `ordinary property ${index}`)
}

/** The sample property with this special case, at postcode TE5 7AA. */
export function specialProperty(specialCase: SpecialCase): Property {
  return required(
    samples.find((property) => property.specialCase === specialCase),
    specialCase,
  )
}

function required(property: Property | undefined, what: string): Property {
  if (property === undefined) throw new Error(`no such sample property: ${what}`)
  return property
}

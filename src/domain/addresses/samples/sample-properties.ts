import type { Property } from '../property.ts'
import { inventHome, inventHomes, maxSerial } from './sample-homes.ts'
import { readSamplePlaces, type SamplePlace } from './sample-postcodes.ts'
import { type SpecialCase, specialCasePostcode, specialCases } from './special-case.ts'

/** The seed of the homes a sandbox ships with. */
const shippedSeed = 0

/**
 * The homes a sandbox ships with: fifteen at each sample postcode, all with both meters and broadband, and one home
 * for each special case. Always the same, identifiers and meter numbers included.
 */
export function generateSampleProperties(): Property[] {
  const ordinary = readSamplePlaces().flatMap((place, block) => inventHomes(place, shippedSeed, block))
  return [...ordinary, ...generateSpecialCases()]
}

/** Only the properties that stand for a special case. */
export function generateSpecialCases(): Property[] {
  return specialCases.map(specialHome)
}

const specialPlace: SamplePlace = {
  postcode: specialCasePostcode,
  town: 'Testbridge',
  county: '',
  country: 'England',
  distributorId: '15',
}
const scottishPlace: SamplePlace = { ...specialPlace, country: 'Scotland', distributorId: '18' }
const independentNetwork: SamplePlace = { ...specialPlace, distributorId: '26' }

const whatIsSpecial: Record<SpecialCase, { says: string; place?: SamplePlace; without?: Partial<Property> }> = {
  'no-gas': { says: 'no gas', without: { mprn: null } },
  'no-electricity': { says: 'no electricity', without: { mpan: null } },
  'no-meters': { says: 'no meters', without: { mpan: null, mprn: null } },
  'home-telecom-down': { says: 'home-telecom provider down' },
  'broadband-database-down': { says: 'broadband database down' },
  'both-down': { says: 'both down' },
  'slow-upstreams': { says: 'slow upstreams' },
  'no-broadband': { says: 'no broadband' },
  'idno-meter': { says: 'IDNO meter', place: independentNetwork },
  scotland: { says: 'Scotland', place: scottishPlace },
}

function specialHome(specialCase: SpecialCase, index: number): Property {
  const { says, place = specialPlace, without } = whatIsSpecial[specialCase]
  // Numbered from the far end, so that any number of sample postcodes can be added.
  const home = inventHome(place, shippedSeed, maxSerial - index, `House ${index + 1}: ${says}`)
  return { ...home, ...without, specialCase }
}

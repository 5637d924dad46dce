import { readFileSync } from 'node:fs'
import { parse } from 'csv-parse/sync'
import { type Nation, nations } from '../property.ts'

/** A real postcode (a university's), with the town and region it lies in, where sample properties are invented. */
export interface SamplePlace {
  postcode: string
  town: string
  county: string
  country: Nation
  distributorId: string
}

const file = new URL('../../../../reference/sample-postcodes.csv', import.meta.url)

/**
 * The places in `reference/sample-postcodes.csv`, in the file's order. New places go to the end of that file: a
 * place's position is part of its properties' numbers. Throws where the file names no served nation.
 */
export function readSamplePlaces(): SamplePlace[] {
  const rows = parse<Record<string, string>>(readFileSync(file, 'utf8'), { columns: true })
  return rows.map(({ postcode = '', town = '', county = '', country = '', distributor_id: distributorId = '' }) => {
    const nation = nations.find((each) => each === country)
    if (nation === undefined)
      throw new Error(`reference/sample-postcodes.csv: ${postcode} is not in a nation that is served`)
    return { postcode, town, county, country: nation, distributorId }
  })
}

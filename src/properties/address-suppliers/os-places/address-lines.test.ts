import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addressLines, type DeliveryPoint } from './os-places.ts'

const street = { THOROUGHFARE_NAME: 'HIGH STREET' }
const flat = { SUB_BUILDING_NAME: 'FLAT 2', ...street }

const rows: [what: string, lines: string[], parts: Partial<DeliveryPoint>][] = [
  [
    'an organisation at a house number',
    ['ORDNANCE SURVEY, 4 HIGH STREET', 'NURSLING'],
    { ...street, ORGANISATION_NAME: 'ORDNANCE SURVEY', BUILDING_NUMBER: '4', DEPENDENT_LOCALITY: 'NURSLING' },
  ],
  ['a flat in a numbered building', ['FLAT 2, 14 HIGH STREET'], { ...flat, BUILDING_NUMBER: '14' }],
  ['a flat in a named building', ['FLAT 2, ROSE COURT', 'HIGH STREET'], { ...flat, BUILDING_NAME: 'ROSE COURT' }],
  [
    'a flat in a named building with a number',
    ['FLAT 2, ROSE COURT, 14 HIGH STREET'],
    { ...flat, BUILDING_NAME: 'ROSE COURT', BUILDING_NUMBER: '14' },
  ],
  ['a flat in a building named 12A', ['FLAT 2, 12A HIGH STREET'], { ...flat, BUILDING_NAME: '12A' }],
  [
    'a building name that begins with a number',
    ['3 COTTAGES', 'HIGH STREET'],
    { ...street, BUILDING_NAME: '3 COTTAGES' },
  ],
  [
    'two streets and two localities',
    ['1 MEWS COURT', 'HIGH STREET', 'LOWER END', 'PORTSWOOD'],
    {
      ...{ ...street, BUILDING_NUMBER: '1', DEPENDENT_THOROUGHFARE_NAME: 'MEWS COURT' },
      ...{ DOUBLE_DEPENDENT_LOCALITY: 'LOWER END', DEPENDENT_LOCALITY: 'PORTSWOOD' },
    },
  ],
  ['a number without a street', ['3 NURSLING'], { BUILDING_NUMBER: '3', DEPENDENT_LOCALITY: 'NURSLING' }],
  [
    'a name without a street',
    ['THE MANOR', 'NURSLING'],
    { BUILDING_NAME: 'THE MANOR', DEPENDENT_LOCALITY: 'NURSLING' },
  ],
  ['a department', ['A, B', 'HIGH STREET'], { ...street, ORGANISATION_NAME: 'A', DEPARTMENT_NAME: 'B' }],
  ['a blank locality', ['HIGH STREET'], { ...street, DEPENDENT_LOCALITY: ' ' }],
]
for (const number of ['12A', '12-14', '1/2', '7a', '10A-12B'])
  rows.push([`the building name ${number}`, [`${number} HIGH STREET`], { ...street, BUILDING_NAME: number }])
for (const [what, lines, parts] of rows)
  test(`the lines of an address with ${what} are in postal order`, () => {
    assert.deepEqual(addressLines({ UPRN: '1', POST_TOWN: 'SOUTHAMPTON', POSTCODE: 'SO16 0AS', ...parts }), lines)
  })

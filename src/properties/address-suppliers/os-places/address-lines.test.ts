import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addressLines, type DeliveryPoint } from './os-places.ts'

function lines(address: Partial<DeliveryPoint>): string[] {
  return addressLines({ UPRN: '1', POST_TOWN: 'SOUTHAMPTON', POSTCODE: 'SO16 0AS', ...address })
}

test('a house number is put before the street, and the locality on its own line', () => {
  assert.deepEqual(
    lines({
      ORGANISATION_NAME: 'ORDNANCE SURVEY',
      BUILDING_NUMBER: '4',
      THOROUGHFARE_NAME: 'ADANAC DRIVE',
      DEPENDENT_LOCALITY: 'NURSLING',
    }),
    ['ORDNANCE SURVEY, 4 ADANAC DRIVE', 'NURSLING'],
  )
})

test('the address line of a flat in a numbered building is the flat, then the number and street', () => {
  assert.deepEqual(lines({ SUB_BUILDING_NAME: 'FLAT 2', BUILDING_NUMBER: '14', THOROUGHFARE_NAME: 'HIGH STREET' }), [
    'FLAT 2, 14 HIGH STREET',
  ])
})

test('a flat in a named building gives both names, then the street', () => {
  assert.deepEqual(
    lines({ SUB_BUILDING_NAME: 'FLAT 2', BUILDING_NAME: 'ROSE COURT', THOROUGHFARE_NAME: 'HIGH STREET' }),
    ['FLAT 2, ROSE COURT', 'HIGH STREET'],
  )
})

test('a named building with a number gives flat, name, number and street', () => {
  const names = { SUB_BUILDING_NAME: 'FLAT 2', BUILDING_NAME: 'ROSE COURT', BUILDING_NUMBER: '14' }
  assert.deepEqual(lines({ ...names, THOROUGHFARE_NAME: 'HIGH STREET' }), ['FLAT 2, ROSE COURT, 14 HIGH STREET'])
})

test('a building name such as 12A is treated as a building number', () => {
  for (const number of ['12A', '12-14', '1/2', '7a', '10A-12B']) {
    assert.deepEqual(lines({ BUILDING_NAME: number, THOROUGHFARE_NAME: 'HIGH STREET' }), [`${number} HIGH STREET`])
  }
  assert.deepEqual(lines({ SUB_BUILDING_NAME: 'FLAT 1', BUILDING_NAME: '12A', THOROUGHFARE_NAME: 'HIGH STREET' }), [
    'FLAT 1, 12A HIGH STREET',
  ])
  assert.deepEqual(lines({ BUILDING_NAME: '3 COTTAGES', THOROUGHFARE_NAME: 'HIGH STREET' }), [
    '3 COTTAGES',
    'HIGH STREET',
  ])
})

test('two streets and two localities are in postal order, with the number before the first street', () => {
  assert.deepEqual(
    lines({
      BUILDING_NUMBER: '1',
      DEPENDENT_THOROUGHFARE_NAME: 'MEWS COURT',
      THOROUGHFARE_NAME: 'HIGH STREET',
      DOUBLE_DEPENDENT_LOCALITY: 'LOWER END',
      DEPENDENT_LOCALITY: 'PORTSWOOD',
    }),
    ['1 MEWS COURT', 'HIGH STREET', 'LOWER END', 'PORTSWOOD'],
  )
})

test('an address without a street, or with a department, gets its lines from the parts that are given', () => {
  assert.deepEqual(lines({ BUILDING_NUMBER: '3', DEPENDENT_LOCALITY: 'NURSLING' }), ['3 NURSLING'])
  assert.deepEqual(lines({ BUILDING_NAME: 'THE MANOR', DEPENDENT_LOCALITY: 'NURSLING' }), ['THE MANOR', 'NURSLING'])
  assert.deepEqual(lines({ ORGANISATION_NAME: 'A', DEPARTMENT_NAME: 'B', THOROUGHFARE_NAME: 'C' }), ['A, B', 'C'])
  assert.deepEqual(lines({ THOROUGHFARE_NAME: 'HIGH STREET', DEPENDENT_LOCALITY: ' ' }), ['HIGH STREET'])
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { serviceIds } from './customer-packages.ts'

const line = (packageId: string, productId: string | null = null) => ({ packageId, productId })

test('a service has the id of its product or, without one, of its package', () => {
  const lines = [line('gas-standard'), line('broadband-standard', 'fibre-150')]
  assert.deepEqual(serviceIds(lines), ['gas-standard', 'fibre-150'])
})

test('service ids stay unique if a product has the id of a package or of another product', () => {
  const lines = [
    line('gas-standard'),
    line('broadband-standard', 'gas-standard'),
    line('broadband-standard', 'wifi'),
    line('broadband-standard', 'wifi'),
    line('broadband-standard', 'wifi'),
  ]
  assert.deepEqual(serviceIds(lines), [
    'gas-standard',
    'broadband-standard/gas-standard',
    'wifi',
    'broadband-standard/wifi',
    'broadband-standard/broadband-standard/wifi',
  ])
})

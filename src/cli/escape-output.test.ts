import assert from 'node:assert/strict'
import { test } from 'node:test'
import { escapeOutput } from './escape-output.ts'
import { alignRows } from './table.ts'

test('stored control characters are printed as escapes; line feeds and our own colours stay', (t) => {
  const printed: unknown[] = []
  t.mock.method(console, 'log', (text: unknown) => void printed.push(text))
  t.mock.method(console, 'error', () => undefined)
  escapeOutput()
  console.log('Acme\u202eemcA\u001b[2J\r\n\u001b[31mred\u001b[39m')
  console.log(alignRows([['Acme\nLtd', '1']]))
  assert.deepEqual(printed, ['Acme\\u202eemcA\\u001b[2J\\u000d\n\u001b[31mred\u001b[39m', '  Acme\\u000aLtd  1'])
})

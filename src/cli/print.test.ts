import assert from 'node:assert/strict'
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { asInvocation } from './invocation.ts'
import { print, printError } from './print.ts'
import { alignRows } from './table.ts'

test('stored control characters are printed as escapes; line feeds and our own colours stay', async () => {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()]
  await asInvocation({ stdout, stderr, environment: {}, asJson: false, exitCode: 0 }, async () => {
    print('Acme\u202eemcA\u001b[2J\r\n\u001b[31mred\u001b[39m')
    print(alignRows([['Acme\nLtd', '1']]))
    printError('\u001b[2J')
  })
  assert.equal(
    await text(stdout.end()),
    'Acme\\u202eemcA\\u001b[2J\\u000d\n\u001b[31mred\u001b[39m\n  Acme\\u000aLtd  1\n',
  )
  assert.equal(await text(stderr.end()), '\\u001b[2J\n')
})

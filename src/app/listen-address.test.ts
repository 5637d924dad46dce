import assert from 'node:assert/strict'
import { test } from 'node:test'
import { explainListenError } from './listen-address.ts'

test('a listen error with a known cause names the setting to change', () => {
  const describe = (code: string) =>
    String(explainListenError(Object.assign(new Error(code), { code }), { host: '192.0.2.1', port: 80 }))
  assert.match(describe('EADDRINUSE'), /Port 80 on 192\.0\.2\.1 is already in use\. .* set PORT/)
  assert.match(describe('EACCES'), /may not listen on port 80\. Set PORT/)
  for (const code of ['EADDRNOTAVAIL', 'ENOTFOUND', 'EAI_AGAIN'])
    assert.match(describe(code), /HOST=192\.0\.2\.1 is not an address of this machine\. Set HOST/)
  const other = new TypeError('a bug')
  assert.equal(explainListenError(other, { host: '192.0.2.1', port: 80 }), other)
})

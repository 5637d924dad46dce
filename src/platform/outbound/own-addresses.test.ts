import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NameResolutionFailed } from './name-lookup.ts'
import { followOwnAddresses } from './own-addresses.ts'

test("the service's own addresses are the public ones of PUBLIC_URL's host; they are kept if a later lookup fails", async () => {
  let now = new Date('2026-07-01T09:00:00Z')
  let response: readonly string[] | undefined = ['93.184.215.14', '10.0.0.5', '127.0.0.1']
  const asked: string[] = []
  const own = followOwnAddresses({
    publicUrl: 'https://bills.example:8443/somewhere',
    clock: { now: () => now },
    resolver: {
      async resolve(hostname) {
        asked.push(hostname)
        if (response === undefined) throw new NameResolutionFailed('no answer')
        return response
      },
    },
  })
  assert.ok((await own()).has('93.184.215.14'))
  for (const address of ['10.0.0.5', '127.0.0.1']) assert.equal((await own()).has(address), false)
  assert.deepEqual(asked, ['bills.example'], 'looked up once a minute')
  now = new Date('2026-07-01T09:01:00Z')
  response = undefined
  assert.ok((await own()).has('93.184.215.14'))
  assert.equal(asked.length, 2)
})

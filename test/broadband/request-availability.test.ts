import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connectPartner } from '../support/client.ts'
import { connectNewPartner } from '../support/partners.ts'
import { advanceClock, testTime } from '../support/quote-fixtures.ts'
import { assertProblem, succeeded, withoutRequestId } from '../support/responses.ts'
import { ordinaryProperty } from '../support/sample-properties.ts'
import { shareTestService } from '../support/shared-service.ts'

const service = await shareTestService({}, { startAt: testTime })
const partner = await connectPartner(service.baseUrl, service.credentials)
const { addressUid } = ordinaryProperty()
const path = '/Quotes/broadband-availability-requests'
const check = (uid: string, own = partner) => own.get(`/Quotes/run-broadband-availability-check/${uid}`)

test('an availability request is pending and valid for 24 hours; two requests for one property have different uids', async () => {
  const request = succeeded(await partner.post(path, { addressUid }))
  assert.deepEqual(Object.keys(request).sort(), ['addressUid', 'expiresAt', 'status', 'uid'])
  assert.deepEqual([request.addressUid, request.status], [addressUid, 'pending'])
  assert.match(request.uid, /^availability_[0-7][0-9a-hjkmnp-tv-z]{25}$/)
  assert.match(request.expiresAt, /^2026-12-02T09:\d\d:\d\d\.\d{3}Z$/)
  assert.notEqual(succeeded(await partner.post(path, { addressUid })).uid, request.uid)
})

test('the uid can be used for any number of checks for 24 hours; after that, the check returns 404', async () => {
  const own = await connectNewPartner(service)
  const { uid } = succeeded(await own.post(path, { addressUid }))
  assert.equal(succeeded(await check(uid, own)).uid, uid)
  assert.equal(succeeded(await check(uid, own)).uid, uid)
  await advanceClock(own, { seconds: 86_000 })
  assert.equal(succeeded(await check(uid, own)).uid, uid)
  await advanceClock(own, { seconds: 400 })
  const expired = await check(uid, own)
  assertProblem(expired, 'not_found')
  const unknown = await check('availability_01h455vb4pex5vsknk084sn02q', own)
  assert.equal(withoutRequestId(expired), withoutRequestId(unknown))
})

test('an addressUid that belongs to no property returns address_not_found', async () => {
  for (const unknown of ['address_01h455vb4pex5vsknk084sn02q', 'x', addressUid.toUpperCase()]) {
    assertProblem(await partner.post(path, { addressUid: unknown }), 'address_not_found', [
      '/addressUid address_not_found',
    ])
  }
})

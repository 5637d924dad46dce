import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connectPartner } from '../../support/client.ts'
import { connectNewPartner } from '../../support/partners.ts'
import { advanceClock, testTime } from '../../support/quote-fixtures.ts'
import { assertProblem, succeeded, withoutRequestId } from '../../support/responses.ts'
import { ordinaryProperty } from '../../support/sample-properties.ts'
import { shareTestService } from '../../support/shared-service.ts'

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

test("another partner's uid returns the same 404 as an unknown one", async () => {
  const { uid } = succeeded(await partner.post(path, { addressUid }))
  const stranger = await connectNewPartner(service)
  const foreign = await check(uid, stranger)
  assertProblem(foreign, 'not_found')
  const unknown = await check('availability_01h455vb4pex5vsknk084sn02q', stranger)
  assert.equal(withoutRequestId(foreign), withoutRequestId(unknown))
})

test('an addressUid that belongs to no property returns address_not_found', async () => {
  for (const unknown of ['address_01h455vb4pex5vsknk084sn02q', 'x', addressUid.toUpperCase()]) {
    assertProblem(await partner.post(path, { addressUid: unknown }), 'address_not_found', [
      '/addressUid address_not_found',
    ])
  }
})

test('requesting availability with an invalid body returns every invalid field', async () => {
  assertProblem(await partner.post(path, { uid: 1 }), 'invalid_request', ['/addressUid required', '/uid unknown_field'])
  assertProblem(await partner.post(path, { addressUid: 1 }), 'invalid_request', ['/addressUid wrong_type'])
  assertProblem(await partner.post(path, { addressUid: '' }), 'validation_failed', ['/addressUid too_short'])
  assertProblem(await partner.post(path, { addressUid: 'x'.repeat(101) }), 'validation_failed', [
    '/addressUid too_long',
  ])
})

import assert from 'node:assert/strict'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { after, afterEach, before, describe, test } from 'node:test'
import { createLogger } from '../../src/compose/logger.ts'
import { json } from '../adapters/scripted-server.ts'
import { refused, succeeded } from '../support/answers.ts'
import { connectPartner, type Partner } from '../support/client.ts'
import { startTestService, type TestService } from '../support/service.ts'
import {
  type BreakableUpstreams,
  checkUntilWell,
  type Half,
  halves,
  otherHalf,
  quickLimits,
  runCheck,
  startBreakableUpstreams,
  toldBy,
  unusedHome,
  well,
} from './breakable-upstreams.ts'

/*
 * What a partner sees of every way in which an upstream can answer badly, or not at all, over the whole service. Connections
 * that do not come about are in upstream-connections.test.ts.
 */

/** What the log has told of circuit breakers. */
const breakers: string[] = []
function noteBreaker(line: string): void {
  const { upstream, breaker, level } = JSON.parse(line)
  if (level === 'info' && breaker !== undefined) breakers.push(`${upstream} ${breaker}`)
}
const upstreamName: Record<Half, string> = {
  homeTelecom: 'home-telecom',
  broadbandDatabase: 'broadband-database',
}

let upstreams: BreakableUpstreams
let service: TestService
let partner: Partner
before(async () => {
  upstreams = await startBreakableUpstreams()
  service = await startTestService(
    { HOME_TELECOM_URL: upstreams.homeTelecom.baseUrl, BROADBAND_DATABASE_URL: upstreams.broadbandDatabase.baseUrl },
    { upstreamLimits: quickLimits, log: createLogger('info', { write: noteBreaker }) },
  )
  partner = await connectPartner(service.baseUrl, service.credentials)
})
after(async () => {
  await service.stop()
  await Promise.all(halves.map((half) => upstreams[half].close()))
})
afterEach(() => {
  for (const half of halves) upstreams[half].answerWith(well[half])
})

type Script = (request: IncomingMessage, response: ServerResponse) => void

/** Writes again and again until the other side hangs up. */
function writing(text: string, everyMs: number): Script {
  return (_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    const timer = setInterval(() => response.write(text), everyMs)
    response.on('close', () => clearInterval(timer))
  }
}

const late = /did not answer in time/
const faulty = /answered with a fault/
const unreachable = /could not be reached/
const failures: Record<string, { script: Script; message: RegExp }> = {
  'headers that do not come': { script: () => undefined, message: late },
  'a body that stops': {
    script: (_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).write('{"products":[')
    },
    message: late,
  },
  'a body that trickles without end': { script: writing(' ', 30), message: late },
  'a body that floods without end': { script: writing(' '.repeat(1_000), 5), message: faulty },
  '429 with Retry-After': { script: json('{}', 429, { 'retry-after': '30' }), message: faulty },
  'status 500': { script: json('{}', 500), message: faulty },
  'status 503': { script: json('{}', 503), message: faulty },
  'HTML instead of JSON': {
    script: json('<!doctype html><title>Sorry</title>', 200, { 'content-type': 'text/html' }),
    message: faulty,
  },
  'truncated JSON': { script: json('{"products":[{"productId":"fibre-1'), message: faulty },
  'wrong types': {
    script: json('{"products":[{"productId":7}],"available":"yes","maxDownloadMbps":"900"}'),
    message: faulty,
  },
  'a redirect': { script: json('{}', 302, { location: '/elsewhere' }), message: faulty },
  'a connection dropped before the answer': {
    script: (request) => request.socket.destroy(),
    message: unreachable,
  },
  'a connection dropped inside the answer': {
    script: (_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '90' })
      response.write('{"products":[', () => response.destroy())
    },
    message: unreachable,
  },
}

for (const half of halves) {
  const other = otherHalf(half)
  describe(`${half} answers with`, () => {
    for (const [name, { script, message }] of Object.entries(failures)) {
      test(`${name}: 200 in time with its flag and the other half whole, nothing kept; the breaker opens, and closes when it is well`, async () => {
        const homes = [unusedHome(), unusedHome(), unusedHome()]
        upstreams[half].answerWith(script)
        const startedAt = performance.now()
        const results = await Promise.all(homes.map((home) => runCheck(partner, home)))
        assert.ok(performance.now() - startedAt < 5_000)
        for (const result of results) {
          assert.deepEqual([result[`${half}Error`], result[`${other}Error`], result.available], [true, false, true])
          assert.deepEqual([result[`${half}Errors`].length, result[`${other}Errors`].length], [1, 0])
          assert.match(result[`${half}Errors`][0], message)
          assert.match(result[`${half}Errors`][0], /run the check again in a minute/)
          assert.deepEqual([toldBy(half, result), toldBy(other, result)], [false, true])
        }
        assert.deepEqual(breakers.splice(0), [`${upstreamName[half]} open`])

        for (const each of halves) upstreams[each].requests.length = 0
        upstreams[half].answerWith(well[half])
        const again = await checkUntilWell(partner, homes[0] ?? '')
        assert.deepEqual([toldBy(half, again), toldBy(other, again)], [true, true])
        assert.equal(again.uid, results[0]?.uid)
        // The half that had answered was kept, so that it was not asked again.
        assert.deepEqual([upstreams[half].requests.length, upstreams[other].requests.length], [1, 0])
        assert.deepEqual(breakers.splice(0), [`${upstreamName[half]} half-open`, `${upstreamName[half]} closed`])
      })
    }
  })
}

test('both fail: 200 with both flags and nothing available', async () => {
  for (const half of halves) upstreams[half].answerWith(json('{}', 500))
  const result = await runCheck(partner, unusedHome())
  assert.deepEqual([result.homeTelecomError, result.broadbandDatabaseError], [true, true])
  assert.deepEqual([result.available, result.maxSpeed, result.products], [false, 0, []])
})

test('no product can be added while the provider fails; one seen before can, on a day of the working-day rule', async () => {
  const addressUid = unusedHome()
  const { quoteId } = succeeded(await partner.post('/Quotes', { addressUid }))
  const add = () => partner.post(`/Quotes/${quoteId}/add-broadband-products`, { broadbandProducts: ['fibre-150'] })
  const broken = json('<html>', 200, { 'content-type': 'text/html' })
  upstreams.homeTelecom.answerWith(broken)
  await runCheck(partner, addressUid)
  refused(await add(), 422, 'broadband_check_required')
  assert.equal(succeeded(await partner.get(`/Quotes/${quoteId}`)).status, 'draft')

  upstreams.homeTelecom.answerWith(well.homeTelecom)
  await runCheck(partner, addressUid)
  upstreams.homeTelecom.answerWith(broken)
  assert.equal(succeeded(await add()).status, 'BroadbandAdded')
  const { availableDates } = succeeded(await partner.get(`/Quotes/${quoteId}/get-bb-install-dates`))
  assert.equal(availableDates.length, 20)
})

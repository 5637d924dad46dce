import assert from 'node:assert/strict'
import { after, afterEach, before, describe, test } from 'node:test'
import { createBroadbandDatabase } from '../../src/broadband/broadband-database.http.ts'
import { createHomeTelecom } from '../../src/broadband/home-telecom.http.ts'
import { isoDate } from '../../src/platform/kernel/dates.ts'
import { UpstreamFailure } from '../../src/platform/kernel/upstream-failure.ts'
import { createUpstream, type Upstream } from '../../src/platform/outbound/upstream.ts'
import { json, type ScriptedServer, startScriptedServer } from '../platform/outbound/scripted-server.ts'

const home = { uprn: '990000000001', postcode: 'TE5 7AA' }
const line = {
  productId: 'fibre-150',
  name: 'Home Broadband 150',
  kind: 'line',
  downloadMbps: 150,
  uploadMbps: 30,
  normalDownloadMbps: 145,
  minimumDownloadMbps: 75,
  monthlyPricePence: 2_900,
  setupPricePence: 1_000,
}

let server: ScriptedServer
let upstream: Upstream
before(async () => {
  server = await startScriptedServer(json('{}'))
  upstream = createUpstream({ name: 'telecom', baseUrl: server.baseUrl, limits: { failuresToOpen: 100 } })
})
after(async () => {
  await upstream.close()
  await server.close()
})
afterEach(() => {
  server.requests.length = 0
})

function respond(body: unknown): void {
  server.respondWith(json(JSON.stringify(body)))
}

function isWrongShape(error: unknown): boolean {
  return error instanceof UpstreamFailure && error.kind === 'wrong-shape'
}

describe('home telecom', () => {
  test('products are requested by UPRN and postcode, and returned under our field names', async () => {
    respond({ products: [{ ...line, colour: 'green' }] })
    assert.deepEqual(await createHomeTelecom(upstream).listProducts(home), [
      {
        productId: 'fibre-150',
        name: 'Home Broadband 150',
        kind: 'line',
        speedMbps: 150,
        speeds: { uploadMbps: 30, normalMbps: 145, minimumMbps: 75 },
        monthlyPrice: 2_900,
        setupPrice: 1_000,
      },
    ])
    assert.equal(server.requests[0]?.url, '/v1/products?uprn=990000000001&postcode=TE5+7AA')
  })

  test('a line that lacks one of its speeds is returned without speeds, as is an add-on', async () => {
    const { minimumDownloadMbps: _, ...lacking } = line
    respond({ products: [lacking, { ...line, productId: 'mesh', kind: 'addon' }] })
    const products = await createHomeTelecom(upstream).listProducts(home)
    assert.deepEqual(
      products.map((product) => 'speeds' in product),
      [false, false],
    )
  })

  test('products with missing, invalid or duplicate details are rejected', async () => {
    const wrong = [
      [line, line],
      [{ ...line, monthlyPricePence: 29.5 }],
      [{ ...line, monthlyPricePence: -1 }],
      [{ ...line, setupPricePence: '1000' }],
      [{ ...line, kind: 'tv' }],
      [{ ...line, uploadMbps: '30' }],
      [{ ...line, minimumDownloadMbps: -1 }],
      [{ ...line, productId: '' }],
      [{ ...line, name: undefined }],
    ]
    for (const products of wrong) {
      respond({ products })
      await assert.rejects(createHomeTelecom(upstream).listProducts(home), isWrongShape, JSON.stringify(products))
    }
  })

  test('the request for install dates contains every product, the order date and the earliest date', async () => {
    respond({ dates: ['2026-12-21'] })
    const request = { productIds: ['a', 'b'], orderDate: isoDate('2026-12-01'), earliest: isoDate('2026-12-20') }
    assert.deepEqual(await createHomeTelecom(upstream).listInstallDates(home, request), ['2026-12-21'])
    assert.equal(
      server.requests[0]?.url,
      '/v1/install-dates?uprn=990000000001&postcode=TE5+7AA&productId=a&productId=b&orderDate=2026-12-01&from=2026-12-20',
    )
    for (const date of ['2027-02-30', '21/12/2026', '2026-12-21T00:00:00Z']) {
      respond({ dates: [date] })
      await assert.rejects(createHomeTelecom(upstream).listInstallDates(home, request), isWrongShape, date)
    }
  })
})

describe('the broadband database', () => {
  test('a record is returned under our field names, with speed 0 when there is no line', async () => {
    const database = createBroadbandDatabase(upstream)
    respond({ available: true, maxDownloadMbps: 1_000 })
    assert.deepEqual(await database.findLine(home), { available: true, maxSpeedMbps: 1_000 })
    respond({ available: false, maxDownloadMbps: 30 })
    assert.deepEqual(await database.findLine(home), { available: false, maxSpeedMbps: 0 })
    assert.equal(server.requests[0]?.url, '/v1/availability?uprn=990000000001&postcode=TE5+7AA')
  })

  test('a record of the wrong shape is rejected', async () => {
    for (const body of [
      { available: 'yes', maxDownloadMbps: 1 },
      { available: true },
      [],
      { available: true, maxDownloadMbps: -1 },
    ]) {
      respond(body)
      await assert.rejects(createBroadbandDatabase(upstream).findLine(home), isWrongShape, JSON.stringify(body))
    }
  })
})

import assert from 'node:assert/strict'
import { request } from 'node:http'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { test } from 'node:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { parse } from 'yaml'
import { toOpenApi30 } from '../../../src/platform/openapi/to-openapi-3-0.ts'
import { startTestService } from '../../support/service.ts'
import { shareTestService } from '../../support/shared-service.ts'

const service = await shareTestService()
const paths = ['/openapi.json', '/openapi.yaml', '/openapi-3.0.json']

async function read(path: string, headers: Record<string, string> = {}) {
  const response = await fetch(`${service.baseUrl}${path}`, { headers })
  return { status: response.status, headers: response.headers, text: await response.text() }
}

test('/openapi.json, /openapi.yaml and /openapi-3.0.json have the same operations, with the URL of this server', async () => {
  const json = JSON.parse((await read('/openapi.json')).text)
  assert.equal(json.openapi, '3.1.1')
  assert.equal(json.servers[0].url, service.baseUrl)
  const { tokenUrl } = json.components.securitySchemes.oauth2.flows.clientCredentials
  assert.equal(tokenUrl, `${service.baseUrl}/oauth/token`)
  assert.equal(json.paths['/partner-api/Quotes'].post.operationId, 'createQuote')
  const yaml = await read('/openapi.yaml')
  assert.equal(yaml.headers.get('content-type'), 'application/yaml; charset=utf-8')
  assert.deepEqual(parse(yaml.text, { maxAliasCount: 0 }), json)
  assert.deepEqual(JSON.parse((await read('/openapi-3.0.json')).text), JSON.parse(JSON.stringify(toOpenApi30(json))))
})

test('both documents have examples, which name this server', async () => {
  for (const path of ['/openapi.json', '/operator-api/openapi.json']) {
    const { text } = await read(path)
    assert.ok(text.includes(`"type":"${service.baseUrl}/docs/errors/not_found"`), path)
    assert.ok(!text.includes('http://localhost:8080'), path)
  }
})

for (const path of paths) {
  test(`${path} can be cached for a day and returns 304 to a client that has it`, async () => {
    const { status, headers } = await read(path)
    assert.equal(status, 200)
    assert.equal(headers.get('cache-control'), 'public, max-age=86400')
    assert.equal(headers.get('vary'), 'Accept-Encoding')
    const etag = headers.get('etag') ?? ''
    assert.match(etag, /^"[\w-]{22}-\w+"$/)
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const again = await read(path, { 'If-None-Match': known })
      assert.deepEqual([again.status, again.text, again.headers.get('etag')], [304, '', etag], known)
    }
    assert.equal((await read(path, { 'If-None-Match': '"other"' })).status, 200)
  })

  test(`${path} is compressed as the client accepts, and the ETag differs for each encoding`, async () => {
    const plain = await raw(path, 'identity')
    const compressed = { br: brotliDecompressSync, gzip: gunzipSync }
    const etags = new Set([plain.headers.get('etag')])
    assert.equal(plain.headers.get('content-encoding'), undefined)
    for (const [encoding, decompress] of Object.entries(compressed)) {
      const response = await raw(path, encoding)
      assert.equal(response.headers.get('content-encoding'), encoding)
      assert.ok(response.body.length < plain.body.length / 8, `${encoding}: ${response.body.length} bytes`)
      assert.deepEqual(decompress(response.body).toString(), plain.body.toString())
      etags.add(response.headers.get('etag'))
    }
    assert.equal(etags.size, 3)
    assert.equal((await raw(path, 'zstd')).headers.get('content-encoding'), undefined)
  })
}

/** A response as it was sent: fetch would decompress it. */
function raw(path: string, acceptEncoding: string) {
  return new Promise<{ headers: Map<string, string | undefined>; body: Buffer }>((resolve, reject) => {
    request(`${service.baseUrl}${path}`, { headers: { 'Accept-Encoding': acceptEncoding } }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () =>
        resolve({
          headers: new Map(Object.entries(response.headers).map(([name, value]) => [name, String(value)])),
          body: Buffer.concat(chunks),
        }),
      )
      response.on('error', reject)
    })
      .on('error', reject)
      .end()
  })
}

test('writing the document as YAML or for OpenAPI 3.0 holds up no other request', async (t) => {
  const own = await startTestService()
  t.after(() => own.stop())
  await fetch(`${own.baseUrl}/health/live`)
  for (const path of ['/openapi.yaml', '/openapi-3.0.json']) {
    const delay = monitorEventLoopDelay({ resolution: 5 })
    delay.enable()
    assert.equal((await fetch(`${own.baseUrl}${path}`, { headers: { 'Accept-Encoding': 'identity' } })).status, 200)
    delay.disable()
    assert.ok(delay.max / 1e6 < 250, `${path} held up the event loop for ${Math.round(delay.max / 1e6)} ms`)
  }
})

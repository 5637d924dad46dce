import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { stripTypeScriptTypes } from 'node:module'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { openPage, shareBrowser } from '../web/pages/browser.ts'

/* The TypeScript client in a real browser: in a page and in a worker. */

const source = new URL('../../clients/typescript/src/', import.meta.url)

/** Makes a client with a secret and one without, and posts what became of them. */
const script = `import { HousebillClient, verifyWebhook } from '/entry.ts'
const baseUrl = location.origin
export async function attempt() {
  let rejection = 'none'
  try {
    new HousebillClient({ baseUrl, clientId: 'sb_1', clientSecret: 'secret' })
  } catch (error) {
    rejection = error.message
  }
  const fetchToken = async () => ({ accessToken: 'own', expiresInSeconds: 60 })
  const quote = await new HousebillClient({ baseUrl, fetchToken }).getQuote('quote_1')
  const headers = {
    'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  }
  const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
  const message = await verifyWebhook('{"test": 2432232314}', headers, secret, { now: new Date(1614265330000) })
  return { rejection, quote, message }
}
if ('importScripts' in globalThis) attempt().then(postMessage, (error) => postMessage(error.message))
`

test('in a page and in a worker, a secret is rejected, and everything else works', async (t) => {
  const server = createServer(async ({ url = '', headers }, response) => {
    const answer = (type: string, body: string) => response.writeHead(200, { 'Content-Type': type }).end(body)
    if (url === '/') return answer('text/html', '<!doctype html><title>Client</title><link rel="icon" href="data:,">')
    if (url === '/script.js') return answer('text/javascript', script)
    if (url.startsWith('/partner-api/')) return answer('application/json', JSON.stringify([url, headers.authorization]))
    answer('text/javascript', stripTypeScriptTypes(await readFile(new URL(`.${url}`, source), 'utf8')))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  const browser = await shareBrowser()
  const page = await openPage(t, browser)
  await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)

  const inPage = await page.evaluate(`import('/script.js').then(({ attempt }) => attempt())`)
  const inWorker = await page.evaluate(`new Promise((resolve, reject) => {
    const worker = new Worker('/script.js', { type: 'module' })
    worker.onmessage = ({ data }) => resolve(data)
    worker.onerror = ({ message }) => reject(new Error(message))
  })`)
  const expected = {
    rejection: 'A client secret must not reach a browser. Call Housebill from your server.',
    quote: ['/partner-api/Quotes/quote_1', 'Bearer own'],
    message: { test: 2_432_232_314 },
  }
  assert.deepEqual(inPage, expected)
  assert.deepEqual(inWorker, expected)
})

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { connectPartner } from '../../support/client.ts'
import { succeeded } from '../../support/responses.ts'
import { sandboxCredentials } from '../../support/sandbox-contents.ts'
import { shareTestService } from '../../support/shared-service.ts'

const service = await shareTestService()
const { baseUrl } = service
// The page is about the sandbox's own partner.
const partner = await connectPartner(baseUrl, sandboxCredentials)
const press = (headers: Record<string, string>) => fetch(baseUrl, { method: 'POST', headers })
const newest = async () => succeeded(await partner.get('/Quotes?limit=1')).data[0]?.quoteId

test('the landing page of a sandbox on this machine has its client id, never its secret', async () => {
  const page = await (await fetch(baseUrl)).text()
  assert.ok(page.includes(sandboxCredentials.clientId))
  assert.ok(!page.includes(sandboxCredentials.clientSecret))
})

test('the button quotes a sample home as the sandbox’s partner and draws three shares that add up, with links', async () => {
  const before = await newest()
  const response = await press({ 'Sec-Fetch-Site': 'same-origin' })
  assert.equal(response.status, 200)
  assert.match(response.headers.get('cache-control') ?? '', /no-store/)
  const page = await response.text()
  const [, whole = '', inWords = ''] = /The household pays £([\d.]+) a month: ([^"]+)"/.exec(page) ?? []
  const shares = [...inWords.matchAll(/£([\d.]+)/g)].map(([, pounds]) => Math.round(Number(pounds) * 100))
  assert.equal(shares.length, 3)
  assert.equal(
    shares.reduce((sum, share) => sum + share),
    Math.round(Number(whole) * 100),
  )
  assert.notEqual(await newest(), before)
  const [, link = ''] = /href="([^"]+)">Open Ada/.exec(page) ?? []
  assert.equal((await fetch(link)).status, 200)
})

test('another site’s form and another name of this machine get nothing from the button', async () => {
  const before = await newest()
  assert.equal((await press({ 'Sec-Fetch-Site': 'cross-site' })).status, 403)
  const { port } = new URL(baseUrl)
  const elsewhere = await fetch(`http://localhost:${port}`, {
    method: 'POST',
    headers: { 'Sec-Fetch-Site': 'same-origin' },
  })
  assert.equal(elsewhere.status, 404)
  assert.ok(!(await (await fetch(`http://localhost:${port}`)).text()).includes(sandboxCredentials.clientId))
  assert.equal(await newest(), before)
})

test('the commands of the landing page, pasted, make the household', async () => {
  const page = await (await fetch(baseUrl)).text()
  const [, code = ''] = /<code>(API=[\s\S]*?)<\/code>/.exec(page) ?? []
  const entities = { '&#39;': "'", '&quot;': '"', '&lt;': '<', '&gt;': '>', '&amp;': '&' }
  const commands = code.replaceAll(/&(?:#39|quot|lt|gt|amp);/g, (each) => entities[each as keyof typeof entities])
  const env = { PATH: process.env.PATH, SANDBOX_CLIENT_SECRET: sandboxCredentials.clientSecret }
  const { stdout } = await promisify(execFile)('bash', ['--norc', '-c', commands], { env })
  assert.equal(JSON.parse(stdout).tenants.length, 3)
})

test('every path that the landing page links to exists', async () => {
  const page = await (await fetch(baseUrl)).text()
  const links = [...page.matchAll(/href="(\/[^"#]*)"/g)].map(([, path = '']) => path)
  assert.ok(links.length > 8)
  for (const path of new Set(links)) assert.equal((await fetch(`${baseUrl}${path}`)).status, 200, path)
})

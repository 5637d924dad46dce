import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseTokenRequest } from '../../src/partners/token-http/token-request.ts'
import { isPlausibleEmail } from '../../src/platform/kernel/email.ts'
import { isInstant } from '../../src/platform/kernel/instant.ts'
import { isPossiblePhone } from '../../src/platform/kernel/phone.ts'
import { connectPartner } from '../support/client.ts'
import { shareTestService } from '../support/shared-service.ts'

/*
 * Checks the regular expressions that are applied to callers' input, with texts made for worst-case backtracking:
 * quadratic work on 64 KiB takes many seconds, and exponential work never ends. Only the CPU time of this process is
 * measured, so other load on the machine does not matter.
 */
const mostWorkMs = 5_000
const long = 60_000

/** Texts that nearly match: a repeated piece, followed by something that cannot match. */
const nearMisses = [
  'a',
  ' ',
  '\t',
  '-',
  '.',
  'a.',
  'a-',
  '@',
  'a@',
  '0',
  '+',
  '(',
  '"',
  '\\"',
  '\\',
  '{',
  '[',
  ',',
  ':',
  '%',
  ';',
  '=',
  'é',
  '\u200b',
].flatMap((piece) => ['', '!', '\u0000', '@', '"'].map((end) => piece.repeat(long / piece.length) + end))

/** Fails if the work took more CPU time than the allowed number of milliseconds. */
async function measured<Result>(
  what: string,
  run: () => Result | Promise<Result>,
  mostMs = mostWorkMs,
): Promise<Result> {
  const before = process.threadCpuUsage()
  const result = await run()
  const { user, system } = process.threadCpuUsage(before)
  const ms = (user + system) / 1_000
  assert.ok(ms < mostMs, `${what}: ${Math.round(ms)} ms of work`)
  return result
}

test('fields: no regular expression becomes slow on long text', async () => {
  for (const text of nearMisses) {
    for (const [name, check] of Object.entries({ isPlausibleEmail, isPossiblePhone, isInstant })) {
      assert.equal(await measured(`${name} ${JSON.stringify(text.slice(0, 4))}`, () => check(text)), false)
      await measured(name, () => check(`a@${text.slice(0, 250)}`))
    }
  }
})

test('token calls: no regular expression becomes slow on a long body or header', async () => {
  const read = (body: string, contentType: string, authorization?: string) =>
    measured(`${contentType} ${JSON.stringify(body.slice(0, 6))}`, () =>
      parseTokenRequest({
        body: Buffer.from(body),
        contentType,
        authorization,
        allowsBasic: true,
        audience: 'urn:bills',
      }),
    )
  for (const text of nearMisses) {
    await read(text, 'application/x-www-form-urlencoded')
    await read(text, 'application/json')
    await read(JSON.stringify({ clientId: text.slice(0, 20_000), text: [text.slice(0, 20_000)] }), 'application/json')
    await read('', 'application/json', `Basic ${text.slice(0, 15_000)}`)
  }
})

test('requests: no regular expression becomes slow on a long header, query or body', async () => {
  const service = await shareTestService()
  const partner = await connectPartner(service.baseUrl, service.credentials)
  const pieces = ['a', ' ', '/', ';', ',', '=', '*/*,', 'a/b;q=0.', '"', '.', '-', '~', '(', ':']
  const headers = [
    'Accept',
    'Content-Type',
    'Content-Encoding',
    'Authorization',
    'Idempotency-Key',
    'X-Request-Id',
    'traceparent',
    'X-Forwarded-For',
    'Cookie',
  ]
  for (const piece of pieces) {
    const text = piece.repeat(Math.floor(9_000 / piece.length))
    for (const name of headers) {
      const prefix = name === 'Authorization' ? 'Bearer ' : 'a'
      const status = await measured(`${name} ${piece}`, async () => {
        const response = await fetch(`${service.baseUrl}/partner-api/Quotes/of_nobody/cancel`, {
          method: 'POST',
          headers: { Authorization: `Bearer ${partner.token}`, [name]: `${prefix}${text}!` },
        })
        await response.arrayBuffer()
        return response.status
      })
      assert.ok(status < 500)
    }
    await measured(piece, () => partner.get(`/Addresses/lookup?postcode=${encodeURIComponent(text.slice(0, 4_000))}!`))
    await measured(piece, () => partner.get(`/Quotes/${encodeURIComponent(text.slice(0, 4_000))}!`))
    for (const rawBody of [`${piece.repeat(long / piece.length)}!`, `{${' '.repeat(long)}x`, `${' '.repeat(long)}{`])
      await measured(piece, () =>
        partner.post('/Quotes/of_nobody/cancel', undefined, {
          rawBody,
          headers: { 'Content-Type': 'application/json' },
        }),
      )
  }
})

import { Agent, request } from 'undici'
import { encodeCursor } from '../../src/http/wire/page.ts'
import { ordinaryProperty } from '../../test/support/sample-properties.ts'
import { percentile } from '../percentile.ts'
import type { Deployment } from './database.ts'
import { type ReadableQuote, suffixOfCopy } from './many-quotes.ts'

/** A call that both databases answer: the n-th time to one of them. */
interface Call {
  name: string
  send(filled: Filled, n: number): Promise<unknown>
}

/** A deployment and the quotes of its database. */
export interface Filled {
  deployment: Deployment
  count: number
  readable: readonly ReadableQuote[]
}

/** Times in milliseconds. */
export interface Compared {
  name: string
  empty: { p50: number; p99: number }
  full: { p50: number; p99: number }
  /** Of the medians. */
  ratio: number
}

const agent = new Agent({ connections: 4, keepAliveTimeout: 60_000 })

const calls: readonly Call[] = [
  {
    name: 'create a quote',
    send: (filled) =>
      partnerCall(filled, 'POST', '/Quotes', {
        addressUid: ordinaryProperty().addressUid,
        packages: ['electricity', 'gas'],
      }),
  },
  { name: 'get a quote', send: (filled, n) => partnerCall(filled, 'GET', `/Quotes/${pick(filled, n).quoteId}`) },
  {
    name: 'total cost',
    send: (filled, n) => partnerCall(filled, 'GET', `/Quotes/${pick(filled, n).quoteId}/total-cost`),
  },
  { name: 'list, first page', send: (filled) => partnerCall(filled, 'GET', '/Quotes') },
  ...[0.25, 0.5, 0.99].map((depth) => ({
    name: `list, page after ${depth * 100} % of the quotes`,
    send: (filled: Filled) => {
      const before = Math.max(45, Math.round(filled.count * (1 - depth)))
      return partnerCall(filled, 'GET', `/Quotes?cursor=${encodeCursor(`quote_${suffixOfCopy(before)}`)}`)
    },
  })),
  {
    name: 'search by reference, as the partner',
    send: (filled, n) => partnerCall(filled, 'GET', `/Quotes?${query({ reference: pick(filled, n).reference })}`),
  },
  ...(['email', 'phone', 'reference'] as const).map((key) => ({
    name: `search by ${key}, as the operator`,
    send: (filled: Filled, n: number) => operatorCall(filled, `/Customers?${query({ [key]: pick(filled, n)[key] })}`),
  })),
]

/** Sends each call `times` times to either deployment, in turns, and checks that it finds something. */
export async function compareCalls(empty: Filled, full: Filled, times: number): Promise<Compared[]> {
  const compared: Compared[] = []
  for (const { name, send } of calls) {
    const took = { empty: [] as number[], full: [] as number[] }
    for (let n = -Math.ceil(times / 5); n < times; n++) {
      const [first, second] = n % 2 === 0 ? (['empty', 'full'] as const) : (['full', 'empty'] as const)
      for (const which of [first, second]) {
        const startedAt = performance.now()
        await send(which === 'empty' ? empty : full, Math.abs(n))
        if (n >= 0) took[which].push(performance.now() - startedAt)
      }
    }
    const figures = (values: number[]) => ({ p50: percentile(values, 50), p99: percentile(values, 99) })
    const [one, other] = [figures(took.empty), figures(took.full)]
    compared.push({ name, empty: one, full: other, ratio: other.p50 / one.p50 })
  }
  return compared
}

function pick({ readable }: Filled, n: number): ReadableQuote {
  const found = readable[(n * 7_919) % readable.length]
  if (found === undefined) throw new Error('no quote can be read')
  return found
}

function query(members: Record<string, string>): string {
  return new URLSearchParams(members).toString()
}

function partnerCall({ deployment }: Filled, method: 'GET' | 'POST', path: string, body?: unknown): Promise<void> {
  return call(method, `${deployment.baseUrl}/partner-api${path}`, deployment.partner.token, body)
}

function operatorCall({ deployment }: Filled, path: string): Promise<void> {
  return call('GET', `${deployment.baseUrl}/operator-api${path}`, deployment.operator.token)
}

async function call(method: 'GET' | 'POST', url: string, token: string, body?: unknown): Promise<void> {
  const answer = await request(url, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: body === undefined ? null : JSON.stringify(body),
    dispatcher: agent,
  })
  const text = await answer.body.text()
  if (answer.statusCode !== 200 || text.includes('"data":[]'))
    throw new Error(`${method} ${url}: ${answer.statusCode} ${text.slice(0, 500)}`)
}

import { Agent, request } from 'undici'
import { encodeCursor } from '../../src/platform/http/schemas/page.ts'
import { ordinaryProperty } from '../../test/support/sample-properties.ts'
import { percentile } from '../percentile.ts'
import type { Deployment } from './deployment.ts'
import { type ReadableQuote, suffixOfCopy } from './many-quotes.ts'

/** A deployment and the quotes of its database. */
export interface Filled {
  deployment: Deployment
  count: number
  readable: readonly ReadableQuote[]
  /** Some of the postcodes that have properties. */
  postcodes: readonly string[]
}

/** Times in milliseconds. */
export interface Compared {
  name: string
  empty: { p50: number; p99: number }
  full: { p50: number; p99: number }
}

const agent = new Agent({ connections: 4, keepAliveTimeout: 60_000 })

/** What each call sends: the n-th time to one of the databases. */
const calls: Readonly<Record<string, (filled: Filled, n: number) => `${'GET' | 'POST'} /${string}`>> = {
  'look up a postcode': ({ postcodes }, n) =>
    `GET /partner-api/Addresses/lookup${query('postcode', nth(postcodes, n))}`,
  'create a quote': () => 'POST /partner-api/Quotes',
  'get a quote': ({ readable }, n) => `GET /partner-api/Quotes/${nth(readable, n).quoteId}`,
  'total cost': ({ readable }, n) => `GET /partner-api/Quotes/${nth(readable, n).quoteId}/total-cost`,
  'list, first page': () => 'GET /partner-api/Quotes',
  'list, page after 25 % of the quotes': ({ count }) => pageAfter(count, 0.25),
  'list, page after 50 % of the quotes': ({ count }) => pageAfter(count, 0.5),
  'list, page after 99 % of the quotes': ({ count }) => pageAfter(count, 0.99),
  'search by reference, as the partner': ({ readable }, n) =>
    `GET /partner-api/Quotes${query('reference', nth(readable, n).reference)}`,
  'search by email, as the operator': ({ readable }, n) => search('email', nth(readable, n).email),
  'search by phone, as the operator': ({ readable }, n) => search('phone', nth(readable, n).phone),
  'search by reference, as the operator': ({ readable }, n) => search('reference', nth(readable, n).reference),
}

/** Sends each call `times` times to either deployment, in turns, and checks that it finds something. */
export async function compareCalls(empty: Filled, full: Filled, times: number): Promise<Compared[]> {
  const compared: Compared[] = []
  for (const [name, call] of Object.entries(calls)) {
    const took = { empty: [] as number[], full: [] as number[] }
    for (let n = -Math.ceil(times / 5); n < times; n++) {
      const [first, second] = n % 2 === 0 ? (['empty', 'full'] as const) : (['full', 'empty'] as const)
      for (const which of [first, second]) {
        const filled = which === 'empty' ? empty : full
        const startedAt = performance.now()
        await send(filled.deployment, call(filled, Math.abs(n)))
        if (n >= 0) took[which].push(performance.now() - startedAt)
      }
    }
    const figures = (values: number[]) => ({ p50: percentile(values, 50), p99: percentile(values, 99) })
    compared.push({ name, empty: figures(took.empty), full: figures(took.full) })
  }
  return compared
}

/** One of the values, far from the one before. */
function nth<Value>(values: readonly Value[], n: number): Value {
  const found = values[(n * 7_919) % values.length]
  if (found === undefined) throw new Error('there is nothing to ask for')
  return found
}

const query = (name: string, value: string) => `?${new URLSearchParams({ [name]: value })}` as const

const search = (name: string, value: string) => `GET /operator-api/Customers${query(name, value)}` as const

function pageAfter(count: number, depth: number): `GET /${string}` {
  const before = Math.max(45, Math.round(count * (1 - depth)))
  return `GET /partner-api/Quotes${query('cursor', encodeCursor(`quote_${suffixOfCopy(before)}`) ?? '')}`
}

async function send({ url, partner, operator }: Deployment, call: string): Promise<void> {
  const [method, path = ''] = call.split(' ')
  const newQuote = { addressUid: ordinaryProperty().addressUid, packages: ['electricity', 'gas'] }
  const { token } = path.startsWith('/operator-api') ? operator : partner
  const response = await request(`${url}${path}`, {
    method: method === 'POST' ? 'POST' : 'GET',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: method === 'POST' ? JSON.stringify(newQuote) : null,
    dispatcher: agent,
  })
  const text = await response.body.text()
  if (response.statusCode !== 200 || text.includes('"data":[]'))
    throw new Error(`${call}: ${response.statusCode} ${text.slice(0, 500)}`)
}

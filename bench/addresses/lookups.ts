import type { Pool } from 'pg'
import { Agent, request } from 'undici'
import { credentials } from '../child-service.ts'
import { percentile } from '../percentile.ts'

const connections = 4

/** Looks up random postcodes over HTTP. */
export interface Lookups {
  /** Sends lookups for some seconds, four at a time. Returns how long each took, in milliseconds. */
  send(seconds: number): Promise<number[]>
  /** Sends twenty lookups a second until the returned function is called, which returns how long each took. */
  sendSteadily(): () => Promise<number[]>
  close(): Promise<void>
}

/** `postcodes` are looked up in random order. Every lookup throws unless it succeeds. */
export async function openLookups(baseUrl: string, postcodes: readonly string[]): Promise<Lookups> {
  const agent = new Agent({ connections })
  const { body } = await request(`${baseUrl}/partner-api/Auth/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(credentials),
  })
  const { access_token: token } = (await body.json()) as { access_token: string }
  const headers = { authorization: `Bearer ${token}` }

  async function lookUp(): Promise<number> {
    const postcode = postcodes[Math.floor(Math.random() * postcodes.length)] ?? ''
    const startedAt = performance.now()
    const url = `${baseUrl}/partner-api/Addresses/lookup?postcode=${encodeURIComponent(postcode)}`
    const response = await request(url, { headers, dispatcher: agent })
    const text = await response.body.text()
    if (response.statusCode !== 200) throw new Error(`${url}: ${response.statusCode} ${text}`)
    return performance.now() - startedAt
  }

  return {
    async send(seconds) {
      const times: number[] = []
      const until = performance.now() + seconds * 1_000
      const client = async () => {
        while (performance.now() < until) times.push(await lookUp())
      }
      await Promise.all(Array.from({ length: connections }, client))
      return times
    },
    sendSteadily() {
      const sent: Promise<number>[] = []
      const timer = setInterval(() => sent.push(lookUp()), 50)
      return () => {
        clearInterval(timer)
        return Promise.all(sent)
      }
    },
    close: () => agent.close(),
  }
}

/** Some of the postcodes that have properties, chosen at random. */
export async function choosePostcodes(pool: Pool, properties: number): Promise<string[]> {
  const { rows } = await pool.query<{ postcode: string }>(
    `select distinct postcode from properties tablesample system (${Math.min(100, (100 * 100_000) / properties)})`,
  )
  return rows
    .map(({ postcode }) => postcode)
    .sort(() => Math.random() - 0.5)
    .slice(0, 1_500)
}

export interface Times {
  p50: number
  p99: number
}

export function timesOf(values: readonly number[]): Times {
  return { p50: percentile(values, 50), p99: percentile(values, 99) }
}

import { Agent, request } from 'undici'
import { type LoadResult, runSteadyLoad } from './steady-load.ts'

/** One request in ten checks a property that has not been checked before in the same phase; the others call no upstream. */
const kinds = [
  'get quote',
  'lookup',
  'total cost',
  'check',
  'get quote',
  'lookup',
  'create quote',
  'total cost',
  'get quote',
  'lookup',
] as const
type Kind = (typeof kinds)[number]

interface Load {
  checks: LoadResult & { flagged: number }
  /** The results of all requests that call no upstream. */
  unaffected: LoadResult
}

/** Acts as a partner that sends requests at a steady rate. */
export interface LoadGenerator {
  load(requestsPerSecond: number, seconds: number): Promise<Load>
  /** Moves the partner's clock far enough ahead for all stored checks to expire. */
  forgetChecks(): Promise<void>
  /** Checks one property repeatedly until both upstreams respond. Returns how long that took, in milliseconds. */
  waitForCompleteCheck(): Promise<number>
  close(): Promise<void>
}

export async function connectLoadGenerator(
  baseUrl: string,
  credentials: { clientId: string; clientSecret: string },
): Promise<LoadGenerator> {
  // With this many connections, no request ever waits for one in this process.
  const agent = new Agent({ connections: 1_024 })
  const headers: Record<string, string> = { 'content-type': 'application/json' }
  const api = async (method: 'GET' | 'POST', path: string, body?: unknown) => {
    const sent = body === undefined ? null : JSON.stringify(body)
    const answer = await request(`${baseUrl}/partner-api${path}`, { method, headers, body: sent, dispatcher: agent })
    const text = await answer.body.text()
    if (answer.statusCode !== 200) throw new Error(`${method} ${path}: ${answer.statusCode} ${text}`)
    return JSON.parse(text)
  }
  headers.authorization = `Bearer ${(await api('POST', '/Auth/token', credentials)).access_token}`

  const homes: string[] = []
  for (const { postcode } of (await api('GET', '/Sandbox/postcodes')).data) {
    if (postcode === 'TE5 7AA') continue
    for (const { addressUid } of await api('GET', `/Addresses/lookup?postcode=${encodeURIComponent(postcode)}`)) {
      homes.push(addressUid)
    }
  }
  const newQuote = { addressUid: homes[0], packages: ['electricity', 'gas'] }
  const { quoteId } = await api('POST', '/Quotes', newQuote)
  await api('POST', `/Quotes/${quoteId}/add-tenants`, { tenants: [{ name: 'Tenant A', email: 'a@example.com' }] })
  const check = (home: string | undefined) => api('GET', `/Quotes/run-broadband-availability-check/${home}`)

  return {
    async load(requestsPerSecond, seconds) {
      if ((requestsPerSecond * seconds) / kinds.length > homes.length)
        throw new Error('there are too few properties for this load')
      let checked = 0
      let flagged = 0
      const send: Record<Kind, () => Promise<unknown>> = {
        'get quote': () => api('GET', `/Quotes/${quoteId}`),
        'total cost': () => api('GET', `/Quotes/${quoteId}/total-cost`),
        'create quote': () => api('POST', '/Quotes', newQuote),
        lookup: () => api('GET', '/Addresses/lookup?postcode=LS29JT'),
        check: async () => {
          const result = await check(homes[checked++])
          if (result.homeTelecomError) flagged += 1
        },
      }
      const outcomes = await runSteadyLoad({
        requestsPerSecond,
        seconds,
        kindOf: (index) => kinds[index % kinds.length] ?? 'lookup',
        send: (kind) => send[kind](),
      })
      const none: LoadResult = { times: [], errors: 0 }
      const others = [...outcomes].filter(([kind]) => kind !== 'check').map(([, outcome]) => outcome)
      return {
        checks: { ...(outcomes.get('check') ?? none), flagged },
        unaffected: {
          times: others.flatMap(({ times }) => times),
          errors: others.reduce((sum, { errors }) => sum + errors, 0),
        },
      }
    },

    async forgetChecks() {
      await api('POST', '/Sandbox/clock/advance', { seconds: 90_000 })
    },

    async waitForCompleteCheck() {
      const startedAt = performance.now()
      // Check the last property: the load never gets that far, so there is no stored result for it.
      while ((await check(homes.at(-1))).homeTelecomError) await new Promise((resolve) => setTimeout(resolve, 100))
      return performance.now() - startedAt
    },

    close: () => agent.destroy(),
  }
}

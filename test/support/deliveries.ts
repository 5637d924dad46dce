import { setTimeout as sleep } from 'node:timers/promises'
import { succeeded } from './answers.ts'
import type { Answer, Partner } from './client.ts'

/** Everything on all pages of a list, with a query that may be empty. */
export async function listAll(
  partner: Partner,
  path: string,
  query: Record<string, string> = {},
): Promise<Answer['body'][]> {
  const found: Answer['body'][] = []
  let cursor: string | null = ''
  while (cursor !== null) {
    const search = new URLSearchParams({ ...query, ...(cursor === '' ? {} : { cursor }) })
    const page: { data: Answer['body'][]; nextCursor: string | null } = succeeded(
      await partner.get(`${path}?${search}`),
    )
    found.push(...page.data)
    cursor = page.nextCursor
  }
  return found
}

/** The partner's latest events, newest first, once there are so many. */
export async function eventsOf(partner: Partner, atLeast = 1): Promise<Answer['body'][]> {
  return soon(
    () => listAll(partner, '/Events', { limit: '100' }),
    (events) => events.length >= atLeast,
  )
}

/** A webhook's deliveries, newest first, once it holds of them. */
export async function deliveriesOf(
  partner: Partner,
  webhookId: string,
  holds: (deliveries: Answer['body'][]) => boolean,
): Promise<Answer['body'][]> {
  return soon(() => listAll(partner, `/Webhooks/${webhookId}/deliveries`, { limit: '100' }), holds)
}

/** Reads again until it holds. */
export async function soon<Read>(
  read: () => Promise<Read>,
  holds: (found: Read) => boolean,
  withinMs = 8_000,
): Promise<Read> {
  const deadline = performance.now() + withinMs
  for (;;) {
    const found = await read()
    if (holds(found)) return found
    if (performance.now() > deadline)
      throw new Error(`not within ${withinMs} ms: ${JSON.stringify(found).slice(0, 1_000)}`)
    await sleep(20)
  }
}

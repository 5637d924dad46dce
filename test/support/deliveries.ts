import type { Partner } from './client.ts'
import type { Reply } from './response-types.ts'
import { succeeded } from './responses.ts'
import { waitFor } from './wait-for.ts'

/** An entry of the list at such a path. */
export type Listed<Path extends string> = Reply<'GET', Path> extends { data: readonly (infer Entry)[] } ? Entry : never

/** Everything on all pages of a list, with a query that may be empty. */
export async function listAll<Path extends string>(
  partner: Partner,
  path: Path,
  query: Record<string, string> = {},
): Promise<Listed<Path>[]> {
  const found: Listed<Path>[] = []
  let cursor: string | null = ''
  while (cursor !== null) {
    const search = new URLSearchParams({ ...query, ...(cursor === '' ? {} : { cursor }) })
    // Safe: a query makes no difference to what a path answers.
    const page = succeeded(await partner.get(`${path}?${search}`)) as {
      data: Listed<Path>[]
      nextCursor: string | null
    }
    found.push(...page.data)
    cursor = page.nextCursor
  }
  return found
}

export type ListedEvent = Listed<'/Events'>
export type ListedDelivery = Listed<'/Webhooks/{id}/deliveries'>

/** The partner's latest events, newest first, once there are so many. */
export async function eventsOf(partner: Partner, atLeast = 1): Promise<ListedEvent[]> {
  return waitFor(
    `${atLeast} events are listed`,
    () => listAll(partner, '/Events', { limit: '100' }),
    (events) => events.length >= atLeast,
  )
}

/** A webhook's deliveries, newest first, once it holds of them. */
export async function deliveriesOf(
  partner: Partner,
  webhookId: string,
  holds: (deliveries: ListedDelivery[]) => boolean,
): Promise<ListedDelivery[]> {
  const read = () => listAll(partner, `/Webhooks/${webhookId}/deliveries`, { limit: '100' })
  return waitFor('the deliveries are as expected', read, holds)
}

import type { Partner } from './client.ts'
import type { Reply } from './response-types.ts'
import { succeeded } from './responses.ts'
import { waitFor } from './wait-for.ts'

/** The type of one entry in the list at this path. */
export type ListEntry<Path extends string> =
  Reply<'GET', Path> extends { data: readonly (infer Entry)[] } ? Entry : never

/** Reads every page of a list. */
export async function listAll<Path extends string>(
  partner: Partner,
  path: Path,
  query: Record<string, string> = {},
): Promise<ListEntry<Path>[]> {
  const found: ListEntry<Path>[] = []
  let cursor: string | null = ''
  while (cursor !== null) {
    const search = new URLSearchParams({ ...query, ...(cursor === '' ? {} : { cursor }) })
    // Safe: a query does not change the response type of a path.
    const page = succeeded(await partner.get(`${path}?${search}`)) as {
      data: ListEntry<Path>[]
      nextCursor: string | null
    }
    found.push(...page.data)
    cursor = page.nextCursor
  }
  return found
}

export type ListedEvent = ListEntry<'/Events'>
export type ListedDelivery = ListEntry<'/Webhooks/{id}/deliveries'>

/** Waits until the partner has at least this many events, and returns all of them, newest first. */
export async function eventsOf(partner: Partner, atLeast = 1): Promise<ListedEvent[]> {
  return waitFor(
    `at least ${atLeast} events are listed`,
    () => listAll(partner, '/Events', { limit: '100' }),
    (events) => events.length >= atLeast,
  )
}

/** Waits until the webhook's deliveries satisfy `holds`, and returns them, newest first. */
export async function waitForDeliveries(
  partner: Partner,
  webhookId: string,
  holds: (deliveries: ListedDelivery[]) => boolean,
): Promise<ListedDelivery[]> {
  const read = () => listAll(partner, `/Webhooks/${webhookId}/deliveries`, { limit: '100' })
  return waitFor('the deliveries are as expected', read, holds)
}

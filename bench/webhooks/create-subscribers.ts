import type { DeliveringService, Subscriber } from './delivering-service.ts'

/** Creates a separate partner, with one webhook, for every receiver. */
export async function createSubscribers(service: DeliveringService, urls: readonly string[]): Promise<Subscriber[]> {
  const subscribers: Subscriber[] = []
  for (const url of urls) subscribers.push(await service.subscribe([url]))
  return subscribers
}

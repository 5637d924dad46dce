import { setTimeout as sleep } from 'node:timers/promises'
import { type Event, type HousebillClient, isApiError } from '../../../clients/typescript/src/entry.ts'
import type { EventType } from '../../events/event.ts'
import { CommandError } from '../../platform/kernel/command-error.ts'
import { coloured } from '../coloured.ts'
import { type JsonOption, printJson } from '../json-option.ts'
import { print } from '../print.ts'
import type { PartnerAccess } from './access-options.ts'
import { withClient } from './listen-action.ts'
import { type Trigger, triggers } from './triggers.ts'

/** The command `trigger`: makes an event happen, and prints it as the API lists it. */
export async function triggerEvent(
  type: EventType,
  { postcode, json, ...access }: PartnerAccess & JsonOption & { postcode: string },
): Promise<void> {
  const { how, cause, says } = triggers[type] as Trigger<object>
  const event = await withClient(access, async (client) => {
    await requireSandbox(client)
    const { quoteId } = await cause(client, postcode)
    return readEvent(client, { type, quoteId }, says)
  })
  if (json) printJson({ event })
  else print(`${coloured('quiet', `Done: ${how}.`)}\n${JSON.stringify(event, null, 2)}`)
}

/** Elsewhere, the quotes and contracts would be real ones. */
async function requireSandbox(client: HousebillClient): Promise<void> {
  await client.sandboxReadClock().catch((error: unknown) => {
    if (!isApiError(error, 'not_found')) throw error
    throw new CommandError('not_a_sandbox', 'This deployment is not a sandbox, so nothing is triggered in it.')
  })
}

const betweenReadsMs = 250
const readsAtMost = 120

/** Reads the event once it is listed, about a second after it happened. */
async function readEvent(
  client: HousebillClient,
  about: { type: EventType; quoteId: string },
  says: object,
): Promise<Event> {
  for (let reads = 0; reads < readsAtMost; reads += 1) {
    const { data } = await client.listEvents({ ...about, order: 'oldest' })
    const found = data.find((event) => isPartOf(says, event.data))
    if (found !== undefined) return found
    await sleep(betweenReadsMs)
  }
  throw new CommandError(
    'event_not_listed',
    `The event of ${about.quoteId} was not listed within 30 seconds. Check the log of the service.`,
  )
}

function isPartOf(some: object, all: object): boolean {
  const members = new Map<string, unknown>(Object.entries(all))
  return Object.entries(some).every(([name, value]) => members.get(name) === value)
}

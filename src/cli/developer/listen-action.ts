import { setTimeout as sleep } from 'node:timers/promises'
import type { Event } from '../../../clients/typescript/src/entry.ts'
import { type EventType, eventTypes } from '../../events/event.ts'
import { newWebhookSecret } from '../../webhooks/secrets/secret.ts'
import { coloured } from '../coloured.ts'
import { type JsonOption, printJson } from '../json-option.ts'
import { print, printError } from '../print.ts'
import { formatCount } from '../table.ts'
import type { PartnerAccess } from './access-options.ts'
import { followEvents } from './follow-events.ts'
import { type ForwardedAttempt, forwardMessage } from './forward-message.ts'
import { withClient } from './with-client.ts'

export interface ListenOptions extends PartnerAccess, JsonOption {
  forwardTo: string
  events?: readonly EventType[]
  secret?: string
  since?: Date
}

/** The pauses before an attempt is repeated. */
const pausesMs = [1_000, 3_000]
const statusWidth = 3
const typeWidth = 24

/** The command `listen`: forwards one message after the other until an interrupt. */
export async function listen(options: ListenOptions): Promise<void> {
  const { events = eventTypes, forwardTo: url, secret = newWebhookSecret(), since, json } = options
  const stop = new AbortController()
  const { signal } = stop
  // The launcher may pass on the Ctrl-C that this process also gets from the terminal.
  const onSignal = () => stop.abort()
  process.on('SIGINT', onSignal)
  process.on('SIGTERM', onSignal)
  const counts = { delivered: 0, failed: 0 }
  try {
    await withClient(options, async (client) => {
      const onOutage = (error: Error) => printError(`The events cannot be read (${error.message}). Trying again.`)
      let isAnnounced = false
      for await (const page of followEvents(client, { since, signal, onOutage })) {
        if (!isAnnounced) announce({ ...options, events, secret })
        isAnnounced = true
        for (const event of page.filter(({ type }) => events.includes(type))) {
          const isDelivered = await deliver(event, { url, secret, signal, json })
          counts[isDelivered ? 'delivered' : 'failed'] += 1
        }
      }
    })
  } catch (error) {
    if (!signal.aborted) throw error
  } finally {
    process.off('SIGINT', onSignal)
    process.off('SIGTERM', onSignal)
  }
  if (!json) print(`Ended. ${formatCount(counts.delivered)} delivered, ${formatCount(counts.failed)} not delivered.`)
}

function announce({ baseUrl, forwardTo, events, secret, json }: ListenOptions & { secret: string }): void {
  if (json) {
    printJson({ baseUrl, forwardTo, events, secret })
    return
  }
  print(`Messages of ${baseUrl} go to ${forwardTo}. Ctrl-C ends this.`)
  print(`Verify their signatures with this secret:\n\n  ${secret}\n`)
}

/** Sends a message until it is accepted or the attempts are used up. Returns whether it was accepted. */
async function deliver(
  event: Event,
  { json, ...target }: { url: string; secret: string; signal: AbortSignal; json: true | undefined },
): Promise<boolean> {
  for (const pauseMs of [...pausesMs, undefined]) {
    const attempt = await forwardMessage(event, target)
    if (json) printJson({ eventId: event.id, type: event.type, ...attempt })
    else print(describeAttempt(event, attempt, pauseMs))
    if (attempt.outcome === 'accepted') return true
    // A live webhook is disabled by a 410.
    if (attempt.outcome === 'gone' || pauseMs === undefined) return false
    await sleep(pauseMs, undefined, { signal: target.signal })
  }
  return false
}

function describeAttempt(
  { id, type }: Event,
  { outcome, responseStatus, error, durationMs }: ForwardedAttempt,
  pauseMs: number | undefined,
): string {
  const status = String(responseStatus ?? '-').padStart(statusWidth)
  const line = `${id}  ${type.padEnd(typeWidth)}  ${coloured(outcome === 'accepted' ? 'good' : 'bad', status)}  ${durationMs} ms`
  if (outcome === 'accepted') return line
  const next =
    outcome === 'gone' || pauseMs === undefined ? 'It is not sent again.' : `It is sent again in ${pauseMs / 1_000} s.`
  return `${line}  ${error} ${next}`
}

import { request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  ApiError,
  ConnectionError,
  type Event,
  HousebillClient,
  HousebillError,
  TokenRefusedError,
} from '../../../clients/typescript/src/entry.ts'
import { type EventType, eventTypes } from '../../events/event.ts'
import { CommandError } from '../../platform/kernel/command-error.ts'
import type { Attempt } from '../../webhooks/delivery/delivery.ts'
import { attemptTimeoutMs, headersOfEveryMessage, responseOutcome } from '../../webhooks/delivery/response-outcome.ts'
import { newWebhookSecret, signMessage } from '../../webhooks/secrets/secret.ts'
import type { WebhookResponse } from '../../webhooks/sender/webhook-sender.ts'
import { coloured, type JsonOption, print, printError, printJson } from '../print.ts'
import { formatCount } from '../table.ts'
import type { PartnerAccess } from './access-options.ts'

/** Retries end sooner than a partner's program needs them to: a person is waiting. */
const retry = { maxRetries: 2 }

/** Runs work with a client of the API. Throws CommandError if the deployment cannot be reached or rejects a call. */
export async function withClient<Result>(
  { baseUrl, clientId, clientSecret }: PartnerAccess,
  work: (client: HousebillClient) => Promise<Result>,
): Promise<Result> {
  try {
    return await work(new HousebillClient({ baseUrl, clientId, clientSecret, retry }))
  } catch (error) {
    throw error instanceof HousebillError ? commandError(error, baseUrl) : error
  }
}

function commandError(error: HousebillError, baseUrl: string): CommandError {
  if (error instanceof ApiError) return new CommandError(error.code, error.message)
  if (error instanceof TokenRefusedError)
    return new CommandError('token_refused', `${error.message} Check the client id and the secret.`)
  const what = error instanceof ConnectionError && error.status === undefined ? 'cannot be reached' : 'is not usable'
  return new CommandError(
    'connection_failed',
    `${baseUrl} ${what} (${error.message}). Start the service, or set its address with --base-url.`,
  )
}

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

/** The API lists an event within about a second of the change. */
const betweenReadsMs = 1_000
const pageSize = 100
/** No event is that late, so the first page is empty and its cursor is behind the last event. */
const afterEverything = '9999-12-31T00:00:00Z'

interface FollowOptions {
  /** Where to begin; undefined begins behind the last event. */
  since: Date | undefined
  /** Ends the reading, which then throws the signal's reason. */
  signal: AbortSignal
  /** Called when the events cannot be read for the moment. They are read again a second later. */
  onOutage: (error: HousebillError) => void
}

/**
 * Reads the partner's events page by page, in the order in which they were dispatched, and goes on as new ones happen.
 * A page can be empty; the first one shows that the reading has begun. Throws HousebillError if it cannot begin, or if
 * the deployment rejects a call.
 */
async function* followEvents(
  client: HousebillClient,
  { since, signal, onOutage }: FollowOptions,
): AsyncGenerator<readonly Event[]> {
  let from: { cursor: string } | { createdAfter?: string } = { createdAfter: since?.toISOString() ?? afterEverything }
  for (let hasBegun = false; ; ) {
    try {
      const page = await client.listEvents({ order: 'oldest', limit: pageSize, ...from }, { signal })
      hasBegun = true
      if (page.nextCursor !== null) from = { cursor: page.nextCursor }
      yield page.data
      if (page.data.length === pageSize) continue
    } catch (error) {
      if (hasBegun && isOutage(error)) onOutage(error)
      else throw error
    }
    await sleep(betweenReadsMs, undefined, { signal })
  }
}

function isOutage(error: unknown): error is HousebillError {
  return error instanceof ConnectionError || (error instanceof HousebillError && (error.status ?? 0) >= 429)
}

type ForwardedAttempt = Pick<Attempt, 'outcome' | 'responseStatus' | 'error' | 'durationMs'>

/**
 * Makes one attempt to deliver an event to a local program: body, signature and judgement are those of a live delivery.
 * Rejects only if
 * `signal` aborts.
 */
async function forwardMessage(
  event: Event,
  { url, secret, signal }: { url: string; secret: string; signal: AbortSignal },
): Promise<ForwardedAttempt> {
  // The API lists an event with the members of its message, in their order.
  const body = JSON.stringify(event)
  const headers = { ...headersOfEveryMessage, ...signMessage([secret], { id: event.id, timestamp: new Date(), body }) }
  const begun = performance.now()
  const response = await post(url, headers, body, signal)
  const durationMs = Math.round(performance.now() - begun)
  return { ...responseOutcome({ type: event.type, body }, response), responseStatus: response.status, durationMs }
}

async function post(
  url: string,
  headers: Record<string, string>,
  body: string,
  signal: AbortSignal,
): Promise<WebhookResponse> {
  const limit = AbortSignal.timeout(attemptTimeoutMs)
  const nothing = { body: Buffer.alloc(0), retryAfter: undefined }
  try {
    const either = AbortSignal.any([signal, limit])
    return { ...nothing, status: await send(url, { headers, body, signal: either }), error: null }
  } catch (error) {
    signal.throwIfAborted()
    const { code = 'no response' } = error as NodeJS.ErrnoException
    if (limit.aborted)
      return {
        ...nothing,
        status: null,
        error: `The receiver did not respond within ${attemptTimeoutMs / 1_000} seconds.`,
      }
    return { ...nothing, status: null, error: `The connection failed (${code}).` }
  }
}

/** Sends a message and returns the status. `fetch` would add headers that a live delivery does not have. */
function send(
  url: string,
  { body, ...options }: { headers: Record<string, string>; body: string; signal: AbortSignal },
): Promise<number> {
  const request = url.startsWith('https:') ? httpsRequest : httpRequest
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: 'POST', ...options }, (response) => {
      response
        .on('error', reject)
        .on('end', () => resolve(response.statusCode ?? 0))
        .resume()
    })
    sent.on('error', reject).end(body)
  })
}

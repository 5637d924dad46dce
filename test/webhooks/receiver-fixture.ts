import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import { checkMessage, openApiDocument } from '../support/openapi-responses.ts'
import '../support/loopback-only.ts'

/**
 * A self-signed certificate for receiver.test, its subdomains and loopback. Its private key is public in this
 * repository.
 */
export const receiverCertificate = readFileSync(
  new URL('../support/test-only-receiver-certificate.pem', import.meta.url),
  'utf8',
)
export const receiverKey = readFileSync(new URL('../support/test-only-receiver-key.pem', import.meta.url), 'utf8')

/** A POST request, exactly as the receiver got it. */
export interface ReceivedMessage {
  path: string
  headers: IncomingHttpHeaders
  body: string
  message: { id: string; type: string; timestamp: string; data: Record<string, unknown> }
}

/** Responds to one POST; `count` is how many have arrived, including this one. */
export type Responder = (received: ReceivedMessage, response: ServerResponse, count: number) => unknown

/** Responds with 200, and echoes the challenge if there is one. */
export const echoChallenge: Responder = ({ message }, response) => {
  response.end(typeof message.data.challenge === 'string' ? message.data.challenge : 'ok')
}

/** Calls `respond` for events and `echoChallenge` for verifications. */
export function respondToEvents(respond: Responder): Responder {
  let events = 0
  return (received, response, count) => {
    if (received.message.type === 'webhook.verification') return echoChallenge(received, response, count)
    events += 1
    return respond(received, response, events)
  }
}

export interface Receiver {
  port: number
  /** Everything received, in order of arrival. */
  received: ReceivedMessage[]
  /** Only those received messages that are events. */
  events(): ReceivedMessage[]
  /** TCP connections accepted so far. */
  connections(): number
}

/**
 * Starts a real HTTPS server on a loopback address, on a free port by default. It is closed with all its connections
 * after the test. A number is the status with which it responds to every event.
 */
export async function startReceiver(
  t: Pick<TestContext, 'after'>,
  answer: Responder | number = echoChallenge,
  host = '127.0.0.1',
  port = 0,
): Promise<Receiver> {
  const respond =
    typeof answer === 'number' ? respondToEvents((_received, response) => response.writeHead(answer).end()) : answer
  const received: ReceivedMessage[] = []
  const faults: string[] = []
  let connections = 0
  const server = createServer({ key: receiverKey, cert: receiverCertificate }, (request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString('utf8')
      const one = {
        path: request.url ?? '',
        headers: request.headers,
        body,
        message: JSON.parse(body) as ReceivedMessage['message'],
      }
      received.push(one)
      faults.push(...faultsOf(one))
      respond(one, response, received.length)
    })
  })
  server.on('connection', () => {
    connections += 1
  })
  await once(server.listen(port, host), 'listening')
  t.after(async () => {
    await new Promise((resolve) => {
      server.close(resolve)
      server.closeAllConnections()
    })
    assert.deepEqual(faults.slice(0, 3), [], `${faults.length} messages do not match the API document`)
  })
  return {
    port: (server.address() as AddressInfo).port,
    received,
    events: () => received.filter(({ message }) => message.type !== 'webhook.verification'),
    connections: () => connections,
  }
}

/** Lists the ways in which a message or its headers do not match the API document. */
function faultsOf({ message, headers }: ReceivedMessage): string[] {
  try {
    checkMessage(message)
    for (const { name } of openApiDocument.webhooks[message.type]?.post.parameters ?? [])
      assert.ok(typeof headers[name] === 'string', name)
    return []
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)]
  }
}

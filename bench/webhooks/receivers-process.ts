import { readFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'

/*
 * The partners' side: HTTPS receivers on free ports of 127.0.0.1, in a separate process. The argument is the number of
 * receivers. Each responds with 204 or, if set to hang, accepts the message and never responds. A message that arrives
 * at a receiver more than once counts as one delivery.
 */

export type ReceiversCommand =
  | { kind: 'reset'; round: number; hanging: readonly number[]; expected: number }
  | { kind: 'collect' }

export type ReceiversReport =
  | { kind: 'listening'; ports: number[] }
  | { kind: 'complete'; round: number }
  | { kind: 'collected'; arrivals: Arrival[] }

/** The first arrival of a message at a receiver; `at` is in milliseconds since 1970. */
export interface Arrival {
  receiver: number
  messageId: string
  at: number
}

const read = (name: string) => readFileSync(new URL(`../../test/support/${name}`, import.meta.url))
const tls = { key: read('test-only-receiver-key.pem'), cert: read('test-only-receiver-certificate.pem') }
const report = (message: ReceiversReport) => process.send?.(message)

let arrivals = new Map<string, Arrival>()
let hanging = new Set<number>()
let expected = 0
let round = 0

function listen(receiver: number): Promise<number> {
  const server = createServer(tls, (request, response) => {
    request.resume().on('end', () => {
      const messageId = String(request.headers['webhook-id'])
      const key = `${receiver} ${messageId}`
      if (!arrivals.has(key)) {
        arrivals.set(key, { receiver, messageId, at: Date.now() })
        if (arrivals.size === expected) report({ kind: 'complete', round })
      }
      if (!hanging.has(receiver)) response.writeHead(204).end()
    })
  })
  // The sender closes idle connections sooner, so it decides when to close them.
  server.keepAliveTimeout = 60_000
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port))
  })
}

process.on('message', (command: ReceiversCommand) => {
  if (command.kind === 'reset') {
    arrivals = new Map()
    hanging = new Set(command.hanging)
    expected = command.expected
    round = command.round
  } else {
    report({ kind: 'collected', arrivals: [...arrivals.values()] })
  }
})
process.on('disconnect', () => process.exit())

const count = Number(process.argv[2])
report({ kind: 'listening', ports: await Promise.all(Array.from({ length: count }, (_, index) => listen(index))) })

import { readFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'

/*
 * The partners' side: as many https receivers as the argument says, on free ports of 127.0.0.1, in a process of their own.
 * Each answers 204, or, told to hang, takes the message and never answers. What arrived is counted once for each
 * receiver and message, so that a repetition is no delivery.
 */

export type ReceiversCommand =
  | { kind: 'reset'; round: number; hanging: readonly number[]; expected: number }
  | { kind: 'collect'; call: number }

export type ReceiversReport =
  | { kind: 'listening'; ports: number[] }
  | { kind: 'complete'; round: number }
  | { kind: 'collected'; call: number; arrivals: Arrival[] }

/** Which message reached which receiver, and when (milliseconds since 1970). */
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
  // The senders decide how long a connection lives.
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
    report({ kind: 'collected', call: command.call, arrivals: [...arrivals.values()] })
  }
})
process.on('disconnect', () => process.exit())

const count = Number(process.argv[2])
report({ kind: 'listening', ports: await Promise.all(Array.from({ length: count }, (_, index) => listen(index))) })

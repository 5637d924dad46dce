import dns from 'node:dns'
import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createSecureServer, type Server as SecureServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'

export type Script = (request: IncomingMessage, response: ServerResponse) => void

/** An HTTP server on loopback that responds with the test's script and records its requests. */
export interface ScriptedServer {
  baseUrl: string
  requests: IncomingMessage[]
  respondWith(script: Script): void
  /** Closes all connections and accepts no new ones. */
  hangUp(): Promise<void>
  close(): Promise<void>
}

/** A scripted server that uses TLS and has a host name. */
export interface SecureScriptedServer extends ScriptedServer {
  /** Sets whether the server presents a certificate that this process trusts. */
  setTrusted(isTrusted: boolean): void
}

export async function startScriptedServer(first: Script): Promise<ScriptedServer> {
  const { requests, respondWith, listener } = scripted(first)
  const server = createServer(listener)
  const listening = await listenOn(server)
  return { baseUrl: `http://127.0.0.1:${listening.port}`, requests, respondWith, ...listening }
}

/**
 * Starts a server at `https://<label>.upstream.test`. From then on, the whole process trusts the certificate for such
 * names.
 */
export async function startSecureServer(label: string, first: Script): Promise<SecureScriptedServer> {
  const { requests, respondWith, listener } = scripted(first)
  const server: SecureServer = createSecureServer(trusted, listener)
  const listening = await listenOn(server)
  const host = `${label}.upstream.test`
  trustUpstreams()
  return {
    baseUrl: `https://${host}:${listening.port}`,
    requests,
    respondWith,
    ...listening,
    setTrusted: (isTrusted) => server.setSecureContext(isTrusted ? trusted : untrusted),
  }
}

function scripted(first: Script) {
  let script = first
  const requests: IncomingMessage[] = []
  return {
    requests,
    respondWith(next: Script) {
      script = next
    },
    listener(request: IncomingMessage, response: ServerResponse) {
      requests.push(request)
      // Many of these tests disconnect on purpose.
      response.on('error', () => undefined)
      script(request, response)
    },
  }
}

async function listenOn(server: ReturnType<typeof createServer> | SecureServer) {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const stopListening = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  return {
    port,
    async hangUp() {
      await stopListening()
      // Give the client time to notice.
      await sleep(5)
    },
    close: () => (server.listening ? stopListening() : Promise.resolve()),
  }
}

/** Returns a script that responds with this JSON text. */
export function json(body: string, status = 200, headers: Record<string, string> = {}): Script {
  return (_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', ...headers }).end(body)
  }
}

function pem(name: string) {
  const read = (part: string) => readFileSync(new URL(`../../support/test-only-${name}-${part}.pem`, import.meta.url))
  return { cert: read('certificate'), key: read('key') }
}
/** Test certificates, whose private keys are public in this repository. */
const trusted = pem('upstream')
const untrusted = pem('receiver')

let isTrusting = false

function trustUpstreams(): void {
  if (isTrusting) return
  isTrusting = true
  setDefaultCACertificates([...getCACertificates('default'), trusted.cert.toString()])
  const system = dns.lookup
  const lookup = (name: string, options: dns.LookupOptions, callback: (...given: unknown[]) => void) => {
    if (!name.endsWith('.upstream.test')) return system(name, options, callback)
    const address = options.all ? [{ address: '127.0.0.1', family: 4 }] : '127.0.0.1'
    process.nextTick(() => callback(null, address, 4))
  }
  // A mock made with the test runner would be undone when the file ends, but this process must keep resolving these
  // names.
  dns.lookup = lookup as unknown as typeof dns.lookup
}

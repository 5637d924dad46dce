import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

type Script = (request: IncomingMessage, response: ServerResponse) => void

/** An HTTP server on loopback that answers as the test says and counts what it is asked. */
export interface ScriptedServer {
  baseUrl: string
  requests: IncomingMessage[]
  answerWith(script: Script): void
  close(): Promise<void>
}

export async function startScriptedServer(first: Script): Promise<ScriptedServer> {
  let script = first
  const requests: IncomingMessage[] = []
  const server: Server = createServer((request, response) => {
    requests.push(request)
    // The other side hangs up in many of these tests; that is the point of them.
    response.on('error', () => undefined)
    script(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    requests,
    answerWith(next) {
      script = next
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** Answers with this JSON text. */
export function json(body: string, status = 200, headers: Record<string, string> = {}): Script {
  return (_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', ...headers }).end(body)
  }
}

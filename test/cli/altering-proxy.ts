import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'

/** A response on its way back to the client. */
export interface ProxiedResponse {
  status: number
  contentType: string
  /** The headers that are sent to the client in addition to the content type. */
  headers: Record<string, string>
  body: Buffer
}

export interface AlteringProxy {
  baseUrl: string
  /** `METHOD /path` of every request so far. */
  calls: string[]
}

/**
 * Acts as a faulty deployment: forwards every request to the service and passes each response to `alter`, which may
 * change it. Links to the service are rewritten to the proxy.
 */
export async function startAlteringProxy(
  t: TestContext,
  target: string,
  alter: (call: string, answer: ProxiedResponse) => void,
): Promise<AlteringProxy> {
  const calls: string[] = []
  const server = createServer(async (request, response) => {
    const call = `${request.method} ${request.url?.split('?', 1)[0]}`
    calls.push(call)
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const { authorization, 'content-type': sentType } = request.headers
    const passed = await fetch(`${target}${request.url}`, {
      method: request.method ?? 'GET',
      headers: {
        ...(authorization === undefined ? {} : { authorization }),
        ...(sentType === undefined ? {} : { 'content-type': sentType }),
      },
      ...(chunks.length === 0 ? {} : { body: Buffer.concat(chunks) }),
    })
    const answer: ProxiedResponse = {
      status: passed.status,
      contentType: passed.headers.get('content-type') ?? '',
      headers: { 'x-request-id': 'request_passed_on' },
      body: Buffer.from(await passed.arrayBuffer()),
    }
    if (answer.contentType.includes('json')) {
      answer.body = Buffer.from(answer.body.toString().replaceAll(target, proxy.baseUrl))
    }
    alter(call, answer)
    response.writeHead(answer.status, { ...answer.headers, 'content-type': answer.contentType })
    response.end(answer.body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    server.closeAllConnections()
    return new Promise((resolve) => server.close(resolve))
  })
  const proxy = { baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, calls }
  return proxy
}

/** Changes the JSON of a response; `Body` is the response type of its operation. */
export function alterJson<Body extends object>(answer: ProxiedResponse, change: (body: Body) => void): void {
  const body = JSON.parse(answer.body.toString())
  change(body)
  answer.body = Buffer.from(JSON.stringify(body))
}

import { Client } from 'undici'
import { waitFor } from '../../support/wait-for.ts'
import type { ServiceProcess } from './service-process.ts'

/** A connection that stays open, so that one process serves everything that is sent on it. */
export interface PinnedConnection {
  pid: number
  send(method: 'GET' | 'POST', path: string, body?: unknown): Promise<{ status: number; body: Record<string, string> }>
  close(): Promise<void>
}

/** Opens connections until there is one to each of `count` processes. */
export async function connectToEach(
  service: ServiceProcess,
  count: number,
  token: string,
): Promise<PinnedConnection[]> {
  const found = new Map<number, PinnedConnection>()
  await waitFor('every process has accepted a connection', async () => {
    const connection = await connect(service, token)
    // Too many open connections from one address would be dropped.
    if (found.has(connection.pid)) await connection.close()
    else found.set(connection.pid, connection)
    return found.size === count
  })
  return [...found.values()]
}

async function connect(service: ServiceProcess, token: string): Promise<PinnedConnection> {
  const client = new Client(service.baseUrl)
  const exchange = async (method: 'GET' | 'POST', path: string, body?: unknown) => {
    const response = await client.request({
      method,
      path,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      body: body === undefined ? null : JSON.stringify(body),
    })
    const text = await response.body.text()
    return {
      status: response.statusCode,
      body: text === '' ? {} : JSON.parse(text),
      requestId: String(response.headers['x-request-id']),
    }
  }
  // An authenticated call, so that the connection may stay idle.
  const { requestId } = await exchange('GET', '/partner-api/Addresses/lookup?postcode=LS29JT')
  const logged = await waitFor('the request is logged', () => service.log.find(({ reqId }) => reqId === requestId))
  return {
    pid: logged?.pid ?? 0,
    send: exchange,
    close: () => client.destroy(),
  }
}

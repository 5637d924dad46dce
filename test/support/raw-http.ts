import { connect } from 'node:net'
import { waitLimitMs } from './wait-for.ts'

/** A response read from a raw connection. */
export interface RawResponse {
  status: number
  /** The header fields, with lower-case names. */
  headers: Map<string, string>
  body: string
}

/**
 * Sends bytes unchanged, for requests that no HTTP client would send, and reads until the server closes the connection.
 * Send
 * `Connection: close`, unless the request is one after which the server closes the connection anyway.
 */
export async function sendRaw(baseUrl: string, bytes: string | Buffer): Promise<RawResponse> {
  const { hostname, port } = new URL(baseUrl)
  const text = await new Promise<string>((resolve, reject) => {
    const chunks: Buffer[] = []
    const socket = connect(Number(port), hostname, () => socket.write(bytes))
    socket.setTimeout(waitLimitMs, () =>
      socket.destroy(new Error('the server neither responded nor closed the connection')),
    )
    socket.on('data', (chunk: Buffer) => chunks.push(chunk))
    socket.on('error', reject)
    socket.on('close', () => resolve(Buffer.concat(chunks).toString('utf8')))
  })
  const [head = '', ...rest] = text.split('\r\n\r\n')
  const [statusLine = '', ...lines] = head.split('\r\n')
  return {
    status: Number(/^HTTP\/1\.1 (\d{3})/.exec(statusLine)?.[1] ?? 0),
    headers: new Map(lines.map((line) => [line.split(':', 1)[0]?.toLowerCase() ?? '', line.replace(/^[^:]*:\s*/, '')])),
    body: rest.join('\r\n\r\n'),
  }
}

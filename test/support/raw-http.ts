import { connect } from 'node:net'
import { ceilingMs } from './wait-for.ts'

/** What came back on a connection of its own, taken apart by hand. */
export interface RawResponse {
  status: number
  /** Names in lower case. */
  headers: Map<string, string>
  body: string
}

/**
 * Sends bytes as they are, for requests that no HTTP client would make, and reads until the server closes. Ask for that
 * with `Connection: close`, unless the request is one after which it closes by itself.
 */
export async function sendRaw(baseUrl: string, bytes: string | Buffer): Promise<RawResponse> {
  const { hostname, port } = new URL(baseUrl)
  const text = await new Promise<string>((resolve, reject) => {
    const chunks: Buffer[] = []
    const socket = connect(Number(port), hostname, () => socket.write(bytes))
    socket.setTimeout(ceilingMs, () => socket.destroy(new Error('the server neither answered nor closed')))
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

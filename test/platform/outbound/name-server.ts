import { createSocket } from 'node:dgram'
import type { TestContext } from 'node:test'

type Kind = 'A' | 'AAAA'

/** The records of one DNS answer as bytes, or the way in which the name server fails. */
export type DnsAnswer = readonly Buffer[] | 'no such name' | 'broken' | 'silence'

/** Starts a DNS server on loopback that answers from `zone`; returns its address and the queries it received. */
export async function startNameServer(t: TestContext, zone: (name: string, kind: Kind) => DnsAnswer) {
  const asked: string[] = []
  const socket = createSocket('udp4')
  socket.on('message', (query, from) => {
    let end = 12
    const labels: string[] = []
    while (query[end] !== 0) {
      const length = query[end] ?? 0
      labels.push(query.toString('ascii', end + 1, end + 1 + length))
      end += 1 + length
    }
    const kind = query.readUInt16BE(end + 1) === 1 ? 'A' : 'AAAA'
    asked.push(`${kind} ${labels.join('.')}`)
    const response = zone(labels.join('.'), kind)
    if (response === 'silence') return
    const records = typeof response === 'string' ? [] : response
    const header = Buffer.alloc(12)
    query.copy(header, 0, 0, 2)
    header.writeUInt16BE(0x8180 | (response === 'no such name' ? 3 : response === 'broken' ? 2 : 0), 2)
    header.writeUInt16BE(1, 4)
    header.writeUInt16BE(records.length, 6)
    const question = query.subarray(12, end + 5)
    const sections = records.map((address) => {
      const record = Buffer.from([0xc0, 12, 0, kind === 'A' ? 1 : 28, 0, 1, 0, 0, 0, 0, 0, address.length])
      return Buffer.concat([record, address])
    })
    socket.send(Buffer.concat([header, question, ...sections]), from.port, from.address)
  })
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve))
  t.after(() => new Promise<void>((resolve) => socket.close(() => resolve())))
  return { servers: [`127.0.0.1:${socket.address().port}`], asked }
}
